package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// A ClippedSum on a Poisson sample, under replace-one. The exact pair of laws is (package pld,
// replaceone_sum.go)
//
//	P = (1-q) N(0, σ²) + q N(1, σ²),   Q = (1-q) N(0, σ²) + q N(-1, σ²).
//
// x -> -x exchanges them, so both directions have the same divergence. With A(x) = 1-q + q e^v, v =
// (2x-1)/(2σ²), the densities are ρ(x) A(x) and ρ(x) A(-x), ρ that of N(0, σ²). The loss is L(x) =
// log A(x) - log A(-x). With a = α-1
//
//	e^{a RDP(α)} = M = ∫ ρ A(x)^α A(-x)^{-a} dx.
//
// As E_P e^{-L} = 1, M - 1 is the mean under P of a value that is never negative:
//
//	M - 1 = E_P g,   g = e^{aL} - 1 + a (e^{-L} - 1) = e(aL) + a e(-L),   e(v) = e^v - 1 - v.
//
// It is a trapezoid sum over the points x = jh.
//
// Error of the rule. Let y > 0 with θ = y/σ² < π. For |Im x| <= y the integrand is analytic, as
// A(x) and A(-x) are not 0. On Im x = ±y, |ρ| is e^{y²/2σ²} ρ(Re x), |A(x)| <= A(Re x), and the
// integral of ρ |A(x)|^α |A(-x)|^{-a} is at most e^{y²/2σ²} G M, with
//
//	G = cos(θ/2)^{-a},   or (1-q)^{-a} if θ <= π/2
//
// (package contour, internal/transform, replaced.go). The integrals of ρA(x) and ρA(-x) are at most
// e^{y²/2σ²}. So the rule errs by at most κ (G M + 1 + 2a), κ = 2 e^{y²/2σ²}/(e^{2πy/h} - 1)
// (Trefethen and Weideman 2014, Theorem 5.1). With the sum S
//
//	M - 1 <= (S + κ (G + 1 + 2a)) / (1 - κG).
//
// Points left out. Let r = q e^v/A. Above a point z > 0, g <= e^{aL}. There σ² times the slope of
// log(ρ A e^{aL}) is at most α + a r(-z) - z. Below a point z < -1, L < 0 and g <= a (e^{-L} - 1).
// So the terms are at most aQ. Outward, σ² times the slope of log Q is at most 1 + z. Both sums are
// below geometric ones.
//
// Elsewhere. Two closed forms bound the curve everywhere. The divergence is at most that of a
// sample that is shown (joint convexity of M). And A(-x) >= 1-q, so M is at most (1-q)^{-a} times
// the moment of SampledGaussian.

// replacedSum returns the curve of a ClippedSum of noise multiplier sigma on a Poisson sample of
// rate q in (0, 1). The sum is exact to rounding, and raised by a bound of it.
func replacedSum(q, sigma float64) Curve {
	removed, whole := SampledGaussian(q, sigma), Gaussian(sigma/2)
	return func(order float64) float64 {
		bound := shown(whole, q, order)
		if !(order > 1) || math.IsInf(order, 1) {
			return bound
		}
		bound = math.Min(bound, atMost((removed(order)-math.Log1p(-q))*(1+4*unit)))
		if sigma < leastSigma || sigma > mostSigma || order > maxQuadratureOrder {
			return bound
		}
		s := replacedIntegral{q: q, logRate: numeric.Log(q), sigma: sigma, a: order - 1, inv: 1 / sigma / sigma}
		logExcess, ok := s.logExcess()
		if !ok {
			return bound
		}
		return math.Min(bound, positive(numeric.Log1pExp(logExcess)/s.a*(1+roundingMargin), true))
	}
}

// replacedIntegral is the integral M - 1.
type replacedIntegral struct {
	q, logRate, sigma, a float64
	inv                  float64 // 1/σ²
}

const (
	replacedDigits = 34      // -log of the relative error of the rule
	replacedNodes  = 1 << 13 // most points of a sum
)

// logExcess returns an upper bound of log(M - 1). ok is false if it takes too many points.
func (s replacedIntegral) logExcess() (log float64, ok bool) {
	// M - 1 is about a(a+1)/2 E L² for small losses, and at least about a q for large ones.
	small := numeric.Log(2*s.a) + numeric.Log(s.a+1) + 2*s.logRate + logSinh(s.inv)
	digits := replacedDigits + math.Max(0, -math.Min(small, numeric.Log(s.a)+s.logRate))
	y, h := s.line(digits)
	reach := s.sigma * math.Sqrt(2*(digits+math.Log1p(s.a)))
	top := s.a + 1 + s.a*s.posterior(0) + reach
	first, last := math.Floor((-1-reach)/h), math.Ceil(top/h)
	if !(last-first < replacedNodes) {
		return 0, false
	}
	sum := numeric.NewSum()
	for j := first; j <= last; j++ {
		sum.Add(s.term(j * h))
	}
	s.left(&sum, (first-1)*h, (last+1)*h, h)
	logSum := sum.Log() + numeric.Log(h/s.sigma) - 0.5*numeric.Log(2*math.Pi)
	logKappa := math.Ln2 + y*y*s.inv/2 - numeric.LogExpm1(2*math.Pi*y/h) + 64*unit*digits
	growth := math.Exp(s.growth(y) + logKappa)
	if !(growth < 0.5) {
		return 0, false
	}
	rest := numeric.Add(s.growth(y)+logKappa, logKappa+math.Log1p(2*s.a))
	return numeric.Add(logSum, rest) - math.Log1p(-growth), true
}

