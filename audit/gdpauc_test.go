package audit

import (
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
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
		mu := muOfAUC(c.auc, c.n, c.n, 0.05)
		near(t, "µ", mu, c.mu, 1e-6, source)
		near(t, "ε", epsilonOfMu(mu, 1e-5), c.eps, 1e-5, source)
		if c.n == 100 {
			// The standard error of a 5 % quantile is √(.05x.95/B)/density = .0085 for B = 2000 there
			// (.0049/.103 x sd of .18), .0027 for 20,000 here.
			simulated, _ := newAUCLaw(c.n, c.n).largestMu(int(c.auc*1e4), 0.05, rng)
			near(t, "simulated µ", simulated, c.mc, 0.045, source+", 5 standard errors")
		}
	}
	near(t, "µ of the file", must(GDPAUC(referenceScores(t), level95, nil)).Mu, 1.0464491746602778, 1e-6, "reference/audit.json csv_bounds")
}

// The variance against direct summation over a grid of Z, and the seam µ = 0, where the
// law of the Mann-Whitney statistic without ties is known: (n1+n0+1)/(12 n1 n0).
func TestBinormalVariance(t *testing.T) {
	_, v := binormalAUC(0, 30, 70)
	near(t, "Var at µ = 0", v, 101.0/(12*30*70), 1e-15, "closed form")
	for _, mu := range []float64{0.3, 1, 3, 6} {
		var q, theta float64
		const h = 1e-3
		for z := -12.0; z < 12; z += h {
			win := numeric.NormalCDF(mu - z)
			theta += h * tails.NormalDensity(z) * win
			q += h * tails.NormalDensity(z) * win * win
		}
		gotTheta, got := binormalAUC(mu, 40, 50)
		near(t, "θ", gotTheta, theta, 1e-12, "sum over a grid")
		near(t, "Var", got, (theta*(1-theta)+88*(q-theta*theta))/2000, 1e-13, "sum over a grid")
	}
}
