package engine

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
)

// checkGrid returns an error if the sums of an integer release may not be exact, or if the plan has
// canaries that are not integers.
func (t *Replicas) checkGrid() error {
	if !t.plan.onGrid() {
		return nil
	}
	exact, precision := exactIntegers(t.perf.Precision), "Float32"
	if t.perf.Precision == Float64 {
		precision = "Float64"
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

// exactIntegers returns the largest n such that a type holds all whole numbers up to n.
func exactIntegers(precision Precision) int {
	if precision == Float64 {
		return 1 << 53
	}
	return 1 << 24
}

// mostOnGrid returns the largest microbatch whose sums are exact in an integer release, and the
// largest int for other runs.
func (p prepared) mostOnGrid(precision Precision) int {
	most := math.MaxInt
	for _, c := range p.Replicas {
		if c.UnitsPerClip > 0 {
			most = min(most, exactIntegers(precision)/c.UnitsPerClip)
		}
	}
	return most
}
