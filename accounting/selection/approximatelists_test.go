package selection_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Runs that fail with some chance have no Rényi curve, and where δ is large only Lemma 20 is
// finite: it must be tried for every law, under its own name and inside a truncated one. The
// largest of all such runs, randomized response with a failure, is enumerated in every order of
// its outputs: no price may be below.
func TestApproximateRunsOfEveryLaw(t *testing.T) {
	for i, c := range []struct {
		law           law.Law
		epsilon, tiny float64 // of one run
		delta, atMost float64
		src           string
	}{
		{law.TwoPoint{Runs: 1_000_000, Single: 0.9}, 1, 1e-5, 0.15, 1, "at δ0 = 0.0555 a million runs without a failure never happen, so that one run is left"},
		{law.Truncated{Law: law.TNB{Eta: 0, Gamma: 1e-4}, Max: 20_000}, 1, 1e-3, 0.3, 2, "Corollary 3 of Papernot and Steinke: (2+η)ε for the law itself, and a tilted law is one with a larger γ"},
		{law.PMF{Weights: []float64{0, 0.5, 0, 0, 0.5}}, 1, 1e-3, 0.1, 4, "four runs, all published"},
		{law.Capped{Law: law.Poisson{MeanRepeats: 5}, Max: 8}, 1, 1e-3, 0.1, 8, "eight runs, all published"},
		{law.Fixed{Count: 3}, 1, 1e-3, 0.1, 3, "three runs, all published"},
		{law.Binomial{Trials: 20, P: 0.2}, 1, 1e-3, 0.1, 20, "twenty runs, all published"},
	} {
		if testing.Short() && i%2 == 0 {
			continue
		}
		p, err := selection.EventAt(selection.BestOf{Law: c.law, Base: accounting.ApproxDP{Epsilon: c.epsilon, Delta: c.tiny}}, c.delta)
		if err != nil {
			t.Errorf("%v: %v", c.law, err)
			continue
		}
		got := p.Least().Epsilon
		if !(got <= c.atMost*(1+1e-9)) {
			t.Errorf("%v over (%g, %g), δ %g: ε %g, want at most %g: %s", c.law, c.epsilon, c.tiny, c.delta, got, c.atMost, c.src)
		}
		if worst := worstOfFailing(c.law, c.epsilon, c.tiny, got); worst > c.delta*(1+1e-9) {
			t.Errorf("%v over (%g, %g): at ε %g an order of the outputs has δ %g, above %g", c.law, c.epsilon, c.tiny, got, worst, c.delta)
		}
	}
}

// worstOfFailing returns the largest δ at ε over all orders of the four outputs of the
// (ε0, δ0)-private randomized response with a failure that gives the data set away.
func worstOfFailing(k law.Law, epsilon0, delta0, epsilon float64) float64 {
	truth := (1 - delta0) / (1 + math.Exp(-epsilon0))
	p, q := []float64{delta0, truth, 1 - delta0 - truth, 0}, []float64{0, 1 - delta0 - truth, truth, delta0}
	worst := 0.0
	var orders func(from int)
	orders = func(from int) {
		if from == len(p) {
			worst = math.Max(worst, enumerate.Of(p, q).Best(k).Delta(epsilon))
			return
		}
		for i := from; i < len(p); i++ {
			p[from], p[i], q[from], q[i] = p[i], p[from], q[i], q[from]
			orders(from + 1)
			p[from], p[i], q[from], q[i] = p[i], p[from], q[i], q[from]
		}
	}
	orders(0)
	return worst
}
