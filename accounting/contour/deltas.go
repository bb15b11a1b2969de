package contour

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
)

// DeltasAt returns a certified interval of δ, in [0, 1], at each of epsilons. These must be >= 0
// and must not fall. M does not depend on ε, so one integral serves all ε near its own: a thousand
// values take about the time of ten.
//
// The intervals are narrower than 1e-6, relative, unless few large losses decide (see the package
// comment). Then only about thirty values are computed. Between them the upper end is that of the
// value before, as δ falls with ε, and the lower end is 0.
func (a Accountant) DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error) {
	if err := accounting.ValidateEpsilons(epsilons); err != nil {
		return nil, fmt.Errorf("contour: %w", err)
	}
	node, err := a.take(event)
	if err != nil {
		return nil, err
	}
	return a.deltasOf(node, epsilons)
}

func (a Accountant) deltasOf(event accounting.Node, epsilons []float64) ([]accounting.Interval, error) {
	if event.Shape == accounting.Either {
		return a.worstDeltas(event.Children, epsilons)
	}
	p, err := compile(event, a.Neighboring())
	if err != nil {
		return nil, err
	}
	if p.byLines() {
		return p.deltasByLines(epsilons), nil
	}
	deltas := make([]accounting.Interval, len(epsilons))
	for i, e := range epsilons {
		logs, err := a.logDeltaOf(event, e)
		if err != nil {
			return nil, err
		}
		deltas[i] = deltaOf(logs)
	}
	return deltas, nil
}

// byLines reports whether solve answers a program by integrals.
func (p program) byLines() bool {
	return !p.nonPrivate && len(p.phases) > 0 && p.fits() && !p.single()
}

func (p program) deltasByLines(epsilons []float64) []accounting.Interval {
	both := p.problems()
	r := both[transform.Remove].logDeltas(epsilons)
	a := r
	if !p.replaced() {
		a = both[transform.Add].logDeltas(epsilons)
	}
	deltas := make([]accounting.Interval, len(epsilons))
	for i := range deltas {
		worst := largerOf(r[i], a[i])
		worst.most(p.logMost())
		deltas[i] = deltaOf(accounting.Certified(worst.lower, worst.estimate, worst.upper))
	}
	return deltas
}

// An integral made for another ε is used if its width of log δ is at most serves.
const serves = 1e-7

// After an answer without a narrow integral, the next 1/rest of the list is skipped.
const rest = 32

// logDeltas bounds one direction's log δ at each of epsilons.
func (p *problem) logDeltas(epsilons []float64) []answer {
	answers := make([]answer, len(epsilons))
	var whole *transform.Integral
	last, wait := answer{}, 0 // δ <= 1
	for i, e := range epsilons {
		if near, ok := p.served(whole, e); ok {
			answers[i], last, wait = near, near, 0
			continue
		}
		if wait > 0 { // δ falls
			wait--
			answers[i] = answer{lower: math.Inf(-1), estimate: last.upper, upper: last.upper}
			continue
		}
		q := p.logDeltaAt(e)
		answers[i], last, whole = q.out, q.out, q.whole
		if _, ok := p.served(whole, e); !ok && !math.IsInf(last.upper, -1) {
			wait = len(epsilons) / rest
		}
	}
	return answers
}

// served returns the answer of an integral made for another ε, and whether it is narrow.
func (p *problem) served(whole *transform.Integral, epsilon float64) (answer, bool) {
	if whole == nil || epsilon >= p.mostLoss() {
		return answer{}, false
	}
	lower, estimate, upper, _ := whole.LogDelta(epsilon)
	return answer{lower: lower, estimate: estimate, upper: upper}, upper-lower <= serves
}
