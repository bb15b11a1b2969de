package transform

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// The law of a replaced record. For a sum of clipped vectors on a Poisson sample the pair of laws
// is (package pld, replaceone_sum.go)
//
//	P = (1-q) N(0, σ²) + q N(1, σ²),   Q = (1-q) N(0, σ²) + q N(-1, σ²).
//
// With A(x) = e^{l(x)} = 1-q + q e^v, v = (2x-1)/(2σ²), the densities are ρ(x) A(x) and ρ(x) A(-x).
// The loss is L(x) = l(x) - l(-x), and
//
//	M(z) = E_P e^{zL} = ∫ ρ(x) A(-x) e^{(z+1)L(x)} dx = ∫ ρ(x) A(x)^{z+1} A(-x)^{-z} dx.
//
// x -> -x exchanges P and Q, so both directions are equal. Here the direction is Remove. The law
// has L in place of l, and ρ(x) A(-x) in place of ρ. All that holds for a pair with E_Q e^L = 1
// carries over: mgf.go, the mean in quadrature.go, aliasing, trimming. The other proofs use the
// shape of l. For L they are as follows, with r(x) = σ² l'(x) the posterior, θ = y/σ², and c the
// real part of z.
//
// The strip. For |θ| < π neither A(x+iy) nor A(-x-iy) is 0, so L is analytic. For 0 <= θ < π
//
//	Im L(x+iy) = arg A(x+iy) - arg A(-x-iy) = ψ(x) + ψ(-x),   ψ(x) = arg(1-q + q e^{v+iθ}),
//
// as v(-x-iy) = v(-x) - iθ. ψ is in [0, θ], so |e^{itL}| <= 1 for t >= 0, as in quadrature.go. Re L
// differs from L(x) by at most -log cos(θ/2), and Im L is at most 2θ.
//
// The growth. |A(x+iy)|^{c+1} is at most A(x)^{c+1}. As |A(-x-iy)|² = A(-x)² (1 - 4r(1-r)
// sin²(θ/2)), r = r(-x), the size of the integrand is at most e^{y²/2σ²} R(x) times that at x, with
//
//	R(x) = (1 - 4r(1-r) sin²(θ/2))^{-c/2} <= cos(θ/2)^{-c}.
//
// For θ <= π/2 also |A(-x-iy)| >= 1-q. So the integral on the line is at most e^{y²/2σ²} (1-q)^{-c}
// F(c+1), F(α) = E_ρ A(x)^α. And F(c+1) <= M(c): with ν the law of density ρ A^{c+1}/F(c+1),
//
//	M(c)/F(c+1) = E_ν A(-x)^{-c} >= (E_ν A(-x))^{-c} >= (E_ρ A(-x))^{-c} = 1,
//
// by Jensen, and because A(x) rises and A(-x) falls in x (Chebyshev). So R has a mean of at most
// (1-q)^{-c} under the tilted law. Its second moment is at most
//
//	(1-q)^{-2c} ∫ ρ A(x)^{c+1} A(-x)^c dx / M(c) <= (1-q)^{-2c} F(c),
//
// by Chebyshev again. The mean of R |L-m| is at most s times its root (Cauchy).
//
// The window. σ² times the slope of log(ρ A(x)^{c+1} A(-x)^{-c}) is (c+1) r(x) + c r(-x) - x. It is
// at least -x below 0. Above 0, where r(-x) <= r(0), it is at most c+1 + c r(0) - x. P and Q have
// slopes of r(x)-x and -r(-x)-x. So all tails fall as in endTails, from -1-W down and from
// max(1, c+1 + c r(0)) + W up.
//
// Curvature. The second derivative of the tilted law's log p is ((c+1) r(1-r)(x) - c r(1-r)(-x))/σ⁴
// - 1/σ². The slope of L is S/σ², S = r(x) + r(-x), and
//
//	-(log S)'' = (S'/S)² - S''/S <= (1 + 1/8)/σ⁴,
//
// as r' = r(1-r)/σ² <= r/σ², and r'' = r(1-r)(1-2r)/σ⁴ >= -r/(8σ⁴). So the density p/L' of the
// tilted loss has the second derivative of its logarithm below ((c+1) max r(1-r) + 9/8)/σ⁴ - 1/σ².
//
// The line tail. |φ(t)| is at most e^{b²/2σ²} E[R e^{-t(ψ(x)+ψ(-x))}]. ψ rises, so on a cell [u, w]
// the exponent is at most -t(ψ(u)+ψ(-w)). And r(-x) falls, so r(1-r) is at most that of an end, or
// 1/4 if r passes 1/2 between them.

