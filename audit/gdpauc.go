package audit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

const gdpAUCReference = "score test of the AUC with the exact binormal moments, under a Gaussian trade-off (derived in this package)"

// GDPAUC returns the lower bound on µ, and so on ε, from the area A under the ROC curve (ties count
// against the audit; [Scores.BreakTies] breaks them at random), if the mechanism is µ-GDP. It is
// the µ that solves
//
//	(A - θ)/√Var = z,  θ = Φ(µ/√2),  z = Φ^-1(confidence)
//	Var = [θ(1-θ) + (n1+n0-2)(Q-θ²)]/(n1 n0),  Q = E[Φ(µ-Z)²]
//
// the least favorable pair of µ-GDP being N(0,1) and N(µ,1). A says nothing of ε unless the
// trade-off is Gaussian: on Laplace noise with ε = 1 this bound is 3.2, on randomized response
// with ε = 3 it is 11.4 for 1,000 games of each class.
//
// Among bounds that see the order of the scores alone there is not much more to have: √n times the
// standard deviation of µ is at least 1.50, 1.77, 2.30 and 3.27 at µ = 1, 2, 3 and 3.95 for any of
// them, and 1.52, 1.77, 2.33 and 3.47 for this one. [NormalScores], which sees the scores
// themselves, has 1.50, 1.73, 2.06 and 2.43.
//
// With fewer than 200 games in a class the law of A, or of a statistic next to it, is simulated
// from rng, which may then not be nil, and the confidence holds exactly on average over the states
// of rng, and for nearly all of them. With more, the law is an approximation: the normal one, or at
// large µ the gamma law of the same three moments, up to where few pairs are lost (µ = 3.9 at 200
// games of each class, 4.7 at 1,000, 3.2 at 200 against 2,000): there it is simulated, or if rng is
// nil the normal law is taken, which gives less.
func GDPAUC(scores Scores, cfg Config, rng *rand.Rand) (Bound, error) {
	s, err := newSample(scores)
	if err = errors.Join(err, cfg.Validate(), validateGDPDelta(cfg.Delta)); err != nil {
		return Bound{}, err
	}
	if rng == nil && simulates(len(s.member), len(s.nonMember)) {
		return Bound{}, fmt.Errorf("audit: rng is nil: must not be with fewer than %d games in a class", simulateBelow)
	}
	b := s.gdpAUC(cfg, rng)
	b.doubtTies(s.tiedShare())
	return b, nil
}

func (s sample) gdpAUC(cfg Config, rng *rand.Rand) Bound {
	b := NewBound("gdp-auc", AssumeGDP, cfg, gdpAUCReference)
	b.ChosenBefore = "nothing to fix: the AUC needs no threshold"
	n1, n0 := len(s.member), len(s.nonMember)
	simulated := simulates(n1, n0)
	if !simulated {
		mu, beyond := muOfLosses(float64(n1)*float64(n0)-float64(s.wins()), n1, n0, cfg.Significance())
		b.finishGDP(mu, math.Max(mu, muOfPerfect(n1, n0, cfg.Significance())))
		simulated = beyond && rng != nil && refutingRank(cfg.Significance()) > 0
	}
	if simulated {
		law := newAUCLaw(n1, n0)
		b.finishGDP(law.largestMu(law.observe(s), cfg.Significance(), rng))
		b.ChosenBefore += fmt.Sprintf("; its law from %d simulated audits", simulations)
	}
	return b
}

// wins counts the pairs in which the member is strictly above the non-member.
func (s sample) wins() int {
	var wins, below int
	for _, x := range s.member {
		for below < len(s.nonMember) && s.nonMember[below] < x {
			below++
		}
		wins += below
	}
	return wins
}

// muOfAUC returns the largest µ that the score test refutes, or 0.
func muOfAUC(auc float64, n1, n0 int, significance float64) float64 {
	// minus the test statistic grows with µ
	statistic := func(mu float64) float64 {
		theta, variance := binormalAUC(mu, n1, n0)
		return (theta - auc) / math.Sqrt(variance)
	}
	mu, _ := tails.LastBelowFrom(statistic, tails.NormalQuantile(significance), 0, 1, 60, 1e-10)
	return mu
}

