package pld_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/pld"
)

// bound lists a profile as an event.
func bound(t *testing.T, profile func(epsilon float64) float64) accounting.ProfileBound {
	t.Helper()
	e, err := accounting.NewProfileBound("mine", profile)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func gaussianProfile(t *testing.T, mu float64) func(float64) float64 {
	return func(epsilon float64) float64 {
		d, err := gdp.DeltaAt(mu, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		return d.Upper
	}
}

// The profile of a Gaussian costs what the Gaussian costs, and little more, at every size of δ. The
// entries next to ε = 0 differ by the rounding of their δ: slopes from them were off by a
// thousandth, and ε was too low.
func TestProfileBoundOfGaussian(t *testing.T) {
	for _, mu := range []float64{0.01, 0.1, 1, 10, 20} {
		event := bound(t, gaussianProfile(t, mu))
		for _, c := range []struct{ delta, above float64 }{{0.1, 1e-4}, {1e-5, 1e-5}, {1e-12, 1e-5}, {1e-50, 2e-4}} {
			want := epsilonOfGaussian(t, mu, c.delta)
			g, err := pld.NewAccountant().EpsilonAt(event, c.delta)
			if err != nil || g.Epsilon.HasLower || !(g.Epsilon.Upper >= want*(1-1e-9)) || g.Epsilon.Upper > want*(1+c.above) {
				t.Errorf("µ = %g, δ = %g: %v, %v, want <= %.9g or little more", mu, c.delta, g.Epsilon, err, want)
			}
			if g.Certificate == nil || len(g.Certificate.Given) != 1 || !strings.Contains(g.Certificate.Given[0], `ProfileBound("mine"`) {
				t.Errorf("µ = %g, δ = %g: certificate %+v", mu, c.delta, g.Certificate)
			}
			d, err := pld.NewAccountant().DeltaAt(event, want)
			if err != nil || d.HasLower || !(d.Upper >= c.delta*(1-1e-6)) && want > 0 {
				t.Errorf("µ = %g: δ(%g) %v, %v, want at least %g", mu, want, d, err, c.delta)
			}
		}
	}
}

// In compositions and on samples the profile of a Gaussian costs at least the lower end of the
// Gaussian's price, and little more than its upper end.
func TestProfileBoundInCompositions(t *testing.T) {
	gaussian, laplace := accounting.Gaussian{NoiseMultiplier: 1}, accounting.Laplace{NoiseMultiplier: 2}
	known := bound(t, gaussianProfile(t, 1))
	for name, c := range map[string]struct {
		relation accounting.Neighboring
		of       func(accounting.Event) accounting.Event
		more     float64 // than the Gaussian's upper end
	}{
		"ten times": {0, func(e accounting.Event) accounting.Event { return accounting.SelfComposed{Event: e, Count: 10} }, 0.02},
		"samples": {0, func(e accounting.Event) accounting.Event {
			return accounting.SelfComposed{Count: 200, Event: accounting.PoissonSampled{SamplingRate: 0.05, Event: e}}
		}, 0.02},
		"beside others": {accounting.ReplaceSpecial, func(e accounting.Event) accounting.Event {
			return accounting.Composed{Events: []accounting.Event{e, laplace, e}}
		}, 0.02},
		"shown samples": {accounting.ReplaceOne, func(e accounting.Event) accounting.Event {
			return accounting.SelfComposed{Count: 20, Event: accounting.PoissonSampled{SamplingRate: 0.05, Event: e}}
		}, 0.02},
		"samples of fixed size": {accounting.ReplaceOne, func(e accounting.Event) accounting.Event {
			return accounting.SelfComposed{Count: 20, Event: accounting.SampledWithoutReplacement{SampleSize: 5, PopulationSize: 100, Event: e}}
		}, 0.02},
	} {
		a := pld.Accountant{Relation: c.relation}
		want, err := a.EpsilonAt(c.of(gaussian), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.EpsilonAt(c.of(known), 1e-5)
		if err != nil || got.Epsilon.HasLower || !(got.Epsilon.Upper >= want.Epsilon.Lower) || got.Epsilon.Upper > want.Epsilon.Upper+c.more {
			t.Errorf("%s: %v, %v, want about %v", name, got.Epsilon, err, want.Epsilon)
		}
		for _, w := range got.Warnings {
			if strings.Contains(w.Error(), "[") {
				t.Errorf("%s: a lower end is printed: %v", name, w)
			}
		}
		if a.Neighboring() != accounting.ReplaceOne && got.Certificate == nil {
			t.Errorf("%s: no certificate, %v", name, got.Warnings)
		}
		epsilons := []float64{0, 1, got.Epsilon.Upper}
		deltas, err := a.DeltasAt(c.of(known), epsilons)
		if err != nil || !(deltas[2].Upper <= 1e-5*1.2) {
			t.Errorf("%s: δ %v, %v, want about 1e-5", name, deltas, err)
		}
	}
}

// Where the grid is too coarse, and where masses underflow, the price is at least the truth. A
// warning of a wide interval does not print the lower end of the stand-in.
func TestProfileBoundAtTheEnds(t *testing.T) {
	small := accounting.SelfComposed{Count: 2, Event: bound(t, gaussianProfile(t, 0.01))}
	g, err := pld.Accountant{Width: 1e-9, MaxGrid: 1 << 12}.EpsilonAt(small, 1e-100)
	if want := epsilonOfGaussian(t, 0.01*math.Sqrt2, 1e-100); err != nil || !(g.Epsilon.Upper >= want) || g.Epsilon.HasLower {
		t.Errorf("%v, %v, want at least %g", g, err, want)
	}
	wide := slices.ContainsFunc(g.Warnings, func(w error) bool { return errors.Is(w, pld.ErrWide) })
	if !wide || slices.ContainsFunc(g.Warnings, func(w error) bool { return strings.Contains(w.Error(), "[") }) {
		t.Errorf("warnings %v, want that of a wide interval, without a lower end", g.Warnings)
	}
	for _, mu := range []float64{1, 10} {
		event := bound(t, gaussianProfile(t, mu))
		for exponent := -150.0; exponent >= -300; exponent -= 2 {
			delta := math.Pow(10, exponent)
			g, err := pld.NewAccountant().EpsilonAt(event, delta)
			if want := epsilonOfGaussian(t, mu, delta); err != nil || !(g.Epsilon.Upper >= want*(1-1e-9)) {
				t.Errorf("µ = %g, δ = %g: %v, %v, want at least %g", mu, delta, g, err, want)
			}
		}
	}
}

// Mechanisms with a few outputs, enumerated: composed and on a sample, they leak no more than the
// bound of their profile does. Listed profiles may have few entries, and their chords hold then.
func TestProfileBoundAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 5))
	nearest := 0.0
	for i := range 24 {
		run := enumerate.DrawnPair(rng, 2+i%3, []float64{0.3, 1, 2}[i%3])
		rate := []float64{1, 0.4, 0.05}[i/3%3]
		both := func(epsilon float64) float64 {
			return math.Min(1, math.Max(run.Delta(epsilon), enumerate.Of(run.Q, run.P).Delta(epsilon))*(1+1e-12))
		}
		event := bound(t, both)
		if i%2 == 1 { // few entries, and not 0
			event = accounting.ProfileBound{Epsilons: []float64{0.1, 0.2, 0.5, 3}}
			for _, epsilon := range event.Epsilons {
				event.Deltas = append(event.Deltas, both(epsilon))
			}
		}
		const delta = 1e-2
		g, err := pld.NewAccountant().EpsilonAt(accounting.SelfComposed{Count: 2, Event: accounting.PoissonSampled{SamplingRate: rate, Event: event}}, delta)
		if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(g.Epsilon.Upper, 1) {
			continue // the last entry is above δ
		}
		for _, laws := range [][2][]float64{{enumerate.Mixed(rate, run.Q, run.P), run.Q}, {enumerate.Mixed(rate, run.P, run.Q), run.P}} {
			for _, order := range []enumerate.Pair{enumerate.Of(laws[0], laws[1]), enumerate.Of(laws[1], laws[0])} {
				exact := enumerate.Product(order, order).Delta(g.Epsilon.Upper)
				if exact > delta*(1+1e-9) {
					t.Errorf("case %d, q = %g: δ(%v) is %g, above %g", i, rate, g.Epsilon, exact, delta)
				}
				nearest = math.Max(nearest, exact/delta)
			}
		}
	}
	if nearest < 0.5 {
		t.Errorf("the nearest exact δ is %.3g of the bound's: the cases do not try it", nearest)
	}
}

