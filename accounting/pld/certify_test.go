package pld

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld/internal/lossgrid"
)

func repeat(n int, e accounting.Event) accounting.Event {
	return accounting.SelfComposed{Count: n, Event: e}
}

func sequence(events ...accounting.Event) accounting.Event {
	return accounting.Composed{Events: events}
}

// checkedCases is one of each mechanism, sample and relation.
var checkedCases = []struct {
	event    accounting.Event
	delta    float64
	relation accounting.Neighboring
}{
	{repeat(1000, accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1.5}}), 1e-5, 0},
	{sequence(repeat(100, accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 0.8}}), accounting.Laplace{NoiseMultiplier: 2}), 1e-9, 0},
	{repeat(10, accounting.Laplace{NoiseMultiplier: 2}), 1e-6, 0},
	{sequence(accounting.Laplace{NoiseMultiplier: 2}, accounting.Gaussian{NoiseMultiplier: 3}, accounting.Gaussian{NoiseMultiplier: 7}), 1e-8, 0},
	{repeat(100, accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Laplace{NoiseMultiplier: 2}}), 1e-6, 0},
	{repeat(50, accounting.ExponentialMechanism{Epsilon: 0.1}), 1e-6, 0},
	{sequence(accounting.Laplace{NoiseMultiplier: 2}, accounting.PureDP{Epsilon: 0.5}, accounting.ApproxDP{Epsilon: 0.3, Delta: 1e-7}), 1e-5, 0},
	{repeat(100, accounting.PureDP{Epsilon: 0.1}), 1e-5, 0},
	{repeat(50, accounting.ApproxDP{Epsilon: 0.1, Delta: 1e-8}), 1e-5, 0},
	{repeat(10000, accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.RandomizedResponse{Truth: 0.7}}), 1e-5, 0},
	{repeat(20, accounting.PoissonSampled{SamplingRate: 0.1, Event: DiscretePair{With: []float64{0.5, 0.3, 0.2}, Without: []float64{0.3, 0.2, 0.5}}}), 1e-4, 0},
	{repeat(100, accounting.SampledWithoutReplacement{PopulationSize: 100, SampleSize: 10, Event: accounting.Gaussian{NoiseMultiplier: 2}}), 1e-5, accounting.ReplaceOne},
	{repeat(100, accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Gaussian{NoiseMultiplier: 2}}), 1e-5, accounting.ReplaceOne},
	{repeat(20, DiscretePair{With: []float64{0.5, 0.5}, Without: []float64{0.3, 0.7}}), 1e-4, 0},
	{accounting.WorstCase{Events: []accounting.Event{repeat(3, accounting.Laplace{NoiseMultiplier: 1}), repeat(4, accounting.Laplace{NoiseMultiplier: 1})}}, 1e-5, 0},
}

