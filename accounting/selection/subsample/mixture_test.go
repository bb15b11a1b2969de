package subsample_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// A that moves a little mass far, and B that shifts all of it: the direction without the
// record on top is then the one that can fail.
func TestMixtureOfUnlikeFates(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range 100 {
		rest := enumerate.Normalized([]float64{rng.Float64(), rng.Float64(), rng.Float64(), 0.02 * rng.Float64()})
		moved := append([]float64{}, rest...)
		moved[0] += moved[3] * 0.99
		moved[3] *= 0.01
		shifted := shaken(rng, rest, 1.5)
		rate := rng.Float64()
		truth := enumerate.Of(enumerate.Mixed(rate, shifted, moved), rest)
		for _, delta := range []float64{3e-4, 3e-3} {
			epsilon := subsample.MixtureEpsilon(rate, delta, worstEpsilon([]enumerate.Pair{enumerate.Of(moved, rest)}), worstEpsilon([]enumerate.Pair{enumerate.Of(shifted, rest)}))
			if exact := truth.Delta(epsilon); exact > delta*(1+1e-9) {
				t.Errorf("case %d, rate %g: ε %g at δ %g: the exact δ there is %.12g", i, rate, epsilon, delta, exact)
			}
		}
	}
}

// Two fates of one cost mix to that cost; a free fate amplifies as sampling does, by
// Theorem 8 of Balle, Barthe, Gaboardi (2018): ln(1+q(e^ε-1)) at qδ.
func TestMixtureOfConstantFates(t *testing.T) {
	constant := func(epsilon float64) func(float64) float64 {
		return func(float64) float64 { return epsilon }
	}
	if got := subsample.MixtureEpsilon(0.3, 1e-5, constant(2), constant(2)); math.Abs(got-2) > 1e-12 {
		t.Errorf("two fates of ε 2: %g: want 2", got)
	}
	if got, want := subsample.MixtureEpsilon(0.3, 1e-5, constant(2), constant(0)), math.Log1p(0.3*math.Expm1(2)); math.Abs(got-want) > 1e-12 {
		t.Errorf("a free fate: %.15g: want %.15g", got, want)
	}
	if got := subsample.MixtureEpsilon(0.3, 1e-5, constant(math.Inf(1)), constant(0)); !math.IsInf(got, 1) {
		t.Errorf("a fate without a bound: %g: want +Inf", got)
	}
}
