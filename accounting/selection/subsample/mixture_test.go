package subsample_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
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

// A price is never above that of the whole mixture, which is left out only where another bound
// is lower. The cases have both kinds.
func TestMixtureIsLeftOutWhereItLoses(t *testing.T) {
	laws, rates, sigmas := enumerate.Laws, []float64{0.01, 0.1, 0.5}, []float64{0.8, 3}
	if testing.Short() {
		laws, rates = []law.Law{law.Poisson{MeanRepeats: 60}, law.TNB{Eta: 0, Gamma: 0.03}, law.Fixed{Count: 7}, law.PMF{Weights: []float64{0, 0.5, 0.25, 0.25}}}, rates[1:]
	}
	out, won := 0, 0
	for _, l := range laws {
		for i, rate := range rates {
			for _, sigma := range sigmas {
				run := accounting.Gaussian{NoiseMultiplier: sigma}
				event := subsample.Event{TuningRate: rate, Variant: subsample.RestOfData, Tuning: selection.BestOf{Law: l, Base: run}, Training: run}
				if i%2 == 1 {
					event.Variant = subsample.AllData
				}
				price, err := subsample.PriceAt(event, 1e-5)
				if err != nil {
					t.Fatal(err)
				}
				whole, err := subsample.WholeMixture(event, 1e-5)
				if err != nil {
					t.Fatal(err)
				}
				if got := price.Least().Epsilon; got > whole {
					t.Errorf("%v, rate %g, σ %g, %v: %s costs %.12g, the mixture %.12g", l, rate, sigma, event.Variant, price.Least().Name, got, whole)
				}
				listed := slices.ContainsFunc(price.Bounds, func(b accounting.Bound) bool { return b.Name == "mixture" })
				switch {
				case !listed:
					out++
				case price.Least().Name == "mixture":
					won++
				}
			}
		}
	}
	t.Logf("left out %d times, the least %d times", out, won)
	if out == 0 || won == 0 {
		t.Errorf("left out %d times, the least %d times: the cases say little", out, won)
	}
}
