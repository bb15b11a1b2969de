package adaptive_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/internal/certificate/laws/lawof"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

func Example() {
	logarithmic, err := law.Logarithmic(10)
	if err != nil {
		panic(err)
	}
	for _, most := range []float64{1, 1.25, 2} {
		tuning := adaptive.Event{Law: logarithmic, Base: accounting.Gaussian{NoiseMultiplier: 1}, Least: 1 / most, Most: most}
		price, err := adaptive.PriceAt(tuning, 1e-5)
		if err != nil {
			panic(err)
		}
		fmt.Printf("densities up to %.2f: ε = %s\n", most, accounting.FormatUpper(price.Guarantee.Epsilon.Upper))
	}
	// Output:
	// densities up to 1.00: ε = 6.0815
	// densities up to 1.25: ε = 6.8948
	// densities up to 2.00: ε = 8.6372
}

// Prices of drawn events are finite and shown in intervals. Each kind of bound is the least of
// some.
func TestPricesAreShown(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 5))
	cases := 120
	if testing.Short() {
		cases = 30
	}
	names, unshown := map[string]int{}, 0
	for range cases {
		l, s := enumerate.Laws[rng.IntN(len(enumerate.Laws))], math.Exp(rng.NormFloat64())
		base := []accounting.Event{accounting.Gaussian{NoiseMultiplier: s}, accounting.Laplace{NoiseMultiplier: s}, accounting.ZCDP{Rho: 1 / s}, accounting.PureDP{Epsilon: 1 / s}}[rng.IntN(4)]
		e := adaptive.Event{Law: l, Base: base, Least: math.Exp(-rng.ExpFloat64()), Most: math.Exp(rng.ExpFloat64())}
		delta := math.Pow(10, -2-8*rng.Float64())
		price, err := adaptive.PriceAt(e, delta)
		if err != nil {
			t.Fatal(err)
		}
		epsilon := price.Guarantee.Epsilon.Upper
		if !(epsilon > 0) || math.IsInf(epsilon, 1) {
			t.Errorf("%v at δ = %g: ε = %g", e, delta, epsilon)
		}
		name, _, _ := strings.Cut(price.Least().Name, ",")
		names[name]++
		if c := price.Guarantee.Certificate; c == nil {
			unshown++
			t.Logf("%v at δ = %g has no certificate: %v", e, delta, price.Guarantee.Warnings)
		} else if c.Epsilon != epsilon || c.DeltaUpper > delta {
			t.Errorf("%v: the certificate is of ε %g and δ %g: want %g and %g", e, c.Epsilon, c.DeltaUpper, epsilon, delta)
		}
	}
	t.Log("the least bound:", names)
	if unshown > cases/20 {
		t.Errorf("%d of %d prices have no certificate", unshown, cases)
	}
	for _, name := range []string{"pointwise", "RDP", "published runs", "composition"} {
		if names[name] == 0 && !testing.Short() {
			t.Errorf("%q was never the least: remove it, or draw cases that need it", name)
		}
	}
}

// A claim that is right for narrow densities is not shown for wider ones, nor at an ε that is a
// little lower.
func TestCheckRefusesNarrowerClaims(t *testing.T) {
	l, delta := law.Law(law.TNB{Eta: 0, Gamma: 0.03}), 1e-5
	run, err := baserun.New(accounting.Gaussian{NoiseMultiplier: 1})
	if err != nil {
		t.Fatal(err)
	}
	known := ranks.Around(run, delta/20)[0]
	inside, err := lawof.Interval(l)
	if err != nil {
		t.Fatal(err)
	}
	shown := func(claimed, least, most, raise float64) bool {
		found := known.Proposed(l.Distribution(), claimed, 1/claimed)
		given := selected.NewRun(known.Known())
		inner := selected.Pointwise(inside, given.Proposed(least, most), given, selected.Claim{Slopes: found.Slopes, Weights: found.Weights}, delta/most)
		got, _ := selected.Proposals(inner, least, most)(found.EpsilonAt(delta)*raise, 1e-6)
		return got <= delta*(1+1e-5)
	}
	for _, c := range []struct {
		claimed, least, most, raise float64
		want                        bool
	}{{0.5, 0.5, 2, 1, true}, {0.5, 0.6, 1.6, 1, true}, {0.5, 0.49, 2, 1, false}, {0.5, 0.5, 2.02, 1, false}, {0.5, 0.5, 2, 1 - 1e-4, false}, {1, 0.9, 1.1, 1, false}} {
		if got := shown(c.claimed, c.least, c.most, c.raise); got != c.want {
			t.Errorf("claim for densities from %g, at %g of its ε, checked for %g to %g: shown is %v, want %v", c.claimed, c.raise, c.least, c.most, got, c.want)
		}
	}
}

