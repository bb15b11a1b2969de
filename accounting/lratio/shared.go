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

// Options returns the options of its answers. Unchecked intervals of ε are about 5e-4 wide,
// relative to the ε at a smaller δ. Quick ones leave out no bound on the upper end.
func (a Accountant) Options() accounting.Options { return a.options }

// WithOptions returns the accountant with other options.
func (a Accountant) WithOptions(o accounting.Options) accounting.Accountant {
	a.options = o
	return a
}

// quickEpsilon returns the upper end of ε by an upper law only.
func (p program) quickEpsilon(delta, width float64) (float64, error) {
	upper, logDelta := math.Inf(1), numeric.Log(delta)
	tail := sharedTail(logDelta)
	n, err := p.sharedCells(tail, width)
	if err == nil {
		var above splitlaw.Curve
		if above, err = p.above(n, tail); err == nil {
			upper = leastEpsilon(above, logDelta)
		}
	}
	if err != nil && !errors.Is(err, errLarge) {
		return math.Inf(1), err
	}
	revealed, err := gdp.EpsilonAt(p.shown(), delta)
	if err != nil {
		return math.Inf(1), fmt.Errorf("lratio: %w", err)
	}
	return math.Min(upper, revealed.Upper), nil
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

// ends returns ends of ε, the curve of the upper one, and the number of cells of their laws. They
// are about width apart, relative to the ε at the least δ with the same tails. If narrow and the ε
// at δ is far below that, a law of more cells keeps the ends apart by less than what is warned of.
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
