package auc

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
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
	return float64(len(in)*len(out) - Wins(in, out))
}

// The variance against Owen's function, and the third cumulant where it is known: 0 at µ = 0, that
// of one pair, and of one player against many, whose losses are a mixture of binomials with E
// C(n,3)-like moments: given X the losses are Bin(n0, p), p = Φ(-X), so that κ3 follows from E p, E
// p², E p³.
func TestAUCMoments(t *testing.T) {
	for _, mu := range []float64{0, 0.4, 1.7, 4} {
		_, v := binormal(mu, 40, 55)
		near(t, "variance / Owen's", newMoments(mu, 40, 55).variance/(v*2200*2200), 1, 1e-9, "binormal")
		phi := numeric.NormalCDF(-mu / math.Sqrt2)
		near(t, "third of one pair", newMoments(mu, 1, 1).third, phi*(1-phi)*(1-2*phi), 1e-12, "Bernoulli law")

		const n, h = 9., 1e-3
		var m1, m2, m3 float64 // E p, E p², E p³
		for z := -10.0; z < 10; z += h {
			p := numeric.NormalCDF(-mu - z)
			w := h * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
			m1, m2, m3 = m1+w*p, m2+w*p*p, m3+w*p*p*p
		}
		first, second, third := n*m1, n*(n-1)*m2+n*m1, n*(n-1)*(n-2)*m3+3*n*(n-1)*m2+n*m1
		want := third - 3*first*second + 2*first*first*first
		near(t, "third of one against nine", newMoments(mu, 1, 9).third, want, 1e-9, "mixture of binomials")
		near(t, "third of nine against one", newMoments(mu, 9, 1).third, want, 1e-9, "by symmetry")
	}
	c := newMoments(0, 30, 50)
	near(t, "skewness at µ = 0", c.skewness(), 0, 1e-6, "symmetry")
	// By simulation: the cube of a standardised law has a standard error of some √(15/draws) at
	// least; 5.6 of them, estimated from the draws, chance 2e-8.
	const draws = 40000
	in, out, rng := make([]float64, 12), make([]float64, 17), rand.New(rand.NewPCG(21, 22))
	c = newMoments(1.5, 12, 17)
	var sum, square float64
	for range draws {
		d := math.Pow((losses(rng, in, out, 1.5)-c.mean)/math.Sqrt(c.variance), 3)
		sum, square = sum+d, square+d*d
	}
	near(t, "skewness by simulation", sum/draws, c.skewness(), 5.6*math.Sqrt(square)/draws, "40,000 draws")
}

// Where leaks are strong the bound is above the truth in at most 5 % of audits, and not far below
// it: on the normal law's side it was 1 % at µ = 3.95 and 250 games. Each bound falls with the
// losses, so that the number that gives the truth is searched once. At most: nominal and three
// standard errors of 10,000 audits; at least 4 %.
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
			if mu, _ := MuOfLosses(float64(mid), c.n, c.n, 0.05); mu > c.mu {
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

// Classes of unequal size: at 0.1 % too the bound is above the truth in no more audits than that,
// and what a binomial exceeds with chance 1e-6. By the gamma law 0.24 % were; now it is the normal
// law's, or a simulation's.
func TestAUCBoundHoldsOfUnequalClasses(t *testing.T) {
	const n1, n0, mu, significance = 200, 2000, 3.84, 0.001
	audits := 30000
	if testing.Short() {
		audits = 10000
	}
	most := sort.Search(n1*n0, func(losses int) bool {
		m, _ := MuOfLosses(float64(losses), n1, n0, significance)
		return m <= mu
	}) - 1 // losses that give a bound above µ
	rng, alarms := rand.New(rand.NewPCG(33, 34)), 0
	for range audits {
		if fewLosses(rng, n1, n0, mu, most) {
			alarms++
		}
	}
	limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, significance) <= 1e-6 })
	t.Logf("%d of %d audits above the truth", alarms, audits)
	if alarms > limit {
		t.Errorf("%d of %d audits above the truth, want %d at most", alarms, audits, limit)
	}
}

// fewLosses draws an audit, and tells whether so many pairs or fewer are lost. The shares of
// non-members above each non-member's score are drawn from the best score on, as the smallest of
// the uniforms that are left.
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

// Perfect scores against their chance by simulation at the µ found, 5.6 standard errors, and where
// it is known: without a leak it is 1/C(8, 4).
func TestMuOfPerfectScores(t *testing.T) {
	near(t, "µ where 1/70 of audits of 4 + 4 are perfect", MuOfPerfect(4, 4, 1./70), 0, 3e-4, "1/C(8, 4)")
	const draws, n1, n0 = 20000, 30, 50
	mu, perfect := MuOfPerfect(n1, n0, 0.05), 0.
	in, out, rng := make([]float64, n1), make([]float64, n0), rand.New(rand.NewPCG(23, 24))
	for range draws {
		if losses(rng, in, out, mu) == 0 {
			perfect++
		}
	}
	near(t, "share of perfect audits", perfect/draws, 0.05, 5.6*math.Sqrt(0.05*0.95/draws), "20,000 draws")
}

// The variance against direct summation over a grid of Z, and the seam µ = 0, where the
// law of the Mann-Whitney statistic without ties is known: (n1+n0+1)/(12 n1 n0).
func TestBinormalVariance(t *testing.T) {
	_, v := binormal(0, 30, 70)
	near(t, "Var at µ = 0", v, 101.0/(12*30*70), 1e-15, "closed form")
	for _, mu := range []float64{0.3, 1, 3, 6} {
		var q, theta float64
		const h = 1e-3
		for z := -12.0; z < 12; z += h {
			win := numeric.NormalCDF(mu - z)
			theta += h * tails.NormalDensity(z) * win
			q += h * tails.NormalDensity(z) * win * win
		}
		gotTheta, got := binormal(mu, 40, 50)
		near(t, "θ", gotTheta, theta, 1e-12, "sum over a grid")
		near(t, "Var", got, (theta*(1-theta)+88*(q-theta*theta))/2000, 1e-13, "sum over a grid")
	}
}

func TestUnderCeilingAgainstTheBinormal(t *testing.T) {
	theta, variance := UnderCeiling(func(v float64) float64 { return numeric.NormalCDF(tails.NormalQuantile(v) + 1.3) }, nil, 60, 90)
	wantTheta, want := binormal(1.3, 60, 90)
	near(t, "θ", theta, wantTheta, 1e-8, "closed form")
	near(t, "Var", variance, want, 1e-8, "closed form")
}

func near(t *testing.T, what string, got, want, tol float64, source string) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.12g, want %.12g within %g (%s)", what, got, want, tol, source)
	}
}
