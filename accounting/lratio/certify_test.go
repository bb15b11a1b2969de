package lratio

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/numeric"
)

// Upper ends of drawn questions have certificates, about where they were found and not below the
// lower end.
func TestCertified(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 99))
	cases := 40
	if testing.Short() {
		cases = 12
	}
	as := 0
	for range cases {
		sigma, period := math.Exp(rng.Float64()*4-1.2), 1+int(math.Exp(rng.Float64()*6))
		steps := 1 + int(float64(period)*math.Exp(rng.Float64()*4-1))
		delta := math.Exp(-1 - 30*rng.Float64())
		event := allocation(sigma, period, steps)
		g, err := coarse.EpsilonAt(event, delta)
		if err != nil {
			t.Fatal(err)
		}
		p, err := coarse.program(asked(t, event))
		if err != nil {
			t.Fatal(err)
		}
		ends, _, _, err := p.ends(numeric.Log(delta), coarse.width(asked(t, event)), true)
		if err != nil {
			t.Fatal(err)
		}
		if c := g.Certificate; c == nil || c.Epsilon != g.Epsilon.Upper || !(c.DeltaUpper <= delta) || g.Epsilon.Upper > ends.upper*(1+1.001e-9) || g.Epsilon.Upper < g.Epsilon.Lower {
			t.Errorf("%v at δ %g: %v, %v, %v; searched %v", event, delta, g.Epsilon, c, g.Warnings, ends)
		} else if g.Epsilon.Upper == ends.upper {
			as++
		}
		if u, err := accounting.Unchecked(coarse).EpsilonAt(event, delta); err != nil || u.Certificate != nil || len(u.Warnings) > 0 {
			t.Errorf("%v, without checks: %v, %v", event, u, err)
		}
	}
	if as < cases*2/3 {
		t.Errorf("%d of %d upper ends are certified as they were found", as, cases)
	}
}

// All kinds of events are checked: k participations, replaced records, samples next to Gaussians, a
// reach beyond the grid, δ = 1e-300.
func TestCheckedEvents(t *testing.T) {
	several := allocation(1, 20, 40)
	several.Participations = 3
	for i, event := range []accounting.Event{
		several, allocation(0.8, 10, 25), allocation(1e-3, 10, 25), allocation(1e8, 10, 25), accounting.Gaussian{NoiseMultiplier: 1},
		accounting.Composed{Events: []accounting.Event{allocation(1, 10, 20), allocation(3, 7, 10), accounting.ClippedSum{NoiseMultiplier: 4}}},
		accounting.SelfComposed{Count: 50, Event: accounting.PoissonSampled{SamplingRate: 0.02, Event: accounting.ClippedSum{NoiseMultiplier: 1}}},
	} {
		for j, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne} {
			if testing.Short() && (i+j)%2 != 0 {
				continue
			}
			a := Accountant{Relation: relation, Width: 0.02}
			if a.Knows(asked(t, event, a.Neighboring())) != nil {
				continue
			}
			g, err := a.EpsilonAt(event, 1e-5)
			if err != nil || g.Certificate == nil || g.Certificate.Epsilon != g.Epsilon.Upper {
				t.Errorf("%v, %v: %v, %v, %v, %v", event, relation, g.Epsilon, g.Certificate, g.Warnings, err)
			}
		}
	}
	g, err := coarse.EpsilonAt(allocation(1, 10, 20), 1e-300)
	if err != nil || g.Certificate == nil || len(g.Warnings) > 0 {
		t.Errorf("δ = 1e-300: %v, %v, %v", g.Certificate, g.Warnings, err)
	}
}

// TestSplit compares the programs that package splitlaw gets with the factors of each event: whole
// and cut periods, blocks of several participations, samples, and all Gaussians as one. They are
// sorted by distance, period and rate.
func TestSplit(t *testing.T) {
	several := func(steps int) accounting.RandomAllocation {
		a := allocation(1, 20, steps)
		a.Participations = 3
		return a
	}
	sample := accounting.PoissonSampled{SamplingRate: 0.02, Event: accounting.ClippedSum{NoiseMultiplier: 0.5}}
	all := accounting.Composed{Events: []accounting.Event{
		allocation(1, 10, 25), accounting.SelfComposed{Count: 50, Event: sample}, allocation(1, 10, 10),
		accounting.SelfComposed{Count: 3, Event: accounting.ClippedSum{NoiseMultiplier: 2}}, accounting.ClippedSum{NoiseMultiplier: 4},
	}}
	factors := []splitlaw.Factor{{Distance: 1, Period: 5, Rate: 0.5, Count: 1}, {Distance: 1, Period: 10, Rate: 1, Count: 3}, {Distance: 2, Period: 1, Rate: 0.02, Count: 50}}
	for _, c := range []struct {
		event    accounting.Event
		relation accounting.Neighboring
		want     splitlaw.Program
	}{
		{all, accounting.AddOrRemoveOne, splitlaw.Program{Factors: factors, Gaussian: math.Sqrt(3./4 + 1./16)}},
		{all, accounting.ReplaceSpecial, splitlaw.Program{Factors: factors, Gaussian: math.Sqrt(3./4 + 1./16)}},
		{all, accounting.ReplaceOne, splitlaw.Program{Factors: factors, Gaussian: math.Sqrt(3./4 + 1./16), Replaced: true}},
		{accounting.Gaussian{NoiseMultiplier: 2}, accounting.ReplaceOne, splitlaw.Program{Gaussian: 0.25, Replaced: true}},
		// 20 steps in blocks of 7, 7 and 6. A cut period of five steps costs a whole one.
		{several(45), accounting.AddOrRemoveOne, splitlaw.Program{Factors: []splitlaw.Factor{{Distance: 1, Period: 6, Rate: 1, Count: 3}, {Distance: 1, Period: 7, Rate: 1, Count: 6}}}},
		// One of one step is a sample.
		{several(41), accounting.AddOrRemoveOne, splitlaw.Program{Factors: []splitlaw.Factor{{Distance: 1, Period: 1, Rate: 0.15, Count: 1}, {Distance: 1, Period: 6, Rate: 1, Count: 2}, {Distance: 1, Period: 7, Rate: 1, Count: 4}}}},
	} {
		p, err := compile(asked(t, c.event, c.relation))
		if err != nil {
			t.Fatal(err)
		}
		got := p.split()
		// Rounded up, by little.
		up := func(got, want float64) bool { return got >= want && got <= want*(1+1e-12) }
		same := len(got.Factors) == len(c.want.Factors) && up(got.Gaussian, c.want.Gaussian) && got.Replaced == c.want.Replaced
		for i := 0; same && i < len(got.Factors); i++ {
			f, w := got.Factors[i], c.want.Factors[i]
			same = up(f.Distance, w.Distance) && f.Period == w.Period && up(f.Rate, w.Rate) && f.Count == w.Count
		}
		if !same {
			t.Errorf("%v, %v: %+v, want %+v", c.event, c.relation, got, c.want)
		}
	}
}