// TestUpperEndsAreChecked: the upper end of each case has a certificate, at most 1e-6 above the
// one that was found. The lower end has none: there δ is larger.
func TestUpperEndsAreChecked(t *testing.T) {
	for _, c := range checkedCases {
		a := Accountant{Relation: c.relation}
		before, err := accounting.Unchecked(a).EpsilonAt(c.event, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		g, err := a.EpsilonAt(c.event, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		k := g.Certificate
		if before.Certificate != nil || k == nil || k.Epsilon != g.Epsilon.Upper || k.DeltaUpper > c.delta || k.Work == 0 ||
			g.Epsilon.Upper < before.Epsilon.Upper || g.Epsilon.Upper > before.Epsilon.Upper*(1+1.01e-6) {
			t.Errorf("%v: %v after %v, certificate %v, warnings %v", c.event, g.Epsilon, before.Epsilon, k, g.Warnings)
		}
	}
}

// planted spoils the upper law of a run.
type planted struct {
	name  string
	spoil func(r lossgrid.Run) lossgrid.Run
}

var plantedBugs = []planted{
	{"topmost mass lost", func(r lossgrid.Run) lossgrid.Run { // as when it underflowed
		r.Infinite = 0
		for i := len(r.P) - 1; i > 0 && r.P[i] < 1e-9; i-- {
			r.P[i] = 0
		}
		return r
	}},
	{"upper share 1e-9 too small", func(r lossgrid.Run) lossgrid.Run {
		for i := range r.P[1:] {
			d := 1e-9 * r.P[i+1]
			r.P[i], r.P[i+1] = r.P[i]+d, r.P[i+1]-d
		}
		return r
	}},
	{"masses 1e-9 too small", func(r lossgrid.Run) lossgrid.Run {
		for i := range r.P {
			r.P[i] *= 1 - 1e-9
		}
		return r
	}},
	{"losses one cell down", func(r lossgrid.Run) lossgrid.Run { // a flipped comparison of cells
		r.First--
		return r
	}},
	{"ends of cells exchanged", func(r lossgrid.Run) lossgrid.Run {
		for i := 0; i+1 < len(r.P); i += 2 {
			r.P[i], r.P[i+1] = r.P[i+1], r.P[i]
		}
		return r
	}},
	{"mass of one cell lost", func(r lossgrid.Run) lossgrid.Run {
		top := 0
		for i, p := range r.P {
			if p*float64(i*i) > r.P[top]*float64(top*top) {
				top = i
			}
		}
		r.P[top] = 0
		return r
	}},
	{"infinite mass lost", func(r lossgrid.Run) lossgrid.Run {
		r.Infinite = 0
		return r
	}},
}

// TestPlantedBugs spoils the laws that a grid was composed of. An ε that a bug lowers by more
// than 1e-6 has no certificate, up to the ε without the bug.
func TestPlantedBugs(t *testing.T) {
	lowered := map[string]int{}
	for _, c := range checkedCases {
		a := Accountant{Relation: c.relation}
		programs, err := a.programs(asked(t, c.event, a.Neighboring()))
		if err != nil {
			t.Fatal(err)
		}
		p := programs[len(programs)-1]
		g := newGrid(p.mechanisms, remove, a.width(), a.maxGrid(), question{logDelta: numeric.Log(c.delta)})
		honest := g.solve(math.Inf(-1))
		if g.up == nil {
			t.Fatalf("%v: no grid", c.event)
		}
		first, n := g.span(g.h)
		for _, bug := range plantedBugs {
			up := make([]lossgrid.Run, len(g.up))
			for i, r := range g.up {
				r.P = slices.Clone(r.P)
				up[i] = lossgrid.NewRun(bug.spoil(r).Law, r.Count, 0, g.h)
			}
			wrong := g.profile(up, g.h, first, n, true).EpsilonAt(numeric.Log(c.delta))
			if !(wrong < honest.lower*(1-1e-6)) && !(wrong < honest.upper*(1-1e-6)) {
				continue
			}
			lowered[bug.name]++
			spoiled := *g
			spoiled.up = up
			w, ok := spoiled.witness()
			if !ok {
				t.Fatalf("%v: no witness", c.event)
			}
			check := gridlaw.New(w).Check
			// Up to the true ε nothing is certified, which is at least the lower end.
			for _, epsilon := range []float64{wrong, wrong * (1 + 1e-9), honest.lower * (1 - 1e-6)} {
				if epsilon > honest.lower*(1-1e-6) {
					continue
				}
				if k, err := check(epsilon, c.delta); err == nil && k.DeltaUpper <= c.delta {
					t.Errorf("%v, %s: checked at ε = %g, and the true one is at least %g", c.event, bug.name, epsilon, honest.lower)
				}
			}
		}
	}
	for _, bug := range plantedBugs {
		if lowered[bug.name] == 0 && bug.name != "masses 1e-9 too small" && bug.name != "upper share 1e-9 too small" {
			t.Errorf("%s: lowers no ε", bug.name)
		}
	}
	t.Log(lowered)
}

// TestUncertified: laws that claim too little are not believed; the claim has a warning instead.
func TestUncertified(t *testing.T) {
	c := checkedCases[2]
	g, err := accounting.Unchecked(NewAccountant()).EpsilonAt(c.event, c.delta)
	if err != nil {
		t.Fatal(err)
	}
	a := Accountant{}
	programs, err := a.programs(asked(t, c.event, a.Neighboring()))
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, grids, err := a.epsilon(programs[0], c.delta)
	if err != nil {
		t.Fatal(err)
	}
	g.Epsilon = accounting.UpperBound(g.Epsilon.Upper * 0.999)
	claimed := attach.Of(g, a.check(programs[0], grids))
	if claimed.Certificate != nil || !slices.ContainsFunc(claimed.Warnings, func(w error) bool { return errors.Is(w, accounting.ErrUncertified) }) {
		t.Errorf("%v, %v, warnings %v", claimed, claimed.Certificate, claimed.Warnings)
	}
}

// asked returns the question about an event, under the relation if one is given.
func asked(t *testing.T, event accounting.Event, relation ...accounting.Neighboring) ask.Question {
	t.Helper()
	q, err := ask.Of("pld", event, append(relation, accounting.AddOrRemoveOne)[0])
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// boundsAround returns bounds by the grids that are made around some of epsilons.
func boundsAround(t testing.TB, event accounting.Event, epsilons []float64) (bounds []*gridlaw.Bound) {
	asked, err := ask.Of("pld", event, accounting.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	programs, err := Accountant{}.programs(asked)
	if err != nil {
		t.Fatal(err)
	}
	for k := range gridsOfProfile {
		_, grids := Accountant{}.solve(programs[0], question{epsilon: epsilons[(2*k+1)*len(epsilons)/(2*gridsOfProfile)], forDelta: true})
		var witnesses []gridlaw.Grid
		for _, g := range grids {
			w, ok := g.witness()
			if !ok {
				t.Fatalf("%v: no witness", event)
			}
			witnesses = append(witnesses, w)
		}
		bounds = append(bounds, gridlaw.New(witnesses...))
	}
	return bounds
}

func leastDelta(t testing.TB, bounds []*gridlaw.Bound, epsilon float64) float64 {
	least := 1.0
	for _, b := range bounds {
		d, err := b.Delta(epsilon)
		if err != nil {
			t.Fatal(err)
		}
		least = math.Min(least, d)
	}
	return least
}

func manyEpsilons() []float64 {
	epsilons := make([]float64, 1025)
	for i := range epsilons {
		epsilons[i] = 6 * float64(i) / 1024
	}
	return epsilons
}

// TestManyEpsilonsAreBounded: a few grids bound δ at 1,025 ε. The bounds are not below the interval
// of δ, and near the upper end of a list of δ.
func TestManyEpsilonsAreBounded(t *testing.T) {
	for _, event := range []accounting.Event{checkedCases[4].event, checkedCases[6].event} {
		epsilons := manyEpsilons()
		upper, err := Accountant{}.DeltasAt(event, epsilons)
		if err != nil {
			t.Fatal(err)
		}
		bounds := boundsAround(t, event, epsilons)
		for i, e := range epsilons {
			got := leastDelta(t, bounds, e)
			if got > upper[i].Upper*1.1+1e-300 {
				t.Errorf("%v, ε %g: δ <= %g, and %g by the search", event, e, got, upper[i].Upper)
			}
			if i%205 > 0 {
				continue
			}
			if known, err := (Accountant{}).DeltaAt(event, e); err != nil || got < known.Lower {
				t.Errorf("%v, ε %g: δ <= %g, and in %v, %v", event, e, got, known, err)
			}
		}
	}
}

// BenchmarkManyEpsilons bounds δ of DP-SGD and a release at 1,025 ε by six grids.
func BenchmarkManyEpsilons(b *testing.B) {
	epsilons := manyEpsilons()
	for b.Loop() {
		b.StopTimer()
		bounds := boundsAround(b, checkedCases[1].event, epsilons)
		b.StartTimer()
		for _, e := range epsilons {
			leastDelta(b, bounds, e)
		}
	}
}
