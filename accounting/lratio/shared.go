package lratio

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/numeric"
)

// This file answers many questions about ε from few laws. The law for one δ has the tails that this
// δ needs. Here tails have one of a few masses, and the cells depend on the event and that mass. So
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
	if err == nil {
		upper, err = p.upperEpsilon(n, logDelta, tail)
	}
	if errors.Is(err, errLarge) {
		upper, err = math.Inf(1), nil
	}
	if err != nil {
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
	// The tails are e^firstTail, or one of its powers with exponents 1.5, 1.5², ...
	firstTail   = -28
	tailFactor  = 1.5
	leastShared = 700 // cells
	// splitShare is the share of the width that the upper law has: see span.interval.
	splitShare = 2.0 / 3
)

// sharedTail returns ln of the mass of a tail for a question about δ.
func sharedTail(logDelta float64) float64 {
	tail := float64(firstTail)
	for tail > logDelta+logCut && tail > leastLogTail {
		tail *= tailFactor
	}
	return math.Max(tail, leastLogTail)
}

// shared is narrow by shared laws.
func (p program) shared(logDelta, width float64) (ends span, cells int, err error) {
	tail := sharedTail(logDelta)
	if cells, err = p.sharedCells(tail, width); err == nil {
		ends, err = p.epsilon(cells, logDelta, tail)
	}
	if errors.Is(err, errLarge) {
		return span{0, math.Inf(1)}, cells, nil
	}
	return ends, cells, err
}

// sharedCells returns the number of cells for the wanted width at the least δ with these tails. The
// upper end falls to its limit as 1/n². Its distance to the limit follows from two coarse laws.
func (p program) sharedCells(tail, width float64) (int, error) {
	if len(p.periods) > 0 {
		return p.firstCells(), nil
	}
	var upper [2]float64
	for i, n := range []int{leastShared / 2, leastShared} {
		var err error
		if upper[i], err = p.upperEpsilon(n, tail-logCut, tail); err != nil {
			return n, err
		}
	}
	above := (upper[0] - upper[1]) / 3 // of the finer law
	n := leastShared * math.Sqrt(above/(splitShare*width*upper[1]))
	if !(n > leastShared) { // or NaN, if ε is 0 or +Inf
		return leastShared, nil
	}
	return int(min(mostCells, n)), nil
}
