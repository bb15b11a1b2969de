package pld_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/pld"
)

// Two laws whose directions differ, released twice: the lower end of remove is that of P against Q,
// enumerated, whichever is the larger.
func TestRemoveAlone(t *testing.T) {
	small := []float64{0.05, 0.25, 0.7}
	large := []float64{0.3, 0.3, 0.4}
	for name, pair := range map[string]pld.DiscretePair{"remove is larger": {With: small, Without: large}, "add is larger": {With: large, Without: small}} {
		event := accounting.SelfComposed{Event: pair, Count: 2}
		remove := func(epsilon float64) (delta float64) {
			for i := range pair.With {
				for j := range pair.With {
					delta += math.Max(0, pair.With[i]*pair.With[j]-math.Exp(epsilon)*pair.Without[i]*pair.Without[j])
				}
			}
			return delta
		}
		for _, epsilon := range []float64{0, 0.3, 1.1} {
			delta := remove(epsilon)
			got, err := pld.NewAccountant().RemoveDeltaTo(asked(t, event), epsilon)
			if err != nil || !(got <= delta*(1+1e-12) && got >= 0.98*delta) {
				t.Errorf("%s: δ(%g) at least %g, %v, want %g", name, epsilon, got, err, delta)
			}
			if epsilon == 0 {
				continue
			}
			at, err := pld.NewAccountant().RemoveEpsilonTo(asked(t, event), delta)
			if err != nil || !(at <= epsilon*(1+1e-12) && at >= epsilon-0.02) {
				t.Errorf("%s: ε(%g) at least %g, %v, want %g", name, delta, at, err, epsilon)
			}
		}
		pair.Above = true
		if lower, err := pld.NewAccountant().RemoveEpsilonTo(asked(t, pair), 1e-3); lower != 0 || err != nil {
			t.Errorf("%s: laws above the mechanism: at least %g, %v", name, lower, err)
		}
		if lower, err := pld.NewAccountant().RemoveDeltaTo(asked(t, pair), 0.1); lower != 0 || err != nil {
			t.Errorf("%s: laws above the mechanism: δ at least %g, %v", name, lower, err)
		}
	}
}

// asked returns the question about an event.
func asked(t *testing.T, event accounting.Event) ask.Question {
	t.Helper()
	q, err := ask.Asked(pld.NewAccountant(), event)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
