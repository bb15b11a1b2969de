package engine

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

// checkGrid returns an error if the sums of an integer release may not be exact, or if the plan has
// canaries that are not integers.
func (t *Replicas) checkGrid() error {
	if !t.plan.onGrid() {
		return nil
	}
	exact, precision := 1<<24, "Float32"
	if t.perf.Precision == Float64 {
		exact, precision = 1<<53, "Float64"
	}
	faults := check.In("engine: ")
	for r, c := range t.plan.Replicas {
		most := exact / c.UnitsPerClip
		faults.That(t.perf.Microbatch <= most, fmt.Sprintf("Performance.Microbatch * Plan.Replicas[%d].UnitsPerClip", r), t.perf.Microbatch*c.UnitsPerClip,
			fmt.Sprintf("must be at most %d, the whole numbers that %s adds exactly; use a Microbatch of at most %d", exact, precision, most))
	}
	faults.That(!t.plan.hasCraftedGradient(), "Plan.Replicas[0].UnitsPerClip", t.plan.Replicas[0].UnitsPerClip,
		"must be 0 with canaries that are gradients, because they are not on the grid; use examples as canaries")
	return faults.Err()
}
