package pld

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
)

// check returns the check of the upper end of a program: by the pair of a single run, a closed form
// of δ, or else the grids of its directions. It has none for mechanisms that package gridlaw does
// not know.
func (a Accountant) check(p program, grids []*grid) certificate.Check {
	if _, ok := p.once(); ok {
		m, _ := p.mechanisms[0].checked(remove, 0)
		return checkOnce(m)
	}
	exact := closed.Check(p.event, a.Neighboring())
	var witnesses []gridlaw.Grid
	for _, g := range grids {
		w, ok := g.witness()
		if !ok {
			return exact
		}
		witnesses = append(witnesses, w)
	}
	if len(witnesses) == 0 {
		return exact
	}
	byGrid := gridlaw.New(witnesses...)
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		c, err := exact(epsilon, delta)
		if errors.Is(err, accounting.ErrUnsupportedEvent) {
			return byGrid.Check(epsilon, delta)
		}
		return c, err
	}
}

// checkOnce returns the check of ε of one run whose pair of laws is its own mirror image.
func checkOnce(m gridlaw.Mechanism) certificate.Check {
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		upper := attach.OfPair(m.With, m.Without, epsilon)
		if !(upper <= delta) {
			return accounting.Certificate{}, fmt.Errorf("the pair of laws has δ <= %g at ε = %g", upper, epsilon)
		}
		c := certificate.Made("the privacy profile of a pair of laws", epsilon, upper)
		if m.Given != "" {
			c.Given = []string{m.Given}
		}
		return c, nil
	}
}

// witness returns the grid, if there is one, and what runs. ok is false if a mechanism has no
// check.
func (g *grid) witness() (w gridlaw.Grid, ok bool) {
	runs := g.single
	w.Add = g.d == add
	if g.up != nil {
		runs = g.mechanisms
		w = gridlaw.Grid{Add: w.Add, Step: g.h, Tilt: math.Min(g.target.a, mostTilt/g.h), Beyond: g.aHigh}
		w.First, w.Points = g.span(g.h)
	}
	for i, f := range runs {
		m, ok := f.checked(g.d, g.logTail)
		if !ok {
			return w, false
		}
		l := gridlaw.Law{Mechanism: m, Count: f.count}
		if f.power != nil {
			l.Runs = f.power.runs
		}
		if m.Curve != nil {
			grid := m.Curve.Grid()
			l.Ratio = &grid
		}
		if g.up != nil {
			l.First, l.Points = g.up[i].First, len(g.up[i].P)
		}
		w.Laws = append(w.Laws, l)
	}
	return w, true
}

// mostTilt is the largest tilt of one point of a grid. The check keeps e to that power finite.
const mostTilt = 600

// checked returns the mechanism as the check takes it. Rates and the µ of Gaussians may be
// products and sums of those of the event, which were rounded. They are moved to the side of a
// larger loss. ok is false for a mechanism without a check.
func (f mechanism) checked(d direction, logTail float64) (m gridlaw.Mechanism, ok bool) {
	m = gridlaw.Mechanism{Rate: outward(f.rate), FixedSize: f.fixedSize, Shown: outward(f.shown), Add: d == add}
	return f.base.checked(m, f, logTail)
}

// outward returns a rate that was rounded, raised by more than that.
func outward(rate float64) float64 {
	if rate == 0 || rate == 1 {
		return rate
	}
	return math.Min(1, rate*(1+4*unit))
}
