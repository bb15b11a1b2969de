package pld_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
)

// What shows all of its sample has δ = q at every ε, and 1 - (1-q)^n in n runs; ε is finite from
// there on, and 0 for one run.
func TestNonPrivateOnASample(t *testing.T) {
	const q = 0.125
	size := accounting.SampledWithoutReplacement{SampleSize: 1, PopulationSize: 8, Event: accounting.NonPrivate{}}
	poisson := accounting.PoissonSampled{SamplingRate: q, Event: accounting.NonPrivate{}}
	for name, c := range map[string]struct {
		relation accounting.Neighboring
		event    accounting.Event
	}{
		"Poisson":                  {accounting.AddOrRemoveOne, poisson},
		"Poisson, record replaced": {accounting.ReplaceOne, poisson},
		"fixed size":               {accounting.ReplaceOne, size},
	} {
		a := pld.Accountant{Relation: c.relation}
		for _, n := range []int{1, 2, 5} {
			want := 1 - math.Pow(1-q, float64(n))
			event := accounting.SelfComposed{Count: n, Event: c.event}
			d, err := a.DeltaAt(event, 3)
			if err != nil || !(d.Lower <= want*(1+1e-12) && d.Upper >= want*(1-1e-12) && d.Width() < 0.01*want) {
				t.Errorf("%s, %d runs: δ(3) %v, %v, want %g", name, n, d, err, want)
			}
			below, err := a.EpsilonAt(event, want*0.99)
			above, errAbove := a.EpsilonAt(event, math.Min(0.999, want*1.01))
			if err != nil || errAbove != nil || !math.IsInf(below.Epsilon.Upper, 1) || !(above.Epsilon.Upper < 1) {
				t.Errorf("%s, %d runs: ε %v below δ = %g, %v above; %v, %v", name, n, below.Epsilon, want, above.Epsilon, err, errAbove)
			}
		}
	}
	if g, err := pld.NewAccountant().EpsilonAt(accounting.PoissonSampled{SamplingRate: 1, Event: accounting.NonPrivate{}}, 0.5); err != nil || g.Epsilon != accounting.Exact(math.Inf(1)) {
		t.Errorf("a sample of all: %v, %v, want +Inf", g, err)
	}
}
