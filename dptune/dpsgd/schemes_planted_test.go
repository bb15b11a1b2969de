//go:build planted

package dpsgd

import (
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd/planted"
	"github.com/dplab/dplab/dptune/streams"
)

// Every planted scheme that is not the allocation fails the test of its law that is for it.
func TestPlantedAllocationsFailTheirTest(t *testing.T) {
	defer planted.Plant(planted.NoBug)
	for bug, want := range map[planted.Bug]string{
		planted.PlacesKept:        "places of two periods are independent",
		planted.EqualSizes:        "sizes vary like multinomial ones",
		planted.TwoPlaces:         "each example once a period",
		planted.PlacesOfCutPeriod: "a cut period has its share of the examples",
		planted.PlacesEachStep:    "each example once a period",
	} {
		planted.Plant(bug)
		if faults := allocationFaults(t, RandomAllocation{Period: allocatedTo}, streams.Fixed("planted")); !faults[want] {
			t.Errorf("%s: not found by %q, but by %v", bug, want, faults)
		}
	}
}

// A cut that keeps the first examples fails the test of its law.
func TestPlantedCutFailsItsTest(t *testing.T) {
	planted.Plant(planted.FirstKept)
	defer planted.Plant(planted.NoBug)
	if squares := subsets(t, 40000); squares < 1000 {
		t.Errorf("χ² of the subsets %.1f, want at least 1000", squares)
	}
}
