package pld_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
)

// each asks a profile one by one.
func each(profile func(epsilon float64) float64) func([]float64) []float64 {
	return func(epsilons []float64) []float64 {
		deltas := make([]float64, len(epsilons))
		for i, e := range epsilons {
			deltas[i] = profile(e)
		}
		return deltas
	}
}

// The pair of a profile costs what the profile says at every size of ε, and claims no lower end.
func TestPairAboveIsTheProfile(t *testing.T) {
	gaussian := func(mu float64) func(float64) float64 {
		return func(epsilon float64) float64 {
			d, err := gdp.DeltaAt(mu, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			return d.Upper
		}
	}
	// One Rényi order, 200, with a divergence of 0.05, and far out a tail that falls slowly: where
	// the last value that counts is says nothing of where the first one is.
	bent := func(epsilon float64) float64 {
		return math.Min(1, math.Max(math.Exp(199*(0.05-epsilon)), 1e-8*math.Exp(-epsilon/4)))
	}
	for name, c := range map[string]struct {
		profile func(float64) float64
		delta   float64
		want    float64
	}{
		"µ = 1":           {gaussian(1), 1e-5, 4.377178095681137},
		"µ = 1, small δ":  {gaussian(1), 1e-12, epsilonOfGaussian(t, 1, 1e-12)},
		"µ = 10":          {gaussian(10), 1e-5, epsilonOfGaussian(t, 10, 1e-5)},
		"µ = 0.01":        {gaussian(0.01), 1e-5, epsilonOfGaussian(t, 0.01, 1e-5)},
		"pure, ε = 1":     {func(e float64) float64 { return math.Max(0, (math.E-math.Exp(e))/(1+math.E)) }, 1e-5, numeric.Log(math.E - 1e-5*(1+math.E))},
		"a bent profile":  {bent, 1e-5, 0.05 + numeric.Log(1e5)/199},
		"what may show":   {func(e float64) float64 { return math.Max(1e-7, gaussian(1)(e)) }, 1e-5, 4.377178095681137},
		"nothing but TV":  {func(float64) float64 { return 1e-6 }, 1e-5, 0},
		"no profile left": {func(float64) float64 { return 1e-5 }, 1e-5, math.Inf(1)},
	} {
		if testing.Short() && (strings.HasPrefix(name, "µ = 1,") || name == "µ = 10" || name == "µ = 0.01") {
			continue
		}
		pair, err := pld.PairAbove(c.delta, each(c.profile))
		if math.IsInf(c.want, 1) {
			if !errors.Is(err, pld.ErrNoProfile) {
				t.Errorf("%s: %v, want ErrNoProfile", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		width := math.Max(1e-6, 1e-3*c.want)
		g, err := pld.Accountant{Width: width}.EpsilonAt(pair, c.delta)
		if err != nil || g.Epsilon.HasLower || !(g.Epsilon.Upper >= c.want*(1-1e-9) && g.Epsilon.Upper <= c.want*(1+1e-3)+width) {
			t.Errorf("%s: %v, %v, want <= %.7g", name, g.Epsilon, err, c.want)
		}
		epsilons := []float64{0, c.want / 2, c.want, 2 * c.want}
		if testing.Short() {
			epsilons = epsilons[1:3]
		}
		for _, epsilon := range epsilons {
			d, err := pld.Accountant{Width: width}.DeltaAt(pair, epsilon)
			want := c.profile(epsilon)
			if name == "a bent profile" && epsilon < c.want { // near 0 that is above what any mechanism has
				want = 0
			}
			if err != nil || d.HasLower || !(d.Upper >= want*(1-1e-9)) {
				t.Errorf("%s: δ(%g) %v, %v, want at least %g", name, epsilon, d, err, want)
			}
		}
	}
	if _, err := pld.PairAbove(0, each(gaussian(1))); err == nil {
		t.Error("δ = 0: must be refused")
	}
}

func epsilonOfGaussian(t *testing.T, mu, delta float64) float64 {
	t.Helper()
	e, err := gdp.EpsilonAt(mu, delta)
	if err != nil {
		t.Fatal(err)
	}
	return e.Upper
}

// Mechanisms with a few outputs, enumerated: composed, on a sample, and both, they leak no more
// than the pair of their profile does.
func TestPairAboveAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 7))
	nearest := 0.0
	for i := range 30 {
		run := enumerate.DrawnPair(rng, 2+i%3, []float64{0.3, 1, 2}[i%3])
		rate := []float64{1, 0.4, 0.05}[i/3%3]
		const delta = 1e-3
		pair, err := pld.PairAbove(delta, each(run.Delta))
		if err != nil {
			t.Fatal(err)
		}
		sampled := enumerate.Of(enumerate.Mixed(rate, run.Q, run.P), run.Q)
		g, err := pld.NewAccountant().EpsilonAt(accounting.SelfComposed{Count: 2, Event: accounting.PoissonSampled{SamplingRate: rate, Event: pair}}, delta)
		if err != nil {
			t.Fatal(err)
		}
		exact := enumerate.Product(sampled, sampled).Delta(g.Epsilon.Upper)
		if exact > delta*(1+1e-9) {
			t.Errorf("case %d, q = %g: δ(%v) is %g, above %g", i, rate, g.Epsilon, exact, delta)
		}
		nearest = math.Max(nearest, exact/delta)
	}
	if nearest < 0.5 {
		t.Errorf("the nearest exact δ is %.3g of the bound's: the cases do not try it", nearest)
	}
}

// A pair is above its profile where that one ends at an ε next to 0. Pure differential privacy has
// ∫ (P - xQ')₊ = (e^ε - x)/(1 + e^ε) up to x = e^ε (Kairouz, Oh, Viswanath 2015, Theorem 3.3).
// The pair's is summed exactly. With x = e^ε rounded to the nearest, it had less than half of it at
// ε = 1e-14, and 7e-17 too small an ε at others.
func TestPairAboveNextToZero(t *testing.T) {
	for _, end := range []float64{1e-17, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6, 1e-3, 0.1, 1} {
		whole := math.Expm1(end)
		pair, err := pld.PairAbove(end/100, func(epsilons []float64) []float64 {
			deltas := make([]float64, len(epsilons))
			for i, e := range epsilons {
				deltas[i] = math.Max(0, (whole-math.Expm1(e))/(2+whole))
			}
			return deltas
		})
		if err == nil {
			err = pair.Validate()
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range 401 {
			beyond := whole * float64(i) / 400 // x - 1
			want := (whole - beyond) / (2 + whole)
			if got := hockeyStick(pair, beyond); got < want-4*0x1p-53*whole {
				t.Errorf("ε %g: ∫ (P - xQ)₊ = %g at x = 1 + %g, want at least %g", end, got, beyond, want)
			}
		}
	}
}

// hockeyStick returns ∫ (P - xQ)₊ at x = 1 + beyond, of exact differences.
func hockeyStick(pair pld.DiscretePair, beyond float64) float64 {
	sum := new(big.Float).SetPrec(300)
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	x := exact(beyond)
	x.Add(x, exact(1))
	for i, p := range pair.With {
		if more := exact(pair.Without[i]); more.Sub(exact(p), more.Mul(more, x)).Sign() > 0 {
			sum.Add(sum, more)
		}
	}
	got, _ := sum.Float64()
	return got
}
