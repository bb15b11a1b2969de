package lratio

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// Upper ends of drawn questions have certificates, at most 1e-4 above what the search found and not
// below its lower end.
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
		p, err := coarse.program(event)
		if err != nil {
			t.Fatal(err)
		}
		ends, _, err := p.ends(numeric.Log(delta), coarse.width(), true)
		if err != nil {
			t.Fatal(err)
		}
		if c := g.Certificate; c == nil || c.Epsilon != g.Epsilon.Upper || !(c.DeltaUpper <= delta) || g.Epsilon.Upper > ends.upper*(1+1.001e-4) || g.Epsilon.Upper < g.Epsilon.Lower {
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
// reach beyond the grid. δ = 1e-300 is not, with a warning.
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
			if a.Knows(event) != nil {
				continue
			}
			g, err := a.EpsilonAt(event, 1e-5)
			if err != nil || g.Certificate == nil || g.Certificate.Epsilon != g.Epsilon.Upper {
				t.Errorf("%v, %v: %v, %v, %v, %v", event, relation, g.Epsilon, g.Certificate, g.Warnings, err)
			}
		}
	}
	g, err := coarse.EpsilonAt(allocation(1, 10, 20), 1e-300)
	if err != nil || g.Certificate != nil || len(g.Warnings) != 1 || !errors.Is(g.Warnings[0], accounting.ErrUncertified) {
		t.Errorf("δ = 1e-300: %v, %v, %v", g.Certificate, g.Warnings, err)
	}
}

// plantedBugs are faults of a search: of what it multiplies, of its law, of what it reads from it.
var plantedBugs = []struct {
	name  string
	spoil func(p *program, logDelta *float64)
	law   func(f *profile)
}{
	{"a period less", func(p *program, _ *float64) { change(p, func(f factor, n int) (factor, int) { return f, n - 1 }) }, nil},
	{"a step more in a period", func(p *program, _ *float64) {
		change(p, func(f factor, n int) (factor, int) { f.period++; return f, n })
	}, nil},
	{"distances 1e-3 too small", func(p *program, _ *float64) {
		change(p, func(f factor, n int) (factor, int) { f.s *= 1 - 1e-3; return f, n })
	}, nil},
	{"rates 1e-3 too small", func(p *program, _ *float64) {
		change(p, func(f factor, n int) (factor, int) { f.rate *= 1 - 1e-3; return f, n })
	}, nil},
	{"Gaussians lost", func(p *program, _ *float64) { p.gaussian = 0 }, nil},
	{"ln δ 0.1 too large", func(_ *program, logDelta *float64) { *logDelta += 0.1 }, nil},
	{"masses under P 1 % too small", nil, func(f *profile) { scaleBy(f.p, 0.99) }},
	{"atoms merged, sixteen at a time", nil, func(f *profile) {
		for k := range f.q {
			if to := k &^ 15; to < k {
				f.q[to], f.p[to] = f.q[to]+f.q[k], f.p[to]+f.p[k]
				f.q[k], f.p[k] = 0, 0
			}
		}
	}},
	{"upper tail lost", nil, func(f *profile) {
		for k := range f.p {
			if f.p[k] > math.Exp(2)*f.q[k] {
				f.p[k], f.q[k] = 0, 0
			}
		}
	}},
}

func scaleBy(masses []float64, x float64) {
	for k := range masses {
		masses[k] *= x
	}
}

func change(p *program, of func(f factor, count int) (factor, int)) {
	changed := map[factor]int{}
	for f, count := range p.upper {
		if f, count = of(f, count); count > 0 {
			changed[f] += count
		}
	}
	p.upper = changed
}

// TestPlantedBugs spoils the search. An ε that a bug lowers below the lower end is not shown, with
// the grid of that search.
func TestPlantedBugs(t *testing.T) {
	const cells = 1000
	lowered := map[string]int{}
	for _, c := range []struct {
		event accounting.Event
		delta float64
	}{
		{allocation(1, 20, 100), 1e-5},
		{allocation(0.7, 9, 40), 1e-8},
		{accounting.Composed{Events: []accounting.Event{allocation(2, 6, 60), accounting.Gaussian{NoiseMultiplier: 3}}}, 1e-6},
	} {
		p, err := coarse.program(c.event)
		if err != nil {
			t.Fatal(err)
		}
		logDelta := numeric.Log(c.delta)
		ends, err := p.epsilon(cells, logDelta, logDelta+logCut)
		if err != nil {
			t.Fatal(err)
		}
		if k, err := p.check(cells, logDelta+logCut)(ends.upper*(1+1e-4), c.delta); err != nil || !(k.DeltaUpper <= c.delta) {
			t.Errorf("%v: not shown without a bug: %v, %v", c.event, k, err)
		}
		check := p.check(cells, logDelta+logCut)
		for _, bug := range plantedBugs {
			wrong, at := p, logDelta
			wrong.upper = maps.Clone(p.upper)
			if bug.spoil != nil {
				bug.spoil(&wrong, &at)
			}
			l, err := wrong.law(true, cells, logDelta+logCut)
			if err != nil {
				t.Fatal(err)
			}
			f := l.profile()
			if bug.law != nil {
				bug.law(&f)
			}
			epsilon := 0.0
			for _, to := range []direction{remove, add} {
				_, above := f.epsilon(to, at)
				epsilon = math.Max(epsilon, above)
			}
			if !(epsilon < ends.lower) {
				continue
			}
			lowered[bug.name]++
			for _, e := range []float64{epsilon, math.Min(epsilon*(1+1e-4), ends.lower*(1-1e-9))} {
				if k, err := check(e, c.delta); err == nil && k.DeltaUpper <= c.delta {
					t.Errorf("%v, %s: shown at ε = %g, and the true one is at least %g", c.event, bug.name, e, ends.lower)
				}
			}
		}
	}
	for _, bug := range plantedBugs {
		if lowered[bug.name] == 0 {
			t.Errorf("%s: lowers no ε", bug.name)
		}
	}
	t.Log(lowered)
}