// binormalAUC returns mean and variance of the empirical AUC of n1 draws from N(µ,1)
// against n0 from N(0,1). Both differences of near-ones are taken in the far tail:
// with φ = 1-θ = Φ(-µ/√2), θ(1-θ) = φ(1-φ) and Q-θ² = (1-2φ+R)-(1-φ)² = R-φ², where
// R = P[two differences that share one draw both fail] = Φ(h) - 2T(h, 1/√3), h = -µ/√2,
// T Owen's function.
func binormalAUC(mu float64, n1, n0 int) (theta, variance float64) {
	h := -mu / math.Sqrt2
	miss := numeric.NormalCDF(h)
	both := math.Max(miss*miss, miss-2*owenT(h, 1/math.Sqrt(3)))
	a, b := float64(n1), float64(n0)
	return 1 - miss, (miss*(1-miss) + (a+b-2)*(both-miss*miss)) / (a * b)
}

// owenT returns T(h, a) = 1/(2π) ∫_0^a exp(-h²(1+x²)/2)/(1+x²) dx, for 0 <= a <= 1, by two
// panels of the 15-point rule (error below 1e-15).
//
// Reference: Owen (1956), Annals of Mathematical Statistics 27(4).
func owenT(h, a float64) float64 {
	nodes := tails.Rule(tails.Rule(nil, 0, a/2), a/2, a)
	var sum float64
	for _, n := range nodes {
		sum += n.Kronrod * math.Exp(-h*h*(1+n.X*n.X)/2) / (1 + n.X*n.X)
	}
	return sum / (2 * math.Pi)
}

// aucMoments are the first three cumulants of the losses, the pairs in which the member is below
// the non-member, of n1 draws from N(µ,1) against n0 from N(0,1). The quadrature of the third is
// off by 1e-4 of it or less.
type aucMoments struct{ mean, variance, third float64 }

// newAUCMoments adds up the cumulants of the U-statistic. With D = 1[Y > X] - φ for a pair,
// φ = Φ(-µ/√2), the r-th is a sum over the r-tuples of pairs whose graph, players as vertices and
// pairs as edges, is connected:
//
//	κ2 = n1 n0 [ E D² + (n0-1) E a² + (n1-1) E b² ]
//	κ3 = n1 n0 [ E D³ + 3(n0-1) E s a + 3(n1-1) E s' b
//	           + (n0-1)(n0-2) E a³ + (n1-1)(n1-2) E b³ + 6(n1-1)(n0-1) E a(X) b(Y) D ]
//
// where a = E[D|X] = Φ(-X) - φ, b = E[D|Y] = Φ(Y-µ) - φ, s = E[D²|X] = (1-2φ)(a+φ) + φ², and s' the
// same of b. The terms are of one pair three times; twice, and one that shares a player; three with
// one player in common; and a path of three. On the path E[D|X,Y] is D itself, and
// E a(X) b(Y) D = E a(X) b(Y) 1[Y > X], as E a = 0.
//
// Reference: Lee (1990), U-Statistics, Section 1.6, for the method.
func newAUCMoments(mu float64, n1, n0 int) aucMoments {
	phi := numeric.NormalCDF(-mu / math.Sqrt2)
	var aa, aaa, sa, path float64
	// By symmetry (X, Y) -> (µ-Y, µ-X) the terms of b are those of a. The trapezoidal rule on a
	// whole normal density has no error to speak of; the path's running sum is off by the square of
	// the step.
	const step, far = 1. / 32, 9
	below := 0. // E a(X) 1[X < y] so far
	for y := -far + math.Min(0, mu); y <= far+math.Max(0, mu); y += step {
		atX, atY := step*tails.NormalDensity(y-mu), step*tails.NormalDensity(y)
		a, b := numeric.NormalCDF(-y)-phi, numeric.NormalCDF(y-mu)-phi
		aa += atX * a * a
		aaa += atX * a * a * a
		sa += atX * ((1-2*phi)*(a+phi) + phi*phi) * a
		path += atY * b * (below + atX*a/2)
		below += atX * a
	}
	n, m := float64(n1), float64(n0)
	return aucMoments{
		mean:     n * m * phi,
		variance: n * m * (phi*(1-phi) + (m-1+n-1)*aa),
		third: n * m * (phi*(1-phi)*(1-2*phi) + 3*(m-1+n-1)*sa +
			((m-1)*(m-2)+(n-1)*(n-2))*aaa + 6*(n-1)*(m-1)*path),
	}
}

