package intersected

import (
	"math"

	"github.com/dplab/dplab/accounting"
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
func (a Accountant) ratios(event accounting.Node) (lratio.Accountant, bool) {
	if !event.Contains(func(n accounting.Node) bool { _, ok := n.Event.(accounting.RandomAllocation); return ok }) {
		return lratio.Accountant{}, false
	}
	ratios := lratio.Accountant{Relation: a.Neighboring()}
	if a.NoChecks {
		ratios, _ = ratios.Unchecked().(lratio.Accountant)
	}
	return ratios, true
}

// QuickEpsilonAt returns the upper end of EpsilonAt without checks, in less time, for an event in
// its simplest form. ok is false unless only package lratio knows the event.
func (a Accountant) QuickEpsilonAt(event accounting.Node, delta float64) (upper float64, ok bool) {
	ratios, ok := a.ratios(event)
	if !ok || len(a.Named) > 0 || ratios.Knows(event.Event) != nil {
		return math.Inf(1), false
	}
	upper, _, err := ratios.QuickEpsilonAt(event.Event, delta)
	return upper, err == nil
}

// below returns a lower end of ε of a composition with a random allocation: that of the events that
// lratio knows. The outputs of the others are left out, which is a post-processing.
func (a Accountant) below(event accounting.Node, delta float64) float64 {
	ratios, ok := a.ratios(event)
	if !ok {
		return 0
	}
	var known []accounting.Event
	for run, count := range event.Runs() {
		if ratios.Knows(run.Event) == nil && count <= math.MaxInt32 {
			known = append(known, accounting.SelfComposed{Event: run.Event, Count: int(count)})
		}
	}
	if len(known) == 0 {
		return 0
	}
	g, err := accounting.Unchecked(ratios).EpsilonAt(accounting.Composed{Events: known}, delta)
	if err != nil {
		return 0
	}
	return g.Epsilon.Lower
}

// raised returns an interval with the lower end of below if that is larger. Only wide intervals are
// raised. The grid has few outcomes of an attack on a short period, and may show nothing.
func (a Accountant) raised(event accounting.Node, delta float64, known accounting.Interval) accounting.Interval {
	const near = 0.9
	if known.HasLower && known.Lower >= near*known.Upper {
		return known
	}
	lower := a.below(event, delta)
	if !(lower > known.Lower && lower <= known.Upper) {
		return known
	}
	return accounting.Certified(lower, math.Max(lower, known.Estimate), known.Upper)
}