// What a profile does not bound has no finite price, and an invalid one has none.
func TestProfileBoundRefuses(t *testing.T) {
	event := accounting.ProfileBound{Epsilons: []float64{1, 800}, Deltas: []float64{1e-3, 0}}
	g, err := pld.NewAccountant().EpsilonAt(event, 1e-5)
	if err != nil || !math.IsInf(g.Epsilon.Upper, 1) { // ε above 700 is not on the grid
		t.Errorf("%v, %v, want +Inf", g, err)
	}
	if g, err = pld.NewAccountant().EpsilonAt(event, 1e-2); err != nil || !(g.Epsilon.Upper <= 1) {
		t.Errorf("%v, %v, want at most 1", g, err)
	}
	if g, err = pld.NewAccountant().EpsilonAt(accounting.ProfileBound{Epsilons: []float64{800}, Deltas: []float64{0}}, 1e-2); err == nil || !math.IsInf(g.Epsilon.Upper, 1) || !strings.Contains(err.Error(), "ε of at most 700") {
		t.Errorf("%v, %v, want an error", g, err)
	}
	rising := accounting.ProfileBound{Epsilons: []float64{1, 2}, Deltas: []float64{1e-3, 1e-2}}
	if g, err := pld.NewAccountant().EpsilonAt(rising, 1e-5); err == nil || !math.IsInf(g.Epsilon.Upper, 1) {
		t.Errorf("%v, %v, want an error", g, err)
	}
	if g, err := pld.NewAccountant().EpsilonAt(accounting.RenyiBound{Orders: []float64{2}, Divergences: []float64{1}}, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("%v, %v, want unsupported", g, err)
	}
}

// Equal profiles in several places of an event are one mechanism, run several times.
func TestEqualProfileBounds(t *testing.T) {
	e := bound(t, gaussianProfile(t, 1))
	apart, err := pld.NewAccountant().EpsilonAt(accounting.Composed{Events: []accounting.Event{e, e, e}}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	together, err := pld.NewAccountant().EpsilonAt(accounting.SelfComposed{Event: e, Count: 3}, 1e-5)
	if err != nil || apart.Epsilon != together.Epsilon {
		t.Errorf("%v and %v, %v", apart.Epsilon, together.Epsilon, err)
	}
}
