package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// losses counts the pairs in which the member is below, of fresh draws from N(µ,1) and N(0,1).
func losses(rng *rand.Rand, in, out []float64, mu float64) float64 {
	for i := range in {
		in[i] = rng.NormFloat64() + mu
	}
	for i := range out {
		out[i] = rng.NormFloat64()
	}
	slices.Sort(in)
	slices.Sort(out)
	return float64(len(in)*len(out) - sample{in, out}.wins())
}

// The variance against Owen's function, and the third cumulant where it is known: 0 at µ = 0, that of one
// pair, and of one player against many, whose losses are a mixture of binomials with E C(n,3)-like moments:
// given X the losses are Bin(n0, p), p = Φ(-X), so that κ3 follows from E p, E p², E p³.
func TestAUCMoments(t *testing.T) {
	for _, mu := range []float64{0, 0.4, 1.7, 4} {
		_, v := binormalAUC(mu, 40, 55)
		near(t, "variance / Owen's", newAUCMoments(mu, 40, 55).variance/(v*2200*2200), 1, 1e-9, "binormalAUC")
		phi := numeric.NormalCDF(-mu / math.Sqrt2)
		near(t, "third of one pair", newAUCMoments(mu, 1, 1).third, phi*(1-phi)*(1-2*phi), 1e-12, "Bernoulli law")

		const n, h = 9., 1e-3
		var m1, m2, m3 float64 // E p, E p², E p³
		for z := -10.0; z < 10; z += h {
			p := numeric.NormalCDF(-mu - z)
			w := h * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
			m1, m2, m3 = m1+w*p, m2+w*p*p, m3+w*p*p*p
		}
		first, second, third := n*m1, n*(n-1)*m2+n*m1, n*(n-1)*(n-2)*m3+3*n*(n-1)*m2+n*m1
		want := third - 3*first*second + 2*first*first*first
		near(t, "third of one against nine", newAUCMoments(mu, 1, 9).third, want, 1e-9, "mixture of binomials")
		near(t, "third of nine against one", newAUCMoments(mu, 9, 1).third, want, 1e-9, "by symmetry")
	}
	c := newAUCMoments(0, 30, 50)
	near(t, "skewness at µ = 0", c.skewness(), 0, 1e-6, "symmetry")
	// By simulation: the cube of a standardised law has a standard error of some √(15/draws) at least; 5.6 of
	// them, estimated from the draws, chance 2e-8.
	const draws = 40000
	in, out, rng := make([]float64, 12), make([]float64, 17), rand.New(rand.NewPCG(21, 22))
	c = newAUCMoments(1.5, 12, 17)
	var sum, square float64
	for range draws {
		d := math.Pow((losses(rng, in, out, 1.5)-c.mean)/math.Sqrt(c.variance), 3)
		sum, square = sum+d, square+d*d
	}
	near(t, "skewness by simulation", sum/draws, c.skewness(), 5.6*math.Sqrt(square)/draws, "40,000 draws")
}

// Where leaks are strong the bound is above the truth in at most 5 % of audits, and not far below it: on the normal
// law's side it was 1 % at µ = 3.95 and 250 games. Each bound falls with the losses, so that the number that gives the
// truth is searched once. At most: nominal and three standard errors of 10,000 audits; at least 4 %.
func TestAUCBoundHoldsAtLargeMu(t *testing.T) {
	audits := 10000
	if testing.Short() {
		audits = 2000
	}
	for _, c := range []struct {
		n  int
		mu float64
	}{{200, 2}, {200, 3}, {200, 3.7}, {250, 3.95}, {400, 4}} {
		lo, hi := 0, c.n*c.n // losses that give a bound above µ, and that do not
		for hi-lo > 1 {
			mid := (lo + hi) / 2
			if mu, _ := muOfLosses(float64(mid), c.n, c.n, 0.05); mu > c.mu {
				lo = mid
			} else {
				hi = mid
			}
		}
		in, out, rng, alarms := make([]float64, c.n), make([]float64, c.n), rand.New(rand.NewPCG(31, uint64(c.n))), 0
		for range audits {
			if losses(rng, in, out, c.mu) <= float64(lo) {
				alarms++
			}
		}
		rate := float64(alarms) / float64(audits)
		t.Logf("n %d, µ %g: %.4f of audits above the truth", c.n, c.mu, rate)
		if rate > 0.05+3*math.Sqrt(0.05*0.95/float64(audits)) || rate < 0.04 {
			t.Errorf("n %d, µ %g: %.4f of audits above the truth, want 0.04 to 0.05 and three standard errors", c.n, c.mu, rate)
		}
	}
}