// line returns the y and the step for a relative error of e^-digits, with the largest step.
func (s replacedIntegral) line(digits float64) (y, h float64) {
	most := math.Min(0.98*math.Pi*s.sigma*s.sigma, s.sigma*math.Sqrt(2*digits))
	for f := 1.0; f > 1e-3; f *= 0.85 {
		try := f * most
		step := 2 * math.Pi * try / (digits + try*try*s.inv/2 + s.growth(try) + math.Log1p(2*s.a))
		if step > h {
			y, h = try, step
		}
	}
	return y, h
}

// growth returns log G.
func (s replacedIntegral) growth(y float64) float64 {
	theta := y * s.inv
	log := -s.a * numeric.Log(math.Cos(theta/2))
	if theta <= math.Pi/2 {
		log = math.Min(log, -s.a*math.Log1p(-s.q))
	}
	return log * (1 + 16*unit)
}

// left adds bounds of the terms from the point high on upward, and from low on downward.
func (s replacedIntegral) left(sum *numeric.Sum, low, high, h float64) {
	above := high - s.a - 1 - s.a*s.posterior(-high)
	sum.Add(s.large(high) - numeric.Log(-math.Expm1(-h*above*s.inv)))
	below := -1 - low
	sum.Add(numeric.Log(s.a) + s.logRatio(-low) - low*low*s.inv/2 - numeric.Log(-math.Expm1(-h*below*s.inv)) + 1e-9)
}

// term returns the logarithm of g A(x) e^{-x²/2σ²}. It is raised by its rounding.
func (s replacedIntegral) term(x float64) float64 {
	loss := s.loss(x)
	if s.a*loss > 30 { // g <= e^{aL}
		return s.large(x)
	}
	square, l := x*x*s.inv/2, s.logRatio(x)
	log := numeric.Add(logExcessOf(s.a*loss), numeric.Log(s.a)+logExcessOf(-loss))
	return log + l - square + 4*unit*((2+math.Abs(s.a*loss)+math.Abs(loss))*(4+(math.Abs(x)+0.5)*s.inv)+square+math.Abs(l))
}

// large returns the logarithm of e^{aL} A(x) e^{-x²/2σ²}, raised by its rounding.
func (s replacedIntegral) large(x float64) float64 {
	square := x * x * s.inv / 2
	return s.logRatio(x) + s.a*s.loss(x) - square + 4*unit*((2*s.a+1)*(4+(math.Abs(x)+0.5)*s.inv-s.logRate)+square)
}

// loss returns L(x), from log A(x)/A(-x) = log(1 + (A(x)-A(-x))/A(-x)) for x > 0. It is odd.
func (s replacedIntegral) loss(x float64) float64 {
	if x < 0 {
		return -s.loss(-x)
	}
	v := (x - 0.5) * s.inv
	if v > 600 {
		return s.logRatio(x) - s.logRatio(-x)
	}
	return math.Log1p(s.q * math.Exp(v) * -math.Expm1(-2*x*s.inv) / math.Exp(s.logRatio(-x)))
}

// logRatio returns log A(x).
func (s replacedIntegral) logRatio(x float64) float64 {
	v := (x - 0.5) * s.inv
	if v > 600 {
		return v + s.logRate + math.Log1p((1-s.q)/s.q*math.Exp(-v))
	}
	if u := s.q * math.Expm1(v); u > -0.5 {
		return math.Log1p(u)
	}
	return numeric.Log(1 - s.q + s.q*math.Exp(v))
}

// posterior returns r(x).
func (s replacedIntegral) posterior(x float64) float64 {
	return 1 / (1 + (1-s.q)/s.q*math.Exp(-(x-0.5)*s.inv))
}

// logExcessOf returns log(e^v - 1 - v), which may be -Inf. Above 30 it leaves out the -1-v.
func logExcessOf(v float64) float64 {
	switch {
	case v > 30:
		return v
	case math.Abs(v) < 1e-5: // v²/2 (1 + v/3 + v²/12 + ...)
		return 2*numeric.Log(math.Abs(v)) - math.Ln2 + math.Log1p(v/3*(1+v/4))
	}
	return numeric.Log(expm1Minus(v))
}

// logSinh returns log sinh(x) for x > 0.
func logSinh(x float64) float64 { return x + numeric.Log(-math.Expm1(-2*x)) - math.Ln2 }
