package dptune_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
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

// If every run fails, one of them is released all the same: that none was good is about the data, and only an outcome by the law of the
// search may tell it. Each of the two choices is as likely: of 100 searches of two runs, 50 ± 25 release the first, which is 5
// standard deviations, exceeded with a chance of 6e-7.
func TestNaNForAll(t *testing.T) {
	first := 0
	for i := range 100 {
		search := dptune.Search[string, string]{
			Law: law.Fixed{Count: 2}, Prior: dptune.Grid[string]{"first", "second"}, Delta: 1e-5, Unit: "one record", Default: "none",
			Candidate: dptune.Each(accounting.Gaussian{NoiseMultiplier: 5}, func(_ context.Context, h string, _ streams.Root) (dptune.Outcome[string], error) {
				return dptune.Outcome[string]{Output: h, Score: math.NaN()}, nil
			}),
		}
		release, err := search.Run(t.Context(), streams.Fixed("NaN").Child(string(rune(i))))
		if err != nil || release.Empty || release.Output != release.Hyperparameters || release.Output == "none" {
			t.Fatalf("release %+v, error %v", release, err)
		}
		if release.Output == "first" {
			first++
		}
	}
	if first < 25 || first > 75 {
		t.Errorf("the first choice is released %d times of 100, want 50 ± 25", first)
	}
}
