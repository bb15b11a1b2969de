package intersected

import (
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