// Classes of unequal size: at 0.1 % too the bound is above the truth in no more audits than that, and what a binomial exceeds with chance 1e-6.
// By the gamma law 0.24 % were; now it is the normal law's, or a simulation's.
func TestAUCBoundHoldsOfUnequalClasses(t *testing.T) {
	const n1, n0, mu, significance = 200, 2000, 3.84, 0.001
	audits := 30000
	if testing.Short() {
		audits = 10000
	}
	most := tails.FirstTrue(n1*n0, func(losses int) bool {
		m, _ := muOfLosses(float64(losses), n1, n0, significance)
		return m <= mu
	}) - 1 // losses that give a bound above µ
	rng, alarms := rand.New(rand.NewPCG(33, 34)), 0
	for range audits {
		if fewLosses(rng, n1, n0, mu, most) {
			alarms++
		}
	}
	limit := tails.FirstTrue(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, significance) <= 1e-6 })
	t.Logf("%d of %d audits above the truth", alarms, audits)
	if alarms > limit {
		t.Errorf("%d of %d audits above the truth, want %d at most", alarms, audits, limit)
	}
}

// fewLosses draws an audit, and tells whether so many pairs or fewer are lost. The shares of non-members above each non-member's score are drawn
// from the best score on, as the smallest of the uniforms that are left.
func fewLosses(rng *rand.Rand, n1, n0 int, mu float64, most int) bool {
	members := make([]float64, n1) // the shares of non-members above each
	for i := range members {
		members[i] = numeric.NormalCDF(-rng.NormFloat64() - mu)
	}
	slices.Sort(members)
	share, lost, above := 0.0, 0, 0 // above: members above this non-member
	for j := range n0 {
		share -= (1 - share) * math.Expm1(-rng.ExpFloat64()/float64(n0-j))
		for above < n1 && members[above] < share {
			above++
		}
		if lost += n1 - above; lost > most || above == n1 {
			break
		}
	}
	return lost <= most
}

// Perfect scores against their chance by simulation at the µ found, 5.6 standard errors, and where it is known: without a
// leak it is 1/C(8, 4).
func TestMuOfPerfectScores(t *testing.T) {
	near(t, "µ where 1/70 of audits of 4 + 4 are perfect", muOfPerfect(4, 4, 1./70), 0, 3e-4, "1/C(8, 4)")
	const draws, n1, n0 = 20000, 30, 50
	mu, perfect := muOfPerfect(n1, n0, 0.05), 0.
	in, out, rng := make([]float64, n1), make([]float64, n0), rand.New(rand.NewPCG(23, 24))
	for range draws {
		if losses(rng, in, out, mu) == 0 {
			perfect++
		}
	}
	near(t, "share of perfect audits", perfect/draws, 0.05, 5.6*math.Sqrt(0.05*0.95/draws), "20,000 draws")
}

// What the bound says at large µ, however it is computed: the simulated law of more games than it is asked for.
func TestAUCBoundAgreesWithSimulation(t *testing.T) {
	const n, mu = 250, 3.95
	rng := rand.New(rand.NewPCG(25, 26))
	audits := 3
	if testing.Short() {
		audits = 1
	}
	for range audits {
		in, out := make([]float64, n), make([]float64, n)
		losses(rng, in, out, mu)
		s := Scores{in, out}
		ours := must(GDPAUC(s, level95, nil)).Mu
		law := newAUCLaw(n, n)
		want, _ := law.largestMu(law.observe(must(newSample(s))), 0.05, rng)
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
	exact := muOfPerfect(250, 250, 0.05)
	normal, simulated := must(GDPAUC(s, level95, nil)), must(GDPAUC(s, level95, rand.New(rand.NewPCG(1, 2))))
	if normal.Mu >= exact {
		t.Errorf("perfect scores: µ >= %g by the normal law, want less than %g", normal.Mu, exact)
	}
	near(t, "ceiling", normal.Ceiling, epsilonOfMu(exact, 1e-5), 1e-6, "the exact law of perfect scores")
	near(t, "simulated µ of perfect scores", simulated.Mu, exact, 0.05, "its exact law")
	if simulated.Epsilon > simulated.Ceiling {
		t.Errorf("bound %g above its ceiling %g", simulated.Epsilon, simulated.Ceiling)
	}
	sure := Config{Delta: 1e-5, Confidence: 0.99999} // more than simulations can say
	if b, want := must(GDPAUC(s, sure, rand.New(rand.NewPCG(1, 2)))), must(GDPAUC(s, sure, nil)); !(b.Mu > 0 && b.Mu == want.Mu) {
		t.Errorf("at confidence %g: %v, want the %v of the normal law", sure.Confidence, b, want)
	}
}
