package intersected

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/lratio"
)

// forAllocations returns the accountant whose grid is narrow unless its width is given. A narrow
// grid takes little more time, because all periods of a random allocation are one run on it.
func (a Accountant) forAllocations() Accountant {
	if a.Grid.Width == 0 {
		a.Grid.Width = 1e-3
	}
	return a
}

// ratios returns the accountant of likelihood ratios for an event with a random allocation. Other
// events are priced in less time by contour.
func (a Accountant) ratios(q ask.Question) (ratios lratio.Accountant, ok bool) {
	return lratio.Accountant{Relation: a.Neighboring()}, q.Node().Contains(func(n accounting.Node) bool {
		_, ok := n.Event.(accounting.RandomAllocation)
		return ok
	})
}

const (
	// mostRaised is the share that a narrow price by likelihood ratios may be above one whose check
	// failed. fewSteps is the most steps that have one: with few steps the check of a line
	// integral may fail, and the law takes little time.
	mostRaised, fewSteps = 1e-4, 64
	narrowRatios         = 1e-5
)

// shownByRatios returns the answer by likelihood ratios of an event of few steps, if it has a
// certificate.
func (a Accountant) shownByRatios(q ask.Question, delta float64) (Answer, bool) {
	steps := 0.0
	for _, count := range q.Node().Runs() {
		steps += count
	}
	ratios := lratio.Accountant{Relation: a.Neighboring(), Width: narrowRatios}
	if steps > fewSteps || ratios.Knows(q) != nil {
		return Answer{}, false
	}
	g, err := ratios.EpsilonTo(q, delta)
	return Answer{Name: ratios.Name(), Guarantee: g}, err == nil && g.Certificate != nil
}

// below returns a lower end of ε of a composition with a random allocation: that of the events that
// lratio knows. The outputs of the others are left out, which is a post-processing.
func (a Accountant) below(q ask.Question, delta float64) float64 {
	ratios, ok := a.ratios(q)
	if !ok {
		return 0
	}
	var known []accounting.Node
	for run, count := range q.Node().Runs() {
		if ratios.Knows(q.Part(run)) == nil && count <= math.MaxInt32 {
			known = append(known, accounting.Node{Shape: accounting.Repetition, Count: int(count)}.With(run))
		}
	}
	if len(known) == 0 {
		return 0
	}
	all := q.Part(accounting.Node{Shape: accounting.Sequence, Count: 1}.With(known...))
	g, err := ratios.EpsilonTo(all.With(accounting.Options{Unchecked: true}), delta)
	if err != nil {
		return 0
	}
	return g.Epsilon.Lower
}

// raised returns an interval with the lower end of below if that is larger. Only wide intervals are
// raised. The grid has few outcomes of an attack on a short period, and may show nothing.
func (a Accountant) raised(q ask.Question, delta float64, known accounting.Interval) accounting.Interval {
	const near = 0.9
	if known.HasLower && known.Lower >= near*known.Upper {
		return known
	}
	lower := a.below(q, delta)
	if !(lower > known.Lower && lower <= known.Upper) {
		return known
	}
	return accounting.Certified(lower, math.Max(lower, known.Estimate), known.Upper)
}
