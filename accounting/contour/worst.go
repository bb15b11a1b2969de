package contour

import (
	"math"

	"github.com/dplab/dplab/accounting"
)

// alternatives returns the events of a Parallel or a WorstCase at the top of event, of
// which the dearest counts at each δ and each ε; nil for any other event.
func alternatives(event accounting.Event) []accounting.Event {
	switch e := event.(type) {
	case accounting.Parallel:
		return e.Events
	case accounting.WorstCase:
		return e.Events
	}
	return nil
}

// worstEpsilon returns the guarantee with the largest upper end, its interval widened to
// hold the largest of all.
func (a Accountant) worstEpsilon(events []accounting.Event, logDelta float64) (accounting.Guarantee, error) {
	var worst accounting.Guarantee
	for i, event := range events {
		g, err := a.EpsilonAtLogDelta(event, logDelta)
		if err != nil {
			return accounting.NoGuarantee(), err
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
	return worst, nil
}

// worstLogDelta returns what is known of the largest log δ.
func (a Accountant) worstLogDelta(events []accounting.Event, epsilon float64) (accounting.Interval, error) {
	worst := accounting.Exact(math.Inf(-1))
	for _, event := range events {
		i, err := a.LogDeltaAt(event, epsilon)
		if err != nil {
			return accounting.Interval{}, err
		}
		worst = largest(worst, i)
	}
	return worst, nil
}

// largest returns what is known of the larger of two numbers.
func largest(a, b accounting.Interval) accounting.Interval {
	return accounting.Certified(math.Max(a.Lower, b.Lower), math.Max(a.Estimate, b.Estimate), math.Max(a.Upper, b.Upper))
}
