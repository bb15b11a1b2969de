package threshold_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// The pair costs what the search costs by its other bounds, and little more. Two searches whose
// thresholds get new noise at each positive have the theorem of one search with twice the tests and
// positives. So two pairs cost little more than that search.
func TestDominatingPair(t *testing.T) {
	const delta = 1e-6
	for _, tests := range []threshold.Event{
		{Sensitivity: 1, ThresholdNoise: 20, ScoreNoise: 40, MaxTests: 8, MaxPositives: 4, Refresh: threshold.EachPositive},
		{Sensitivity: 1, ThresholdNoise: 60, ScoreNoise: 300, MaxTests: 90, MaxPositives: 50, Refresh: threshold.EachPositive},
		{Sensitivity: 1, ThresholdNoise: 60, ScoreNoise: 300, MaxTests: 90, MaxPositives: 50, Refresh: threshold.EachPositive, Noise: threshold.Exponential},
	} {
		pair, err := threshold.DominatingPair(tests, delta/2)
		if err != nil {
			t.Fatal(err)
		}
		for count := 1; count <= 2; count++ {
			g, err := pld.NewAccountant().EpsilonAt(accounting.SelfComposed{Event: pair, Count: count}, delta)
			if err != nil {
				t.Fatal(err)
			}
			whole := tests
			whole.MaxTests, whole.MaxPositives = count*tests.MaxTests, count*tests.MaxPositives
			price, err := threshold.PriceAt(whole, nil, delta)
			if err != nil {
				t.Fatal(err)
			}
			got, want := g.Epsilon.Upper, price.Guarantee.Epsilon.Upper
			if count == 1 && got < want*(1-1e-6) || got > want*1.02 {
				t.Errorf("%d x %v: ε %.9g of the pair, want %.9g and at most 2 %% more", count, tests, got, want)
			}
		}
	}
	if _, err := threshold.DominatingPair(threshold.Event{}, delta); err == nil {
		t.Error("no error for an invalid search")
	}
	if _, err := threshold.DominatingPair(threshold.Event{Sensitivity: 1, ThresholdNoise: 20, ScoreNoise: 40, MaxTests: 8, MaxPositives: 4, Refresh: threshold.Once}, 1); err == nil {
		t.Error("no error at δ = 1")
	}
}
