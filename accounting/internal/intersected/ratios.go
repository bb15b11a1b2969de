package intersected

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/lratio"
)

// ratios returns the accountant of likelihood ratios for an event with a random allocation. Other
// events are priced in less time by contour. Without checks its intervals may be coarse, because a
// calibration or a selection then asks for many.
func (a Accountant) ratios(event accounting.Node) (lratio.Accountant, bool) {
	if !event.Contains(func(n accounting.Node) bool { _, ok := n.Event.(accounting.RandomAllocation); return ok }) {
		return lratio.Accountant{}, false
	}
	ratios := lratio.Accountant{Relation: a.Neighboring()}
	if a.NoChecks {
		ratios.Width = coarseRatios
	}
	return ratios, true
}

// coarseRatios is the width of a coarse interval relative to ε.
const coarseRatios = 1e-3

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
	g, err := ratios.EpsilonAt(accounting.Composed{Events: known}, delta)
	if err != nil {
		return 0
	}
	return g.Epsilon.Lower
}
