package numeric

import "math"

const unit = 0x1p-53 // half a unit of the last place of 1

// LogGaussian brackets log δ of the Gaussian mechanism with parameter mu > 0 at ε >= 0:
//
//	δ(ε) = Φ(-s1) - e^ε Φ(-s2) = φ(s1) (R(s1) - R(s2)),  s1 = ε/µ - µ/2, s2 = ε/µ + µ/2,
//
// with R the Mills ratio, as e^ε φ(s2) = φ(s1). For s1 > -1 the difference is the integral of
// -R'(s) = 1 - s R(s) > 0 (Gauss-Legendre, panels of width at most 1). So small µ and large ε lose
// no digits. Elsewhere δ = 1 - Φ(s1) - φ(s1) R(s2), which is at least 0.2. The bracket models
// rounding: exponents of size s1² are known to a few units.
//
// Reference: Balle, Wang (2018), "Improving the Gaussian mechanism", Theorem 8.
func LogGaussian(mu, epsilon float64) (lower, estimate, upper float64) {
	s1, s2 := epsilon/mu-mu/2, epsilon/mu+mu/2
	switch {
	case math.IsInf(mu, 1): // s1 is below -1e307
		return -math.SmallestNonzeroFloat64, 0, 0
	case math.IsInf(s1, 1): // log δ <= -s1²/2
		return math.Inf(-1), -math.MaxFloat64, -math.MaxFloat64
	}
	return LogMillsGap(s1, mu, 4*unit*s2)
}

// LogMillsGap brackets log φ(a)(R(a) - R(a+width)). a is known to ±errA. It must be at least -1, or
// a+width at least -a.
func LogMillsGap(a, width, errA float64) (lower, estimate, upper float64) {
	if math.Abs(a) > 1e6 {
		return logGaussianFar(a, width, errA)
	}
	err := 64*unit + math.Abs(a)*errA + 2*unit*a*a
	if a < -1 {
		rest := NormalCDF(a) + math.Exp(-a*a/2-LogSqrt2Pi)*MillsRatio(a+width)
		estimate = math.Log1p(-rest)
		err += 8 * err * rest / (1 - rest)
	} else {
		estimate = -a*a/2 - LogSqrt2Pi + Log(millsFall(a, width))
	}
	err += 2 * unit * math.Abs(estimate)
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
	logGap := Log(w) - Log((high+w)*(high+w)+3)
	lower = -high*high/2 - LogSqrt2Pi + logGap - 8*unit*high*high
	if s1 < 0 {
		if s1+err < -40 {
			lower = -math.SmallestNonzeroFloat64
		}
		return lower, 0, 0
	}
	if low < 1 { // s1 has no digits
		return lower, math.Max(lower, -math.MaxFloat64), 0
	}
	upper = -low*low/2*(1-8*unit) - LogSqrt2Pi - Log(low) + math.Min(0, Log(mu)-Log(low))
	upper = math.Max(upper, -math.MaxFloat64)
	return lower, math.Min(upper, math.Max(lower, -s1*s1/2-LogSqrt2Pi+logGap)), upper
}

// millsFall returns R(a) - R(a+width) for a >= -1. The width is a separate argument because a small
// difference of the two ends would lose its digits.
func millsFall(a, width float64) float64 {
	if width > 16 {
		return MillsRatio(a) - MillsRatio(a+width)
	}
	panels := math.Ceil(width)
	var sum float64
	for i := range int(panels) {
		mid, half := a+width*(float64(i)+0.5)/panels, width/panels/2
		for k, x := range LegendreX {
			sum += LegendreW[k] * half * (MillsSlope(mid-half*x) + MillsSlope(mid+half*x))
		}
	}
	return sum
}

// Gauss-Legendre, ten points on [-1, 1]. Reference: Abramowitz and Stegun, Table 25.4.
var (
	LegendreX = [5]float64{0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717}
	LegendreW = [5]float64{0.2955242247147529, 0.2692667193099963, 0.2190863625159820, 0.1494513491505806, 0.0666713443086881}
)
