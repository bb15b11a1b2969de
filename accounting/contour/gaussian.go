package contour

import (
	"math"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// profile is a certified bracket of log δ at one ε.
type profile func(epsilon float64) (lower, estimate, upper float64)

// logGaussian brackets log δ of the Gaussian mechanism with parameter mu > 0 at ε >= 0:
//
//	δ(ε) = Φ(-s1) - e^ε Φ(-s2) = φ(s1) (R(s1) - R(s2)),  s1 = ε/µ - µ/2, s2 = ε/µ + µ/2,
//
// with R the Mills ratio, as e^ε φ(s2) = φ(s1). For s1 > -1 the difference is the integral of
// -R'(s) = 1 - s R(s) > 0 (Gauss-Legendre, panels of width at most 1). So small µ and large ε lose
// no digits. Elsewhere δ = 1 - Φ(s1) - φ(s1) R(s2), which is at least 0.2. The bracket models
// rounding: exponents of size s1² are known to a few units.
//
// Reference: Balle, Wang (2018), "Improving the Gaussian mechanism", Theorem 8.
func logGaussian(mu, epsilon float64) (lower, estimate, upper float64) {
	s1, s2 := epsilon/mu-mu/2, epsilon/mu+mu/2
	switch {
	case math.IsInf(mu, 1): // s1 is below -1e307
		return -math.SmallestNonzeroFloat64, 0, 0
	case math.IsInf(s1, 1): // log δ <= -s1²/2
		return math.Inf(-1), -math.MaxFloat64, -math.MaxFloat64
	}
	return logMillsGap(s1, mu, 4*transform.Unit*s2)
}

// logMillsGap brackets log φ(a)(R(a) - R(a+width)). a is known to ±errA. It must be at least -1, or
// a+width at least -a.
func logMillsGap(a, width, errA float64) (lower, estimate, upper float64) {
	if math.Abs(a) > 1e6 {
		return logGaussianFar(a, width, errA)
	}
	err := 64*transform.Unit + math.Abs(a)*errA + 2*transform.Unit*a*a
	if a < -1 {
		rest := math.Exp(transform.LogNormalSF(-a)) + math.Exp(-a*a/2-transform.LogSqrt2Pi)*transform.Mills(a+width)
		estimate = math.Log1p(-rest)
		err += 8 * err * rest / (1 - rest)
	} else {
		estimate = -a*a/2 - transform.LogSqrt2Pi + numeric.Log(millsFall(a, width))
	}
	err += 2 * transform.Unit * math.Abs(estimate)
	return estimate - err, estimate, math.Min(estimate+err, 0)
}

// logGaussianFar brackets log δ for |s1| above 1e6, with s1 known to ±err. For s1 < 0 δ is nearly
// 1. For s1 > 0 and w = min(µ, 1),
//
//	φ(s1) w/((s1+w)²+3) <= δ <= φ(s1) min(µ/s1², 1/s1).
//
// Proof. δ = φ(s1) (R(s1) - R(s1+µ)). -R'(x) = 1 - x R(x) falls with x >= 0, and is between
// 1/(x²+3) and 1/x². Also R(s1) <= 1/s1. ∎ The logarithms of the ends differ by log min(µ, s1) if
// µ > 1. Besides, they differ by little more than the rounding of the exponent, 16 units of s1².
func logGaussianFar(s1, mu, err float64) (lower, estimate, upper float64) {
	low, high, w := s1-err, math.Max(0, s1+err), math.Min(mu, 1)
	logGap := numeric.Log(w) - numeric.Log((high+w)*(high+w)+3)
	lower = -high*high/2 - transform.LogSqrt2Pi + logGap - 8*transform.Unit*high*high
	if s1 < 0 {
		if s1+err < -40 {
			lower = -math.SmallestNonzeroFloat64
		}
		return lower, 0, 0
	}
	if low < 1 { // s1 has no digits
		return lower, math.Max(lower, -math.MaxFloat64), 0
	}
	upper = -low*low/2*(1-8*transform.Unit) - transform.LogSqrt2Pi - numeric.Log(low) + math.Min(0, numeric.Log(mu)-numeric.Log(low))
	upper = math.Max(upper, -math.MaxFloat64)
	return lower, math.Min(upper, math.Max(lower, -s1*s1/2-transform.LogSqrt2Pi+logGap)), upper
}

// millsFall returns R(a) - R(a+width) for a >= -1. The width is a separate argument because a small
// difference of the two ends would lose its digits.
func millsFall(a, width float64) float64 {
	if width > 16 {
		return transform.Mills(a) - transform.Mills(a+width)
	}
	panels := math.Ceil(width)
	var sum float64
	for i := range int(panels) {
		mid, half := a+width*(float64(i)+0.5)/panels, width/panels/2
		for k, x := range transform.LegendreX {
			sum += transform.LegendreW[k] * half * (millsSlope(mid-half*x) + millsSlope(mid+half*x))
		}
	}
	return sum
}

// millsSlope returns -R'(x) = 1 - x R(x) for x >= -1. Above 3 it is the tail of the
// continued fraction, without cancellation.
func millsSlope(x float64) float64 {
	if x < 3 {
		return 1 - x*transform.Mills(x)
	}
	f := x
	for k := transform.MillsDepth(x); k >= 2; k-- {
		f = x + float64(k)/f
	}
	tail := 1 / f // R = 1/(x+tail)
	return tail / (x + tail)
}
