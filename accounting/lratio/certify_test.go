package lratio

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
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
