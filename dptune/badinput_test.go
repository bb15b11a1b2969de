package dptune_test

import (
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// A space without a value is an error of every way to begin: before a price, a plan or a run.
func TestEmptySpace(t *testing.T) {
	const want = "dptune: Grid is empty: must hold at least one value"
	for name, prior := range map[string]dptune.Prior[float64]{
		"nothing": dptune.Grid[float64]{}, "ends exchanged": dptune.LogGrid(2, 1, 5), "a cross with nothing": dptune.Cross(dptune.LogGrid(1, 2, 5), dptune.Grid[int]{}, func(a float64, _ int) float64 { return a }),
	} {
		search := planned(t, 5, law.Fixed{Count: 3})
		search.Prior = prior
		_, price := search.Price()
		_, plan := search.Plan(dptune.Budget{})
		_, run := search.Run(t.Context(), streams.Fixed("empty"))
		for _, err := range []error{price, plan, run} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
	}
}
