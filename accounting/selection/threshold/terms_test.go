package threshold

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// What the law of losses leaves out counts as δ: a law that is cut early gives at least the δ of
// one that is cut late.
func TestTailOfLossesCounts(t *testing.T) {
	e := Event{Sensitivity: 1, ThresholdNoise: 4, ScoreNoise: 4, MaxTests: 5, MaxPositives: 3, Refresh: EachTest}
	early, ok := e.losses(0.1)
	late, more := e.losses(1e-30)
	if !ok || !more || len(early.loss) >= len(late.loss) {
		t.Fatalf("%d and %d losses, %v, %v: want fewer", len(early.loss), len(late.loss), ok, more)
	}
	for epsilon := 0.0; epsilon < 3; epsilon += 0.25 {
		if got, want := early.delta(epsilon, noTraining), late.delta(epsilon, noTraining); !(got >= want) {
			t.Errorf("ε %g: δ %.9g of a law without %g of its mass, want at least %.9g", epsilon, got, early.tail, want)
		}
	}
}

// The profile of a training at negative ε, which a loss above ε asks for: Balle and Wang (2018),
// Theorem 8, holds there too.
func TestProfileBelowZero(t *testing.T) {
	exact := func(x float64) float64 {
		return numeric.NormalCDF(0.5-x) - math.Exp(x)*numeric.NormalCDF(-0.5-x)
	}
	bound, _ := hockeyStickOf(baserun.Source{DeltaAt: exact}, 8)
	for _, x := range []float64{-5, -2, -1, -0.1, 0, 0.1, 1, 3} {
		if got, want := bound(x), exact(x); !(got >= want*(1-1e-12) && got <= want*1.01) {
			t.Errorf("ε %g of a Gaussian with µ = 1: %.12g, want just above %.12g", x, got, want)
		}
	}
}