// slopeBend is σ⁴ times the bound of -(log S)”.
const slopeBend = 9. / 8

// logSlope returns log S/q.
func (w *Law) logSlope(x float64) float64 {
	s2 := 2 * w.Sigma * w.Sigma
	return numeric.Add((2*x-1)/s2-w.logRatio(x), (-2*x-1)/s2-w.logRatio(-x)) // log r = log q + v - l
}

// highestHump bounds from above where the tilted law of order α = c+1 has its mass.
func (w *Law) highestHump(alpha float64) float64 {
	return alpha + math.Max(0, alpha-1)*w.posterior(0)
}

// turn bounds the imaginary part of the loss in the strip.
func (w *Law) turn() float64 {
	if w.Replaced {
		return 2 * math.Pi
	}
	return math.Pi
}

// onLine bounds log R of a replaced record at every x, at y.
func (g growth) onLine(y float64) float64 {
	if g.replaced {
		return g.everywhere(y)
	}
	return 0
}

// bothReplaced is both for a replaced record.
func (g growth) bothReplaced(y float64) (log, withLoss float64) {
	theta := y / (g.sigma * g.sigma)
	if theta >= math.Pi {
		return math.Inf(1), math.Inf(1)
	}
	log = g.everywhere(y)
	withLoss = log
	if theta <= math.Pi/2 {
		second := -g.a * math.Log1p(-g.q)
		log = math.Min(log, second)
		square := 0.0 // log F(c), which is at most 0 for c <= 1
		if g.a > 1 {
			square = convexK(g.q, g.sigma, g.a-1)
		}
		withLoss = math.Min(withLoss, second+square/2)
	}
	return log, withLoss
}

// replacedK bounds K(a) of a replaced record in closed form.
//
// Proof. A(-x) >= 1-q gives M(a) <= (1-q)^{-a} F(a+1). ∫ P^{a+1} Q^{-a} is jointly convex. So it
// is at most 1-q plus q times that of N(1, σ²) and N(-1, σ²).
func replacedK(q, sigma, a float64) float64 {
	return math.Min(convexK(q, sigma, a)-a*math.Log1p(-q), convexK(q, sigma/2, a))
}

// replacedLine returns the bound of the line tail on Im x = θσ². ok is false if R may overflow.
func (w *Law) replacedLine(grow growth, theta float64, from, cells int) (line shiftedLine, ok bool) {
	s2 := w.Sigma * w.Sigma
	most := grow.everywhere(theta * s2)
	if most > 300 {
		return line, false
	}
	line = shiftedLine{lift: theta * theta * s2 / 2, rest: math.Exp(most)}
	sin, cos := math.Sincos(theta)
	half := math.Sin(theta / 2)
	psi := func(x float64) float64 {
		_, im := lossOnLine(w.Q, (2*x-1)/(2*s2), theta, sin, cos, half)
		return im
	}
	for j := range cells {
		u := float64(w.first+from+j) * w.Step
		line.im = append(line.im, psi(u)+psi(-u-w.Step))
		high, low := w.posterior(-u), w.posterior(-u-w.Step)
		both := 0.25
		if high < 0.5 {
			both = high * (1 - high)
		} else if low > 0.5 {
			both = low * (1 - low)
		}
		line.factor = append(line.factor, math.Exp(-grow.a/2*math.Log1p(-4*both*half*half)))
	}
	return line, true
}
