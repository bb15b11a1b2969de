package lratio

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/numeric"
)

// This file answers many questions about ε from few laws. A law's tails must be small against δ.
// They have one of a few masses, and the number of cells depends on the event and that mass. So
// most questions about an event have one law, which is remembered (memory.go). The ends hold for
// any tails and cells.

// Unchecked returns the accountant for many questions, as a calibration, a trade-off function or a
// selection asks them. Its intervals of ε are about 5e-4 wide, relative to the ε at a smaller δ.
func (a Accountant) Unchecked() accounting.Accountant {
	a.Width, a.unchecked = math.Max(a.width(), sharedWidth), true
	return a
}

// QuickEpsilonAt returns the upper end of ε of Unchecked's answer, in less time than the whole
// interval. It leaves out no bound of that answer.
func (a Accountant) QuickEpsilonAt(event accounting.Event, delta float64) (upper float64, leftOut bool, err error) {
	if err := accounting.ValidateDelta(delta); err != nil {
		return math.Inf(1), false, fmt.Errorf("lratio: %w", err)
	}
	p, err := a.program(event)
	if err != nil || p.nonPrivate {
		return math.Inf(1), false, err
	}
	logDelta, tail := numeric.Log(delta), sharedTail(numeric.Log(delta))
	n, err := p.sharedCells(tail, math.Max(a.width(), sharedWidth))
	upper = math.Inf(1)
	if err == nil {
		var above splitlaw.Curve
		if above, err = p.above(n, tail); err == nil {
			upper = above.Epsilon(logDelta)
		}
	}
	if err != nil && !errors.Is(err, errLarge) {
		return math.Inf(1), false, err
	}
	revealed, err := gdp.EpsilonAt(p.shown(), delta)
	if err != nil {
		return math.Inf(1), false, fmt.Errorf("lratio: %w", err)
	}
	return math.Min(upper, revealed.Upper), false, nil
}

const (
	sharedWidth = 5e-4
	// The tails are e^firstTail, or one of its powers with exponents 1.25, 1.25², ...
	firstTail   = -28
	tailFactor  = 1.25
	leastShared = 700 // cells
	// moreCells makes up for an error of the estimate.
	moreCells = 1.15
)

// sharedTail returns ln of the mass of a tail for a question about δ.
func sharedTail(logDelta float64) float64 {
	tail := float64(firstTail)
	for tail > logDelta+logCut && tail > leastLogTail {
		tail *= tailFactor
	}
	return math.Max(tail, leastLogTail)
}

// ends returns ends of ε, the curve of the upper one, and the number of cells of their laws. They are about width apart,
// relative to the ε at the least δ with the same tails. If narrow and the ε at δ is far below that,
// a law of more cells keeps the ends apart by less than what is warned of.
func (p program) ends(logDelta, width float64, narrow bool) (ends span, above splitlaw.Curve, cells int, err error) {
	tail := sharedTail(logDelta)
	if cells, err = p.sharedCells(tail, width); err == nil {
		ends, above, err = p.epsilon(cells, logDelta, tail)
	}
	if errors.Is(err, errLarge) {
		return span{0, math.Inf(1)}, above, cells, nil
	}
	if err != nil || !narrow || len(p.periods) > 0 {
		return ends, above, cells, err
	}
	apart := (ends.upper - ends.lower) / (wideFrom * ends.upper)
	if more := min(mostCells, 1.5*float64(cells)*math.Sqrt(apart)); apart > 1 && more > float64(cells) {
		cells = int(more)
		finer, above, err := p.epsilon(cells, logDelta, tail)
		if err != nil {
			return span{}, above, cells, err
		}
		finer, err = finer.and(span{ends.lower, math.Inf(1)})
		return finer, above, cells, err
	}
	return ends, above, cells, nil
}

// sharedCells returns the number of cells for the wanted width at the least δ with these tails. The
// width falls as 1/n², so it follows from that of a coarse law.
func (p program) sharedCells(tail, width float64) (int, error) {
	if len(p.periods) > 0 {
		return pairCells, nil
	}
	ends, _, err := p.epsilon(leastShared, tail-logCut, tail)
	if err != nil {
		return leastShared, err
	}
	n := moreCells * leastShared * math.Sqrt((ends.upper-ends.lower)/(width*ends.upper))
	if !(n > leastShared) { // or NaN, if ε is 0 or +Inf
		return leastShared, nil
	}
	return int(min(mostCells, n)), nil
}
