package numeric

import "math"

// LogSqrt2Pi is log √(2π).
const LogSqrt2Pi = 0.91893853320467274178

// NormalCDF returns Φ(x) of the standard normal, to full relative accuracy in the lower tail. For
// the upper tail use Φ(-x).
func NormalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// LogNormalDensity returns log φ(x) of the standard normal, -x²/2 - log √(2π).
func LogNormalDensity(x float64) float64 { return -x*x/2 - LogSqrt2Pi }

// LogNormalCDF returns log Φ(x) of the standard normal. The relative error of Φ is a few eps. Far
// out on the left eps x²/2 is added, as x² itself has that error. The result does not underflow for
// any x with a finite square.
func LogNormalCDF(x float64) float64 {
	switch {
	case x > 0:
		return math.Log1p(-math.Erfc(x/math.Sqrt2) / 2)
	case x > -10:
		return Log(math.Erfc(-x/math.Sqrt2) / 2)
	}
	return LogNormalDensity(x) + Log(MillsRatio(-x))
}

// MillsRatio returns R(x) = (1 - Φ(x))/φ(x) of the standard normal. It is +Inf if it overflows (x
// below about -38). The relative error is about (20 + x²) eps for x < 3, and 10 eps above.
func MillsRatio(x float64) float64 {
	if x < fractionFrom {
		return math.Sqrt(math.Pi/2) * math.Erfc(x/math.Sqrt2) * math.Exp(x*x/2)
	}
	return 1 / (x + millsFraction(x))
}

// MillsSlope returns -R'(x) = 1 - x R(x), which is positive, without cancellation at small values.
// The relative error is about 300 eps, for x > -10.
func MillsSlope(x float64) float64 {
	if x < fractionFrom {
		return 1 - x*MillsRatio(x) // at least 1/12
	}
	k := millsFraction(x)
	return k / (x + k)
}

const fractionFrom = 3 // from here on the continued fraction replaces erfc

// millsFraction returns the continued fraction 1/(x+2/(x+3/(x+...))) for x >= 3, with R(x) =
// 1/(x+millsFraction(x)). The truncation error is less than 1e-17 of it, by comparison with
// 60-digit values.
//
// Reference: Abramowitz and Stegun, 26.2.14.
func millsFraction(x float64) float64 {
	if math.IsInf(x, 1) {
		return 0
	}
	k := 0.0
	for level := math.Floor(12 + 500/x/x); level >= 1; level-- {
		k = level / (x + k)
	}
	return k
}
