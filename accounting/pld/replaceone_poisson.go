package pld

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// A Poisson sample for the replace-one relation.
//
// An event bounds how far apart two runs are in which a record is replaced. It has no information
// about runs without the record. With chance 1-q the record is not in the sample, and both data
// sets give the same run. Otherwise the event's pair (P, Q) dominates the runs. So the sampled
// mechanism is a post-processing of the pair (q P, q Q) with one more outcome, "not in the sample",
// of chance 1-q under both laws.
//
// The bound is attained if the outputs reveal whether the record is in the sample. A ClippedSum
// hides more: see replaceone_sum.go. If one is among other events on the sample, the bound holds
// and is not attained.

// addShown adds a mechanism on such a sample.
func (c *collector) addShown(sample accounting.Node, count float64) error {
	if c.fixedSize || c.shown > 0 {
		return unsupported(sample.Event)
	}
	inner := sample.Children[0]
	if sum, ok := inner.Event.(accounting.ClippedSum); ok {
		return c.addSum(sum.NoiseMultiplier, sample.Rate, count)
	}
	if inner.Contains(accounting.IsClippedSum) {
		inner, c.upperOnly = inner.Lowered(c.relation), true
	}
	one, ok := asOne(c.asked.Part(inner))
	if !ok {
		return unsupported(sample.Event)
	}
	c.shown = sample.Rate
	defer func() { c.shown = 0 }()
	return c.addRuns(one, 1, count)
}

// shownCells returns the cells of a run whose sample is shown.
func (f mechanism) shownCells(d direction, h, logTail float64) (cells []cell, infinite float64) {
	cells, infinite = f.sampledCells(d, h, logTail)
	for i := range cells {
		cells[i].p, cells[i].eta = held(cells[i].p*f.shown, cells[i].eta+2*unit)
	}
	cells = append(cells, cell{p: 1 - f.shown, s: 1, eta: 2 * unit, point: true})
	slices.SortStableFunc(cells, func(a, b cell) int { return a.j - b.j })
	return cells, f.shownMass(infinite)
}

// shownMass returns a mass on a sample that is shown. A positive mass stays positive.
func (f mechanism) shownMass(mass float64) float64 {
	if mass > 0 {
		mass, _ = held(mass*f.shown, 0)
	}
	return mass
}

// shownAtoms returns the coarse copy.
func (f mechanism) shownAtoms(atoms []logAtom) []logAtom {
	for i, a := range atoms {
		atoms[i] = logAtom{a.p + numeric.Log(f.shown), a.q + numeric.Log(f.shown)}
	}
	rest := math.Log1p(-f.shown)
	return append(atoms, logAtom{rest, rest})
}
