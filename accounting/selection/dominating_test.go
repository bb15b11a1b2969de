package selection_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// The pair costs what the pointwise bound says, the price of one tuning, up to what its lists add to either.
func TestDominatingPairIsTheProfile(t *testing.T) {
	for i, run := range []accounting.Event{accounting.Gaussian{NoiseMultiplier: 1}, accounting.Gaussian{NoiseMultiplier: 6}, sgd(0.01, 2, 5000)} {
		for j, l := range []law.Law{tnbOf(t, 0, 10), law.Poisson{MeanRepeats: 10}, law.Fixed{Count: 4}} {
			if testing.Short() && i != j {
				continue
			}
			pair, err := selection.DominatingPair(selection.BestOf{Law: l, Base: run}, 1e-5)
			if err != nil {
				t.Fatal(err)
			}
			if err := pair.Validate(); err != nil {
				t.Errorf("%v, %v: %v", l, run, err)
			}
			g, err := pld.Accountant{Width: 1e-3}.EpsilonAt(pair, 1e-5)
			want := named(t, "pointwise, ", l, run)
			if err != nil || g.Epsilon.Upper < want*(1-1e-3) || g.Epsilon.Lower > want+2e-3 {
				t.Errorf("%v, %v: the pair costs %v, %v: want %g", l, run, g.Epsilon, err, want)
			}
		}
	}
}

// named returns the least bound of a price whose name begins so.
func named(t *testing.T, prefix string, l law.Law, run accounting.Event) float64 {
	t.Helper()
	price, err := selection.EventAt(selection.BestOf{Law: l, Base: run}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range price.Bounds {
		if strings.HasPrefix(b.Name, prefix) {
			return b.Epsilon
		}
	}
	t.Fatalf("%v, %v: no bound %q", l, run, prefix)
	return 0
}

// A tuning whose runs have a few outputs, by every order of them, composed with itself and with a training: enumerated, it
// leaks no more than the pair composed.
func TestDominatingPairAgainstEnumeratedCompositions(t *testing.T) {
	rng := newRand(88)
	closest := 0.0
	for i := range 12 {
		l := randomLaw(rng)
		run, training := enumerate.DrawnPair(rng, 3, 0.5), enumerate.DrawnPair(rng, 3, 0.5)
		of := func(d discrete) pld.DiscretePair { return pld.DiscretePair{With: d.P, Without: d.Q} }
		const delta = 1e-3
		tuned, err := selection.DominatingPair(selection.BestOf{Law: l, Base: of(run)}, delta, pld.NewAccountant())
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			event  accounting.Event
			beside func(best discrete) discrete
		}{
			"twice":           {accounting.SelfComposed{Event: tuned, Count: 2}, func(best discrete) discrete { return best }},
			"with a training": {accounting.Composed{Events: []accounting.Event{tuned, of(training)}}, func(discrete) discrete { return training }},
		} {
			g, err := pld.NewAccountant().EpsilonAt(c.event, delta)
			if err != nil {
				t.Fatal(err)
			}
			permutations(3, func(order []int) {
				var ordered discrete
				for _, j := range order {
					ordered.P, ordered.Q = append(ordered.P, run.P[j]), append(ordered.Q, run.Q[j])
				}
				best := ordered.Best(l)
				exact := enumerate.Product(best, c.beside(best)).Delta(g.Epsilon.Upper)
				if exact > delta*(1+1e-9) {
					t.Errorf("case %d, %v, %s: δ(%g) = %g, above %g", i, l, name, g.Epsilon.Upper, exact, delta)
				}
				closest = math.Max(closest, exact/delta)
			})
		}
	}
	if closest < 0.5 {
		t.Errorf("the nearest exact δ is %.3g of the bound's: the cases do not try it", closest)
	}
}

func TestDominatingPairErrors(t *testing.T) {
	good := accounting.Gaussian{NoiseMultiplier: 1}
	for name, c := range map[string]struct {
		event selection.BestOf
		delta float64
	}{
		"no law":          {selection.BestOf{Base: good}, 1e-5},
		"δ = 0":           {selection.BestOf{Law: law.Fixed{Count: 2}, Base: good}, 0},
		"almost no noise": {selection.BestOf{Law: law.Fixed{Count: 2}, Base: accounting.Gaussian{NoiseMultiplier: 1e-3}}, 1e-5},
	} {
		if _, err := selection.DominatingPair(c.event, c.delta); err == nil {
			t.Errorf("%s: must be refused", name)
		}
	}
}
