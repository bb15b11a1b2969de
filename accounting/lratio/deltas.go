package lratio

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
)

// DeltaAt returns a certified interval of δ, in [0, 1], at epsilon >= 0.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	return ask.DeltaAt(a, event, epsilon)
}

// DeltaTo is DeltaAt for a question.
func (a Accountant) DeltaTo(q ask.Question, epsilon float64) (accounting.Interval, error) {
	deltas, err := a.DeltasTo(q, []float64{epsilon})
	if err != nil {
		return accounting.NoDelta(), err
	}
	return deltas[0], nil
}

// DeltasAt returns a certified interval of δ, in [0, 1], at each of epsilons. These must be >= 0
// and must not fall. The laws are built once, so a thousand values take little more time than one.
func (a Accountant) DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error) {
	return ask.DeltasAt(a, event, epsilons)
}

// DeltasTo is DeltasAt for a question.
func (a Accountant) DeltasTo(q ask.Question, epsilons []float64) ([]accounting.Interval, error) {
	p, err := a.program(q)
	if err != nil || len(epsilons) == 0 {
		return nil, err
	}
	out, attacked := make([]accounting.Interval, len(epsilons)), 0.0
	if len(epsilons) == 1 { // an attack on each of many ε would be slow
		attacked = p.attackedDelta(epsilons[0])
	}
	if p.nonPrivate {
		for i := range out {
			out[i] = accounting.Exact(1)
		}
		return out, nil
	}
	below, above, err := p.laws(listCells(a.width(q)), epsilons[len(epsilons)-1])
	if err != nil && !errors.Is(err, errLarge) {
		return nil, err
	}
	for i, epsilon := range epsilons {
		ends := span{attacked, 1}
		if err == nil {
			var crossed error
			if ends, crossed = ends.and(span{fromLog(below.mostDelta(epsilon), -1), fromLog(above.LogDelta(epsilon), +1)}); crossed != nil {
				return nil, crossed
			}
		}
		revealed, err := gdp.DeltaAt(p.shown(), epsilon)
		if err != nil {
			return nil, fmt.Errorf("lratio: %w", err)
		}
		ends.upper = math.Max(ends.lower, math.Min(ends.upper, revealed.Upper))
		out[i] = ends.interval()
	}
	return out, nil
}

// listCells is the number of cells of the laws of a list of δ: half of the most for the usual
// width.
func listCells(width float64) int {
	return max(coarseCells, min(mostCells, int(mostCells/2*math.Sqrt(usualWidth/width))))
}

// fromLog returns e^log, rounded down or up by more than its error, and at most 1.
func fromLog(log, side float64) float64 {
	delta := math.Exp(log)
	delta += side * delta * (4*0x1p-52 + math.Abs(math.Max(log, -800))*0x1p-51)
	if side > 0 {
		return math.Min(1, math.Max(delta, math.SmallestNonzeroFloat64))
	}
	return math.Max(0, delta)
}

// laws returns the bounds of δ by laws of n cells. Their tails must be small against δ at last.
// Coarse laws find that δ first.
func (p program) laws(n int, last float64) (below profile, above splitlaw.Curve, err error) {
	logTail := -60.0
	for range 4 {
		coarse, err := p.above(coarseCells, logTail)
		if err != nil {
			return below, above, err
		}
		logDelta := coarse.LogDelta(last)
		if logDelta+logCut >= logTail || logTail <= leastLogTail {
			break
		}
		logTail = math.Max(leastLogTail, math.Min(4*logTail, logDelta+logCut-4))
	}
	if below, err = p.below(n, logTail); err == nil {
		above, err = p.above(n, logTail)
	}
	return below, above, err
}

// leastLogTail is below ln of the least float64.
const leastLogTail = -780
