package intersected_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
)

func event(p enumerate.Pair) pld.DiscretePair { return pld.DiscretePair{With: p.P, Without: p.Q} }

// fewer is a third of n in a short run.
func fewer(t *testing.T, full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

func sampledPair(rate float64, p enumerate.Pair) enumerate.Pair {
	return enumerate.Of(enumerate.Mixed(rate, p.Q, p.P), p.Q)
}

// A sample of two releases, enumerated in both directions: the lemma's interval holds the truth,
// for ε and for δ, and where the direction remove is the larger its ends are as near as the grid's.
func TestSamplingLemmaAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1807, 1647))
	tight, loose := 0, 0
	for i := range fewer(t, 60, 18) {
		a, b := enumerate.DrawnPair(rng, 2+i%3, []float64{0.3, 1, 2.5}[i%3]), enumerate.DrawnPair(rng, 2, 0.5)
		rate := []float64{0.01, 0.2, 0.9}[i/3%3]
		inner := accounting.Composed{Events: []accounting.Event{event(a), event(b)}}
		truth := sampledPair(rate, enumerate.Product(a, b))
		for _, delta := range []float64{rate / 2, rate / 30, rate * 1e-4} {
			g, answers, err := intersected.NewAccountant().Ask(asked(t, accounting.PoissonSampled{SamplingRate: rate, Event: inner}), delta)
			if err != nil || answers[0].Name != intersected.SamplingLemma || answers[0].Theorem == "" {
				t.Fatalf("case %d: %v, %v, want the lemma first", i, answers, err)
			}
			upper, lower := g.Epsilon.Upper, g.Epsilon.Lower
			if exact := truth.Delta(upper); exact > delta*(1+1e-9) {
				t.Errorf("case %d, q = %g: δ(%g) is %g, above %g", i, rate, upper, exact, delta)
			}
			if exact := truth.Delta(lower); !g.Epsilon.HasLower || lower > 0 && exact < delta*(1-1e-9) {
				t.Errorf("case %d, q = %g: δ(%v) is %g, below %g", i, rate, g.Epsilon, exact, delta)
			}
			if upper > 0 && upper-lower <= 0.02 {
				tight++
			} else if upper > 0 {
				loose++
			}
		}
		for _, epsilon := range []float64{0, 0.01, 0.3, 1} {
			d, err := intersected.NewAccountant().DeltaAt(accounting.PoissonSampled{SamplingRate: rate, Event: inner}, epsilon)
			if exact := truth.Delta(epsilon); err != nil || !(d.Upper >= exact*(1-1e-9)) || !(d.Lower <= exact*(1+1e-9)) {
				t.Errorf("case %d, q = %g: δ(%g) %v, %v, want %g", i, rate, epsilon, d, err, exact)
			}
		}
	}
	if tight < 2*loose || loose == 0 {
		t.Errorf("%d narrow intervals and %d where the direction add is the larger: the cases do not try both", tight, loose)
	}
}

// Compositions of what is not on the grid, enumerated: they leak no more than the pairs of laws.
func TestPairsAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(2106, 8567))
	nearest := map[string]float64{}
	for i := range fewer(t, 30, 3) {
		spread := []float64{0.3, 1, 2}[i%3]
		a, b, c := enumerate.DrawnPair(rng, 2+i%2, spread), enumerate.DrawnPair(rng, 2, spread), enumerate.DrawnPair(rng, 3, 0.5)
		rate := []float64{0.05, 0.5}[i%2]
		epsilon := math.Max(math.Abs(numeric.Log(b.P[0]/b.Q[0])), math.Abs(numeric.Log(b.P[1]/b.Q[1]))) // b is pure, so zCDP
		const delta = 1e-3
		for name, drawn := range map[string]struct {
			event  accounting.Event
			truths []enumerate.Pair
		}{
			"two samples of two": {
				accounting.SelfComposed{Count: 2, Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Composed{Events: []accounting.Event{event(a), event(b)}}}},
				[]enumerate.Pair{enumerate.Product(sampledPair(rate, enumerate.Product(a, b)), sampledPair(rate, enumerate.Product(a, b)))},
			},
			"parts, twice": {
				accounting.SelfComposed{Count: 2, Event: accounting.Parallel{Events: []accounting.Event{event(a), event(b)}}},
				[]enumerate.Pair{enumerate.Product(a, a), enumerate.Product(a, b), enumerate.Product(b, b)},
			},
			"a choice on a sample, and another": {
				accounting.Composed{Events: []accounting.Event{accounting.PoissonSampled{SamplingRate: rate, Event: accounting.WorstCase{Events: []accounting.Event{event(a), event(b)}}}, event(c)}},
				[]enumerate.Pair{enumerate.Product(sampledPair(rate, a), c), enumerate.Product(sampledPair(rate, b), c)},
			},
			"zCDP and another": {
				accounting.Composed{Events: []accounting.Event{accounting.ZCDP{Rho: epsilon * epsilon / 2}, event(c)}},
				[]enumerate.Pair{enumerate.Product(b, c)},
			},
			"zCDP on a sample, twice": {
				accounting.SelfComposed{Count: 2, Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.ZCDP{Rho: epsilon * epsilon / 2}}},
				[]enumerate.Pair{enumerate.Product(sampledPair(rate, b), sampledPair(rate, b))},
			},
		} {
			g, answers, err := intersected.NewAccountant().Ask(asked(t, drawn.event), delta)
			if err != nil || answers[0].Name != intersected.DominatingPairs || g.Epsilon.HasLower {
				t.Fatalf("%s, case %d: %v, %v, %v, want pairs first and no lower end", name, i, g, answers, err)
			}
			for _, e := range []float64{0, g.Epsilon.Upper / 2, g.Epsilon.Upper} {
				d, err := intersected.NewAccountant().DeltaAt(drawn.event, e)
				if err != nil {
					t.Fatal(err)
				}
				for _, truth := range drawn.truths {
					if exact := truth.Delta(e); exact > d.Upper*(1+1e-9) {
						t.Errorf("%s, case %d: δ(%g) is %g, above %v", name, i, e, exact, d)
					}
				}
			}
			for _, truth := range drawn.truths {
				exact := truth.Delta(g.Epsilon.Upper)
				if exact > delta*(1+1e-9) {
					t.Errorf("%s, case %d: δ(%v) is %g, above %g", name, i, g.Epsilon, exact, delta)
				}
				nearest[name] = math.Max(nearest[name], exact/delta)
			}
		}
	}
	for name, share := range nearest {
		if share < 0.5 && name != "zCDP and another" && name != "zCDP on a sample, twice" { // of which more is allowed than b does
			t.Errorf("%s: the nearest exact δ is %.3g of the bound's: the cases do not try it", name, share)
		}
	}
}

