package contour

import (
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// plantedBugs are faults of a search: of what it integrates, in which direction, and for which δ.
var plantedBugs = []struct {
	name  string
	spoil func(s *spoiled)
}{
	{"a step less", func(s *spoiled) { s.phases[0].Count-- }},
	{"rates 1e-4 too small", func(s *spoiled) { s.phases[0].Q *= 1 - 1e-4 }},
	{"noise 1e-4 too large", func(s *spoiled) { s.phases[0].Sigma *= 1 + 1e-4 }},
	{"only the first phase", func(s *spoiled) { s.phases = s.phases[:1] }},
	{"plain Gaussians lost", func(s *spoiled) { s.mu = 0 }},
	{"µ of plain Gaussians 1e-4 too small", func(s *spoiled) { s.mu *= 1 - 1e-4 }},
	{"twice the add direction", func(s *spoiled) { s.directions[0] = transform.Add }},
	{"ln δ 1e-4 too large", func(s *spoiled) { s.logDelta += 1e-4 }},
}

// spoiled is what a search takes.
type spoiled struct {
	program
	directions [2]transform.Direction
	logDelta   float64
}

// solve returns the larger ε of both directions.
func (s spoiled) solve() (lower, upper float64, both [2]*question) {
	for i, p := range s.problems() {
		p.Dir = s.directions[i]
		both[i] = p.epsilonAt(s.logDelta, math.Inf(-1))
		lower, upper = math.Max(lower, both[i].out.lower), math.Max(upper, both[i].out.upper)
	}
	return lower, upper, both
}

// TestPlantedBugs spoils the search. An ε that a bug lowers by more than 1e-6 is not shown with the
// lines that it chose, up to the ε without the bug.
func TestPlantedBugs(t *testing.T) {
	gaussian := accounting.Gaussian{NoiseMultiplier: 3}
	lowered := map[string]int{}
	for _, c := range []struct {
		event accounting.Event
		delta float64
	}{
		{sgd(0.01, 2, 5000), 1e-5},
		{sgd(0.25, 4, 100), 1e-6},
		{sgd(0.001, 0.7, 2000), 1e-5},
		{accounting.Composed{Events: []accounting.Event{sgd(0.02, 1, 500), gaussian}}, 1e-5},
		{accounting.Composed{Events: []accounting.Event{sgd(0.02, 1, 500), sgd(0.1, 3, 200), gaussian}}, 1e-8},
	} {
		p, err := compiled(c.event)
		if err != nil {
			t.Fatal(err)
		}
		honest := func() spoiled {
			s := spoiled{p, [2]transform.Direction{transform.Remove, transform.Add}, numeric.Log(c.delta)}
			s.phases = slices.Clone(p.phases)
			return s
		}
		lower, upper, both := honest().solve()
		if k, err := p.check(both).above(upper*(1+1e-6), c.delta); err != nil || k.DeltaUpper > c.delta {
			t.Errorf("%v: not shown without a bug: %v, %v", c.event, k, err)
		}
		for _, bug := range plantedBugs {
			s := honest()
			bug.spoil(&s)
			_, wrong, both := s.solve()
			if !(wrong < upper*(1-1e-6)) {
				continue
			}
			lowered[bug.name]++
			for _, epsilon := range []float64{wrong, wrong * (1 + 1e-9), lower * (1 - 1e-6)} {
				if epsilon > lower*(1-1e-6) {
					continue
				}
				if k, err := p.check(both).above(epsilon, c.delta); err == nil && k.DeltaUpper <= c.delta {
					t.Errorf("%v, %s: shown at ε = %g, and the true one is at least %g", c.event, bug.name, epsilon, lower)
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
