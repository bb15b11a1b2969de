package selection

import (
	"math"
	"testing"
)

// The chances of a law add up to 1, so that the sum of what was computed shows its rounding:
// with thousands of noises ln Γ loses more digits than with few.
func TestRoundingOfThresholdWeightsIsCovered(t *testing.T) {
	for _, tests := range []int{1, 10, 100, 900} {
		e := AboveThreshold{Sensitivity: 1, ThresholdNoise: 20, ScoreNoise: 40, MaxTests: tests, MaxPositives: 1, Refresh: EachTest}
		law, ok := e.losses(1e-15)
		if !ok {
			t.Fatalf("%d tests: too many losses", tests)
		}
		sum := law.tail
		for _, w := range law.weight {
			sum += w
		}
		if off := math.Abs(sum - 1); !(off <= law.rounding+law.tail) {
			t.Errorf("%d tests: chances add up to 1 %+.3g (they must to 1, being all), more than the rounding %.3g that is stated", tests, sum-1, law.rounding)
		}
	}
	if one, many := chanceRounding(1), chanceRounding(30_000); !(many > 1e-10 && many < 1e-8 && one < 2e-11) {
		t.Errorf("roundings %g and %g of 1 and 30,000: ln 30,000! is 2.8e5, whose last place is 5.8e-11, so that the second must be above 1e-10", one, many)
	}
}