// Samples whose price is known otherwise: at δ of the rate and above nothing is left; two pure
// releases.
func TestSamplingLemmaIsTight(t *testing.T) {
	gaussian, laplace := accounting.Gaussian{NoiseMultiplier: 1}, accounting.Laplace{NoiseMultiplier: 1}
	for _, delta := range []float64{0.01, 0.3} {
		g, err := intersected.NewAccountant().EpsilonAt(accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Composed{Events: []accounting.Event{gaussian, laplace}}}, delta)
		if err != nil || g.Epsilon.Upper != 0 {
			t.Errorf("δ = %g: %v, %v, want 0", delta, g, err)
		}
	}
	// Two (1, 0)-private releases have δ(ε) = (e² - e^ε)/(1+e)² next to ε = 2.
	twice := accounting.SelfComposed{Count: 2, Event: accounting.PureDP{Epsilon: 1}}
	for _, q := range []float64{1e-9, 0.01, 0.5, 0.999} {
		const share = 1e-4 // δ/q
		want := math.Log1p(q * (math.E*math.E - share*(1+math.E)*(1+math.E) - 1))
		g, err := intersected.NewAccountant().EpsilonAt(accounting.PoissonSampled{SamplingRate: q, Event: twice}, q*share)
		if err != nil || !(g.Epsilon.Upper >= want*(1-1e-12) && g.Epsilon.Upper <= want*1.02 && g.Epsilon.Lower <= want && g.Epsilon.Lower >= 0.98*want) {
			t.Errorf("q = %g: %v, %v, want %g", q, g.Epsilon, err, want)
		}
	}
}

// Under the other relations: zeroed-out records as removed ones; a Poisson sample that may be shown
// costs what the inner event does at δ/q; a sample of fixed size of a composition, by the lemma for
// replaced records, against one that the grid knows.
func TestSamplingLemmaByRelation(t *testing.T) {
	inner := accounting.Composed{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 2}, accounting.Laplace{NoiseMultiplier: 4}}}
	sample := accounting.PoissonSampled{SamplingRate: 0.1, Event: inner}
	at := func(relation accounting.Neighboring, event accounting.Event, delta float64) accounting.Interval {
		t.Helper()
		a, err := intersected.NewAccountantFor(relation)
		if err != nil {
			t.Fatal(err)
		}
		g, err := a.EpsilonAt(event, delta)
		if err != nil || g.Neighboring != relation {
			t.Fatal(g, err)
		}
		return g.Epsilon
	}
	removed := at(accounting.AddOrRemoveOne, sample, 1e-5)
	if special := at(accounting.ReplaceSpecial, sample, 1e-5); special != removed {
		t.Errorf("zeroed out %v, removed %v", special, removed)
	}
	whole := at(accounting.ReplaceOne, inner, 1e-5/0.1)
	if shown := at(accounting.ReplaceOne, sample, 1e-5); math.Abs(shown.Upper-whole.Upper) > 1e-9 || !shown.HasLower {
		t.Errorf("shown: %v, want %v", shown, whole)
	}
	fixed := func(event accounting.Event) accounting.Event {
		return accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 100, Event: event}
	}
	if got, want := at(accounting.ReplaceOne, fixed(inner), 1e-5), math.Log1p(0.1*math.Expm1(whole.Upper)); math.Abs(got.Upper-want) > 1e-9*want {
		t.Errorf("a fixed size of a composition: %v, want %g", got, want)
	}
	// The grid's mirrored pair of one Laplace release, which is exact, does not cost more than the
	// lemma says.
	laplace := accounting.Laplace{NoiseMultiplier: 1}
	lemma := math.Log1p(0.1 * math.Expm1(at(accounting.ReplaceOne, laplace, 1e-4).Upper))
	if grid := at(accounting.ReplaceOne, fixed(laplace), 1e-5); grid.Lower > lemma || grid.Upper < lemma-0.01 {
		t.Errorf("one Laplace release on a fixed size: %v by the grid, %g by the lemma", grid, lemma)
	}
}

// asked returns the question about an event.
func asked(t *testing.T, event accounting.Event) ask.Question {
	t.Helper()
	q, err := ask.Asked(intersected.NewAccountant(), event)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
