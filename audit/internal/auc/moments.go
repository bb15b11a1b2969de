package auc

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Wins counts the pairs of ascending scores in which the member is strictly above the non-member.
func Wins(members, nonMembers []float64) int {
	var wins, below int
	for _, x := range members {
		for below < len(nonMembers) && nonMembers[below] < x {
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
		theta, variance := binormal(mu, n1, n0)
		return (theta - auc) / math.Sqrt(variance)
	}
	mu, _ := tails.LastBelowFrom(statistic, tails.NormalQuantile(significance), 0, 1, 60, 1e-10)
	return mu
}

// binormal returns mean and variance of the empirical AUC of n1 draws from N(µ,1) against n0 from
// N(0,1). Both differences of near-ones are taken in the far tail. With φ = 1-θ = Φ(-µ/√2), θ(1-θ)
// = φ(1-φ) and Q-θ² = (1-2φ+R)-(1-φ)² = R-φ², where R = P[two differences that share one draw both
// fail] = Φ(h) - 2T(h, 1/√3), h = -µ/√2, T Owen's function.
func binormal(mu float64, n1, n0 int) (theta, variance float64) {
	h := -mu / math.Sqrt2
	miss := numeric.NormalCDF(h)
	both := math.Max(miss*miss, miss-2*owenT(h, 1/math.Sqrt(3)))
	a, b := float64(n1), float64(n0)
	return 1 - miss, (miss*(1-miss) + (a+b-2)*(both-miss*miss)) / (a * b)
}

// owenT returns T(h, a) = 1/(2π) ∫_0^a exp(-h²(1+x²)/2)/(1+x²) dx, for 0 <= a <= 1. It uses two
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

// moments are the first three cumulants of the losses, of n1 draws from N(µ,1) against n0 from
// N(0,1). A loss is a pair in which the member is below the non-member. The relative error of the
// third is at most 1e-4, from its quadrature.
type moments struct{ mean, variance, third float64 }

// newMoments adds up the cumulants of the U-statistic. With D = 1[Y > X] - φ for a pair,
// φ = Φ(-µ/√2), the r-th is a sum over the r-tuples of pairs whose graph, players as vertices and
// pairs as edges, is connected:
//
//	κ2 = n1 n0 [ E D² + (n0-1) E a² + (n1-1) E b² ]
//	κ3 = n1 n0 [ E D³ + 3(n0-1) E s a + 3(n1-1) E s' b
//	           + (n0-1)(n0-2) E a³ + (n1-1)(n1-2) E b³ + 6(n1-1)(n0-1) E a(X) b(Y) D ]
//
// where a = E[D|X] = Φ(-X) - φ, b = E[D|Y] = Φ(Y-µ) - φ, s = E[D²|X] = (1-2φ)(a+φ) + φ², and s' the
// same of b. The terms are: one pair three times; one pair twice, and one that shares a player;
// three pairs with one player in common; and a path of three. On the path E[D|X,Y] is D itself, and
// E a(X) b(Y) D = E a(X) b(Y) 1[Y > X], as E a = 0.
//
// Reference: Lee (1990), U-Statistics, Section 1.6, for the method.
func newMoments(mu float64, n1, n0 int) moments {
	phi := numeric.NormalCDF(-mu / math.Sqrt2)
	var aa, aaa, sa, path float64
	// By symmetry (X, Y) -> (µ-Y, µ-X) the terms of b are those of a. The trapezoidal rule on a whole
	// normal density has a negligible error. The path's running sum is off by the square of the step.
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
	return moments{
		mean:     n * m * phi,
		variance: n * m * (phi*(1-phi) + (m-1+n-1)*aa),
		third: n * m * (phi*(1-phi)*(1-2*phi) + 3*(m-1+n-1)*sa +
			((m-1)*(m-2)+(n-1)*(n-2))*aaa + 6*(n-1)*(m-1)*path),
	}
}

// MeanLosses returns the mean number of lost pairs of n1 draws from N(µ,1) against n0 from N(0,1).
func MeanLosses(mu float64, n1, n0 int) float64 { return newMoments(mu, n1, n0).mean }

// skewness is κ3/κ2^(3/2).
func (c moments) skewness() float64 { return c.third / math.Pow(c.variance, 1.5) }

// atMost returns the chance of at most so many losses by the gamma law of the same three moments
// (Pearson's type III), with the continuity correction.
func (c moments) atMost(losses float64) float64 {
	z, g := (losses+0.5-c.mean)/math.Sqrt(c.variance), c.skewness()
	if g < 1e-3 { // it differs from the normal law by less than g/6
		return numeric.NormalCDF(z)
	}
	shape := 4 / (g * g)
	x := shape + z*math.Sqrt(shape)
	if x <= 0 {
		return 0
	}
	return mathext.GammaIncReg(shape, x)
}

// leastSkew is the least skewness at which the gamma law replaces the normal one.
const leastSkew = 0.2

// mostSkew is the largest skewness at which it does. Beyond, most of the law is a few losses, and
// the normal law is far on the safe side. If one class has more than twice the games of the other,
// the law ends less steeply than the gamma law earlier. At 200 against 2,000 games, a skewness of
// 0.88 and 0.1 %, 0.24 % of audits were above the truth.
func mostSkew(n1, n0 int) float64 {
	if max(n1, n0) > 2*min(n1, n0) {
		return 0.5
	}
	return 0.9
}

// MuOfLosses returns the largest µ that so many losses refute, or 0. It also returns whether that µ
// is beyond the range of the gamma law. p(µ) is the chance of as few losses. It is by the gamma law
// up to mostSkew, and beyond by the normal one, which is larger.
//
// Where the normal law's bound has a skewness below leastSkew, it is the answer. That costs no
// confidence: let µ be true, and µ_N <= µ_G the two bounds. If µ is below the change of laws, each
// alarm has µ_N > µ; else each has µ_G > µ.
func MuOfLosses(losses float64, n1, n0 int, significance float64) (mu float64, beyond bool) {
	mu = muOfAUC(1-losses/(float64(n1)*float64(n0)), n1, n0, significance)
	if mu == 0 || newMoments(mu, n1, n0).skewness() < leastSkew {
		return mu, false
	}
	p := func(mu float64) float64 {
		c := newMoments(mu, n1, n0)
		if c.skewness() > mostSkew(n1, n0) {
			return numeric.NormalCDF((losses - c.mean) / math.Sqrt(c.variance))
		}
		return c.atMost(losses)
	}
	mu, _ = tails.LastBelowFrom(p, significance, mu, 1, 60, 1e-8)
	return mu, newMoments(mu+1e-7, n1, n0).skewness() > mostSkew(n1, n0)
}

// MuOfPerfect returns the µ that a sample without losses refutes. The chance of such a sample is
//
//	∫ n0 φ(y) Φ(y)^(n0-1) Φ(µ-y)^n1 dy = E Φ(µ - Y_max)^n1
func MuOfPerfect(n1, n0 int, significance float64) float64 {
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

// UnderCeiling returns mean and variance of the AUC of n1 members and n0 non-members that reach a
// symmetric ceiling G on the ROC everywhere: θ = ∫G, Q = ∫G², both worlds alike. kinks are the
// places where the slope of G jumps.
func UnderCeiling(tpr func(v float64) float64, kinks []float64, n1, n0 int) (theta, variance float64) {
	breaks := append(append([]float64{0, 1e-9, 1e-6, 1e-4, 1e-2, 0.1, 0.5}, kinks...), 1)
	slices.Sort(breaks)
	theta, _ = tails.Integrate(tpr, breaks, 1e-9, 400)
	square, _ := tails.Integrate(func(v float64) float64 { g := tpr(v); return g * g }, breaks, 1e-9, 400)
	a, b := float64(n1), float64(n0)
	return theta, math.Max((theta*(1-theta)+(a+b-2)*(square-theta*theta))/(a*b), 1e-300)
}