// skewness is κ3/κ2^(3/2).
func (c aucMoments) skewness() float64 { return c.third / math.Pow(c.variance, 1.5) }

// atMost returns the chance of at most so many losses by the gamma law of the same three moments
// (Pearson's type III), with the correction for whole numbers.
func (c aucMoments) atMost(losses float64) float64 {
	z, g := (losses+0.5-c.mean)/math.Sqrt(c.variance), c.skewness()
	if g < 1e-3 { // of the normal law it differs by less than g/6
		return numeric.NormalCDF(z)
	}
	shape := 4 / (g * g)
	x := shape + z*math.Sqrt(shape)
	if x <= 0 {
		return 0
	}
	return mathext.GammaIncReg(shape, x)
}

// leastSkew is the skewness from which on the gamma law is taken in place of the normal one.
const leastSkew = 0.2

// mostSkew is the skewness up to which it is: for more, most of the law is a few losses, and the
// normal law is far on the safe side. Where one class has more games than twice those of the other
// the law ends less steeply than the gamma law before: at 200 against 2,000 games, a skewness of
// 0.88 and 0.1 %, 0.24 % of audits were above the truth.
func mostSkew(n1, n0 int) float64 {
	if max(n1, n0) > 2*min(n1, n0) {
		return 0.5
	}
	return 0.9
}

// muOfLosses returns the largest µ that so many losses refute, or 0, and whether it is beyond where
// the gamma law is taken. p(µ), the chance of as few losses, is by the gamma law up to mostSkew,
// and beyond by the normal one, which is larger.
//
// Where the normal law's own bound has a skewness below leastSkew it is the answer. That costs no
// confidence: let µ be true, and µ_N <= µ_G the two bounds. If µ is below where the laws change,
// each alarm has µ_N > µ; else each has µ_G > µ.
func muOfLosses(losses float64, n1, n0 int, significance float64) (mu float64, beyond bool) {
	mu = muOfAUC(1-losses/(float64(n1)*float64(n0)), n1, n0, significance)
	if mu == 0 || newAUCMoments(mu, n1, n0).skewness() < leastSkew {
		return mu, false
	}
	p := func(mu float64) float64 {
		c := newAUCMoments(mu, n1, n0)
		if c.skewness() > mostSkew(n1, n0) {
			return numeric.NormalCDF((losses - c.mean) / math.Sqrt(c.variance))
		}
		return c.atMost(losses)
	}
	mu, _ = tails.LastBelowFrom(p, significance, mu, 1, 60, 1e-8)
	return mu, newAUCMoments(mu+1e-7, n1, n0).skewness() > mostSkew(n1, n0)
}

// muOfPerfect returns the µ that a sample without losses refutes: the chance of one is
//
//	∫ n0 φ(y) Φ(y)^(n0-1) Φ(µ-y)^n1 dy = E Φ(µ - Y_max)^n1
func muOfPerfect(n1, n0 int, significance float64) float64 {
	const panels = 16
	var nodes []tails.Node
	for i := range panels { // over u = Φ(y)^n0, uniform
		nodes = tails.Rule(nodes, float64(i)/panels, float64(i+1)/panels)
	}
	largest := make([]float64, len(nodes))
	for i, n := range nodes { // -y = Φ^-1(1 - u^(1/n0))
		largest[i] = tails.NormalUpperQuantile(-math.Expm1(numeric.Log(n.X) / float64(n0)))
	}
	p := func(mu float64) (sum float64) {
		for i, n := range nodes {
			sum += n.Kronrod * math.Exp(float64(n1)*math.Log1p(-numeric.NormalCDF(largest[i]-mu)))
		}
		return sum
	}
	mu, _ := tails.LastBelowFrom(p, significance, 0, 1, 60, 1e-8)
	return mu
}