// The price rises with the freedom, and the default accountant has it. Two tunings and a
// training compose by the pair.
func TestAccountant(t *testing.T) {
	l, err := law.Geometric(5)
	if err != nil {
		t.Fatal(err)
	}
	base, delta := accounting.Gaussian{NoiseMultiplier: 4}, 1e-5
	plain, err := selection.EventAt(selection.BestOf{Law: l, Base: base}, delta)
	if err != nil {
		t.Fatal(err)
	}
	before := plain.Guarantee.Epsilon.Upper * (1 - 1e-3)
	for _, most := range []float64{1, 1.01, 1.1, 1.5, 3, 10} {
		event := adaptive.Event{Law: l, Base: base, Least: 1 / most, Most: most}
		price, err := adaptive.PriceAt(event, delta)
		if err != nil {
			t.Fatal(err)
		}
		epsilon := price.Guarantee.Epsilon.Upper
		if epsilon < before {
			t.Errorf("densities up to %g: ε %g, below %g of less freedom", most, epsilon, before)
		}
		before = epsilon
		got, err := auto.NewAccountant().EpsilonAt(event, delta)
		if err != nil || math.Abs(got.Epsilon.Upper-epsilon) > 1e-9*epsilon {
			t.Errorf("auto has ε %v, %v: want %g", got, err, epsilon)
		}
	}
	event := adaptive.Event{Law: l, Base: base, Least: 0.8, Most: 1.2}
	one, err := adaptive.PriceAt(event, delta)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := auto.NewAccountant().EpsilonAt(accounting.Composed{Events: []accounting.Event{event, event, base}}, delta)
	if err != nil {
		t.Fatal(err)
	}
	if low, high := one.Guarantee.Epsilon.Upper, 2*one.Guarantee.Epsilon.Upper; !(twice.Epsilon.Upper > low && twice.Epsilon.Upper < high) {
		t.Errorf("two tunings and a release cost %g: want between one and two tunings, %g and %g", twice.Epsilon.Upper, low, high)
	}
}

func TestBadInput(t *testing.T) {
	l, base := law.Poisson{MeanRepeats: 3}, accounting.Gaussian{NoiseMultiplier: 1}
	for _, c := range []struct {
		event adaptive.Event
		want  string
	}{
		{adaptive.Event{Base: base, Least: 0.5, Most: 2}, "adaptive: Event.Law is nil: must be a law"},
		{adaptive.Event{Law: l, Least: 0.5, Most: 2}, "adaptive: Event.Base is nil: must be an event"},
		{adaptive.Event{Law: l, Base: base, Most: 2}, "adaptive: Event.Least 0: must be in [1e-06, 1]"},
		{adaptive.Event{Law: l, Base: base, Least: 1.5, Most: 2}, "adaptive: Event.Least 1.5: must be in [1e-06, 1]"},
		{adaptive.Event{Law: l, Base: base, Least: 0.5, Most: 0.9}, "adaptive: Event.Most 0.9: must be in [1, 1e+06]"},
		{adaptive.Event{Law: l, Base: base, Least: math.NaN(), Most: math.Inf(1)}, "adaptive: Event.Least NaN: must be in [1e-06, 1]\nadaptive: Event.Most +Inf: must be in [1, 1e+06]"},
	} {
		if _, err := adaptive.PriceAt(c.event, 1e-5); err == nil || err.Error() != c.want {
			t.Errorf("%v: error %v, want %s", c.event, err, c.want)
		}
	}
	if _, err := adaptive.PriceAt(adaptive.Event{Law: l, Base: base, Least: 0.5, Most: 2}, 0); err == nil {
		t.Error("δ = 0 is priced")
	}
}
