package contour

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
)

// worstEpsilon returns the guarantee with the largest upper end. Its interval is widened to hold
// the largest ε of all events. In a Parallel or a WorstCase the costliest event decides at each δ
// and each ε, so the check is that of all events. A lower bound of one event's δ is one of the
// largest.
func (a Accountant) worstEpsilon(events []ask.Question, logDelta float64) (accounting.Guarantee, checks, error) {
	var worst accounting.Guarantee
	var above []certificate.Check
	var below []certificate.Below
	for i, event := range events {
		g, check, err := a.epsilonOf(event, logDelta)
		if err != nil {
			return accounting.NoGuarantee(), checks{}, err
		}
		above = append(above, check.above)
		if check.below != nil {
			below = append(below, check.below)
		}
		if i == 0 {
			worst = g
			continue
		}
		both := largest(worst.Epsilon, g.Epsilon)
		if g.Epsilon.Upper > worst.Epsilon.Upper {
			worst = g
		}
		worst.Epsilon = both
	}
	return worst, checks{attach.Worst(above), func(epsilon float64) (delta float64) {
		for _, one := range below {
			delta = max(delta, one(epsilon))
		}
		return delta
	}}, nil
}

// worstLogDelta returns an interval of the largest log δ.
func (a Accountant) worstLogDelta(events []ask.Question, epsilon float64) (accounting.Interval, error) {
	worst := accounting.Exact(math.Inf(-1))
	for _, event := range events {
		i, err := a.logDeltaOf(event, epsilon)
		if err != nil {
			return accounting.Interval{}, err
		}
		worst = largest(worst, i)
	}
	return worst, nil
}

// worstDeltas returns an interval of the largest δ at each of epsilons.
func (a Accountant) worstDeltas(events []ask.Question, epsilons []float64) ([]accounting.Interval, error) {
	deltas := make([]accounting.Interval, len(epsilons))
	for _, event := range events {
		more, err := a.DeltasTo(event, epsilons)
		if err != nil {
			return nil, err
		}
		for i, d := range more {
			deltas[i] = largest(deltas[i], d)
		}
	}
	return deltas, nil
}

// largest returns an interval of the larger of two numbers.
func largest(a, b accounting.Interval) accounting.Interval {
	return accounting.Certified(math.Max(a.Lower, b.Lower), math.Max(a.Estimate, b.Estimate), math.Max(a.Upper, b.Upper))
}
