package lratio

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
)

// check returns the check of an upper end: by the Gaussians of public steps if they show enough,
// and else by a law that package splitlaw makes. The search proposes the grid of that law. If the
// law shows too little up to the last raise of ε, one of twice the cells is asked. Laws are
// remembered too.
func (p program) check(cells int, logTail float64) certificate.Check {
	first, byLaw := 0.0, p.checkByLaw(cells, logTail)
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		if c, ok := p.byShown(epsilon, delta); ok {
			return c, nil
		}
		if first == 0 {
			first = epsilon
		}
		c, err := byLaw(epsilon, delta)
		if c.DeltaUpper <= delta && err == nil || epsilon < first*lastRaise || 2*cells > mostCells {
			return c, err
		}
		return p.checkByLaw(2*cells, logTail)(epsilon, delta)
	}
}

// lastRaise is just below the last factor that package certificate raises an ε by.
const lastRaise = 1 + 0.9e-4

func (p program) checkByLaw(cells int, logTail float64) certificate.Check {
	key := lawKey{fmt.Sprint(p.replaced, p.key(true)), true, cells, logTail}
	check, _ := checks.of(key, func() (certificate.Check, error) {
		return splitlaw.Check(p.checked(), splitlaw.Grid{Cells: int(cellsToCheck * float64(cells)), LogTail: logTail}), nil
	})
	return check
}

// byShown checks by the composition of all releases as if each example's steps were public.
// Publishing raises δ (joint convexity).
func (p program) byShown(epsilon, delta float64) (c accounting.Certificate, ok bool) {
	node, err := accounting.Flatten(accounting.Gaussian{NoiseMultiplier: (1 - 0x1p-50) / p.shown()})
	if err != nil {
		return c, false
	}
	c, err = closed.Check(node, accounting.AddOrRemoveOne)(epsilon, delta)
	if c.Given = append(c.Given, "that public steps cost more"); len(p.lower)+len(p.upper) == 0 && !p.replaced {
		c.Given = nil // nothing is hidden
	}
	return c, err == nil && c.DeltaUpper <= delta
}

// cellsToCheck is the number of cells of a check over that of the search. A few more make up for
// the different places of two grids: the check needs a law that is as near to Z.
const cellsToCheck = 1.05

// checked returns the program as the check takes it. Distances are square roots of sums, and rates
// are quotients. They are raised by more than their rounding, which only raises δ.
func (p program) checked() (out splitlaw.Program) {
	const raised = 1 + 0x1p-42
	for _, f := range slices.SortedFunc(maps.Keys(p.upper), compareFactors) {
		out.Factors = append(out.Factors, splitlaw.Factor{Distance: f.s * raised, Period: f.period, Rate: math.Min(1, f.rate*(1+0x1p-50)), Count: p.upper[f]})
	}
	out.Gaussian, out.Replaced = math.Sqrt(p.gaussian)*raised, p.replaced
	return out
}
