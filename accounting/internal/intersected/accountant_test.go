package intersected_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/pld"
)

func coarse() intersected.Accountant {
	return intersected.Accountant{Grid: pld.Accountant{Width: 0.05, MaxGrid: 1 << 12}}
}

func TestAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return coarse() })
}

func sgd(q, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{
		SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: sigma}}}
}

// Each kind of event is answered by the accountant that knows it, by name, and the value
// is the known one.
func TestPicks(t *testing.T) {
	for _, c := range []struct {
		event        accounting.Event
		method       string
		want, margin float64
		source       string
	}{
		{accounting.Gaussian{NoiseMultiplier: 1}, "closed form", 4.377178095681137, 1e-9, "dp_accounting 0.6.0 get_epsilon_gaussian"},
		{sgd(0.01, 2, 5000), "line integral", 1.4773769757585917, 2e-8, "contour integral at 40 digits"},
		{accounting.Laplace{NoiseMultiplier: 2}, "PLD", 0.5 + 2*math.Log1p(-1e-5), 1e-12, "closed form of the Laplace profile"},
		{accounting.ZCDP{Rho: 0.5}, "RDP", 4.377178095681137, 0.8, "zCDP of one Gaussian, whose ε is less"},
	} {
		g, err := intersected.NewAccountant().EpsilonAt(c.event, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(g.Method, c.method) {
			t.Errorf("%v: method %q, want one with %q", c.event, g.Method, c.method)
		}
		e := g.Epsilon
		if e.Upper < c.want-c.margin || e.HasLower && e.Lower > c.want+c.margin || e.Upper > c.want+0.01+c.margin {
			t.Errorf("ε(%v) %v, want %.12g; %s", c.event, e, c.want, c.source)
		}
	}
}

// Where ε is smaller than the grid is wide, Rényi curves say more, and are asked: an (ε, 0)-private
// mechanism has δ(x) = (e^ε - e^x)/(1 + e^ε).
func TestSmallEpsilon(t *testing.T) {
	for _, c := range []struct{ epsilon, delta float64 }{{0.0012, 2.6e-5}, {0.005, 1e-3}, {0.0003, 1e-5}} {
		x := math.Expm1(c.epsilon)
		want := math.Log1p(x - c.delta*(2+x))
		g, err := intersected.NewAccountant().EpsilonAt(accounting.PureDP{Epsilon: c.epsilon}, c.delta)
		if err != nil || !(g.Epsilon.Upper >= want*(1-1e-9) && g.Epsilon.Upper <= 1.001*want) || len(g.Warnings) > 0 {
			t.Errorf("%+v: %v, %v: want %.9g", c, g, err, want)
		}
	}
}

// Far out in the tails, where contour does not certify its integral, the upper end of a tiny ε is
// that of a grid. It must not rise where a run has more noise or fewer steps: each chain lists runs
// that are more and more private.
func TestMorePrivateCostsNoMore(t *testing.T) {
	type chained struct {
		delta float64
		chain []accounting.Event
	}
	list := []chained{
		{3.7e-174, []accounting.Event{sgd(2.857e-8, 3.96, 6727), sgd(2.857e-8, 3.96*1.1, 6727)}},
		{3.8e-209, []accounting.Event{sgd(6.66e-6, 10.97, 88), sgd(6.66e-6, 10.97, 50)}},
	}
	if !testing.Short() {
		list = append(list, chained{3.7e-174, []accounting.Event{sgd(2.857e-8, 3.96, 6727), sgd(2.857e-8, 3.96*1.02, 6727), sgd(2.857e-8, 3.96*1.1, 6727)}},
			chained{3.7e-174, []accounting.Event{sgd(2.857e-8, 3.96, 6727), sgd(2.857e-8, 3.96, 4000)}},
			chained{3.8e-209, []accounting.Event{sgd(6.66e-6, 10.97, 50), sgd(6.66e-6, 10.97, 40), sgd(6.66e-6, 10.97, 10)}})
	}
	for _, c := range list {
		last := math.Inf(1)
		for _, event := range c.chain {
			g, err := intersected.NewAccountant().EpsilonAt(event, c.delta)
			if err != nil || !(g.Epsilon.Upper <= last) {
				t.Errorf("δ = %g, %v: ε %v, %v, want at most %g, that of a less private run", c.delta, event, g.Epsilon, err, last)
			}
			last = g.Epsilon.Upper
		}
	}
}

// Under replace-one a sample of fixed size is priced, and a Poisson sample is refused by name.
func TestReplaceOne(t *testing.T) {
	a, err := intersected.NewAccountantFor(accounting.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	event := accounting.SelfComposed{Count: 100, Event: accounting.SampledWithoutReplacement{
		SampleSize: 50, PopulationSize: 1000, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	g, err := a.EpsilonAt(event, 1e-5)
	if err != nil || g.Neighboring != accounting.ReplaceOne || !(g.Epsilon.Width() <= 0.01) {
		t.Errorf("%v: %v, %v", event, g, err)
	}
	parts := accounting.Parallel{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 1}, accounting.Gaussian{NoiseMultiplier: 1}}}
	if _, err := a.EpsilonAt(parts, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "replace-one") {
		t.Errorf("disjoint parts, of which two may change: %v, want ErrUnsupportedEvent and the relation", err)
	}
	if _, err := intersected.NewAccountant().EpsilonAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "SampledWithoutReplacement") {
		t.Errorf("a sample of fixed size: %v, want ErrUnsupportedEvent and its name", err)
	}
	for _, relation := range []accounting.Neighboring{0, 9} {
		if _, err := intersected.NewAccountantFor(relation); err == nil {
			t.Errorf("relation %v: must be refused", relation)
		}
	}
}

// A worst case of which one member dominates costs what that member costs, in a
// composition too; the order of Gaussians of different rate and noise is not known.
func TestWorstCases(t *testing.T) {
	large := sgd(0.02, 2, 30)
	for name, c := range map[string]struct {
		other accounting.Event
		same  bool
	}{"dominated": {sgd(0.01, 2.5, 20), true}, "neither": {sgd(0.03, 4, 30), false}} {
		event := accounting.SelfComposed{Event: accounting.WorstCase{Events: []accounting.Event{c.other, large}}, Count: 10}
		got, err := intersected.NewAccountant().EpsilonAt(event, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := intersected.NewAccountant().EpsilonAt(accounting.SelfComposed{Event: large, Count: 10}, 1e-5)
		if err != nil || (got.Epsilon == alone.Epsilon) != c.same || got.Epsilon.Upper < alone.Epsilon.Upper {
			t.Errorf("%s: %v, %v, alone %v", name, got, err, alone)
		}
	}
}

// Where the contour is wide, the answer is never wider than either interval.
func TestIntersects(t *testing.T) {
	event := sgd(0.01, 0.02, 50)
	alone, err := contour.NewAccountant().EpsilonAt(event, 1e-6)
	if err != nil || len(alone.Warnings) == 0 {
		t.Fatalf("contour: %v, %v, want a wide interval", alone, err)
	}
	grid, err := coarse().Grid.EpsilonAt(event, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	g, err := coarse().EpsilonAt(event, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Min(alone.Epsilon.Width(), grid.Epsilon.Width()); g.Epsilon.Width() > want {
		t.Errorf("both: %v, contour %v, grid %v: wider than one of them", g.Epsilon, alone.Epsilon, grid.Epsilon)
	}
}

func ExampleAccountant_EpsilonAt() {
	event := accounting.Composed{Events: []accounting.Event{sgd(0.01, 1.5, 1000), accounting.Laplace{NoiseMultiplier: 2}}}
	g, err := intersected.NewAccountant().EpsilonAt(event, 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Epsilon.Width() <= 0.01, strings.Fields(g.Method)[0])
	// Output:
	// true PLD,
}
