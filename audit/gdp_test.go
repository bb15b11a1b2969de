package audit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/audit/internal/auc"
)

func TestGDPAUCReference(t *testing.T) {
	const source = "reference/audit.json gdp_auc, score test and Monte Carlo inversion"
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n                int
		auc, mu, eps, mc float64
	}{
		{1000, 0.7602499389065233, 0.9200392678771635, 3.9756495839565327, 0.9178155921399593},
		{1000, 0.54, 0.06659341868162488, 0.2187653781357711, 0.06507948786020279},
		{100, 0.76, 0.740391781252678, 3.101000722305522, 0.7434672936797142},
	} {
		mu, _ := auc.MuOfLosses((1-c.auc)*float64(c.n*c.n), c.n, c.n, 0.05)
		near(t, "µ", mu, c.mu, 1e-6, source)
		near(t, "ε", epsilonOfMu(mu, 1e-5), c.eps, 1e-5, source)
		if c.n == 100 {
			// The standard error of a 5 % quantile is √(.05x.95/B)/density = .0085 for B = 2000 there
			// (.0049/.103 x sd of .18), .0027 for 20,000 here.
			simulated, _ := auc.NewLaw(c.n, c.n).LargestMu(int(c.auc*1e4), 0.05, rng)
			near(t, "simulated µ", simulated, c.mc, 0.045, source+", 5 standard errors")
		}
	}
	near(t, "µ of the file", must(GDPAUC(referenceScores(t), level95, nil)).Mu, 1.0464491746602778, 1e-6, "reference/audit.json csv_bounds")
}

// What the bound says at large µ, however it is computed: the simulated law of more games than it
// is asked for.
func TestAUCBoundAgreesWithSimulation(t *testing.T) {
	const n, mu = 250, 3.95
	rng := rand.New(rand.NewPCG(25, 26))
	audits := 3
	if testing.Short() {
		audits = 1
	}
	for range audits {
		in, out := make([]float64, n), make([]float64, n)
		for i := range n {
			in[i], out[i] = rng.NormFloat64()+mu, rng.NormFloat64()
		}
		slices.Sort(in)
		slices.Sort(out)
		s := Scores{in, out}
		ours := must(GDPAUC(s, level95, nil)).Mu
		law := auc.NewLaw(n, n)
		want, _ := law.LargestMu(law.Observe(in, out), 0.05, rng)
		// The statistic is not quite the AUC (correlation above 0.998), whose standard error is 0.23.
		near(t, "µ", ours, want, 0.06, "simulated law")
	}
}

// Beyond the gamma law the bound is simulated, if it may be, and at most its ceiling.
func TestAUCBoundOfPerfectScores(t *testing.T) {
	s := Scores{make([]float64, 250), make([]float64, 250)}
	for i := range s.Member {
		s.Member[i] = 1 + float64(i)
		s.NonMember[i] = -float64(i)
	}
	exact := auc.MuOfPerfect(250, 250, 0.05)
	normal, simulated := must(GDPAUC(s, level95, nil)), must(GDPAUC(s, level95, rand.New(rand.NewPCG(1, 2))))
	if normal.Mu >= exact {
		t.Errorf("perfect scores: µ >= %g by the normal law, want less than %g", normal.Mu, exact)
	}
	near(t, "ceiling", normal.Ceiling, epsilonOfMu(exact, 1e-5), 1e-6, "the exact law of perfect scores")
	near(t, "simulated µ of perfect scores", simulated.Mu, exact, 0.05, "its exact law")
	if simulated.Epsilon > simulated.Ceiling {
		t.Errorf("bound %g above its ceiling %g", simulated.Epsilon, simulated.Ceiling)
	}
	sure := Config{Delta: 1e-5, Confidence: 0.99999} // more than Simulations can say
	if b, want := must(GDPAUC(s, sure, rand.New(rand.NewPCG(1, 2)))), must(GDPAUC(s, sure, nil)); !(b.Mu > 0 && b.Mu == want.Mu) {
		t.Errorf("at confidence %g: %v, want the %v of the normal law", sure.Confidence, b, want)
	}
}
