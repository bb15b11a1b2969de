package gdp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

// validateMu returns an error unless mu is >= 0. +Inf means no privacy.
func validateMu(mu float64) error {
	return check.AtLeast(0).Of("gdp: mu", mu)
}

// DeltaAt returns the least δ at which µ-GDP implies (ε, δ)-differential privacy.
//
//	δ(ε) = Φ(µ/2 - ε/µ) - e^ε Φ(-µ/2 - ε/µ)
//
// mu is >= 0 (µ = 1/σ for one Gaussian mechanism), epsilon >= 0 and finite. The ends of the
// interval differ only by rounding, about 1e-12 relative. δ under 1e-308 is rounded up to the least
// float64.
//
// Special cases are:
//
//	mu = 0     returns 0
//	mu = +Inf  returns 1
//
// Reference: Balle and Wang (2018), arXiv:1805.06530v2, Theorem 8 (there Δ/σ is µ); Dong, Roth, Su
// (2019), arXiv:1905.02383v3, Section 2.
func DeltaAt(mu, epsilon float64) (accounting.Interval, error) {
	logDelta, err := LogDeltaAt(mu, epsilon)
	if err != nil {
		return accounting.NoDelta(), err
	}
	upper := math.Exp(logDelta.Upper)
	if upper == 0 && mu > 0 {
		upper = math.SmallestNonzeroFloat64
	}
	return accounting.Certified(math.Exp(logDelta.Lower), math.Exp(logDelta.Estimate), upper), nil
}

// LogDeltaAt returns log δ of DeltaAt. It does not underflow.
func LogDeltaAt(mu, epsilon float64) (accounting.Interval, error) {
	if err := validateMu(mu); err != nil {
		return accounting.Interval{}, err
	}
	if err := accounting.ValidateEpsilon(epsilon); err != nil {
		return accounting.Interval{}, fmt.Errorf("gdp: %w", err)
	}
	value, margin := logDelta(mu, epsilon), logDeltaError(mu, epsilon)
	if math.IsInf(value, -1) && mu > 0 { // a² overflows: log δ is below -a²/2, a > 1e154
		return accounting.Certified(value, value, -1e307), nil
	}
	return accounting.Certified(value-margin, value, math.Min(0, value+margin)), nil
}

// logDelta returns log δ(ε). With a = ε/µ - µ/2, b = ε/µ + µ/2 and the Mills ratio R, e^ε φ(b) =
// φ(a), so
//
//	δ = φ(a) (R(a) - R(b)) = φ(a) ∫_a^b (1 - tR(t)) dt.
//
// For µ <= 1 the difference would cancel. The integrand is positive and smooth on the scale of 1,
// so one 10-point rule integrates it to rounding.
func logDelta(mu, epsilon float64) float64 {
	switch {
	case mu == 0:
		return math.Inf(-1)
	case math.IsInf(mu, 1):
		return 0
	}
	a, b := epsilon/mu-mu/2, epsilon/mu+mu/2
	switch {
	case math.IsInf(b, 1): // ε/µ overflows
		return math.Inf(-1)
	case mu <= 1:
		return numeric.LogNormalDensity(a) + numeric.Log(slopeIntegral(epsilon/mu, mu))
	case a > 0:
		return numeric.LogNormalDensity(a) + numeric.Log(numeric.MillsRatio(a)-numeric.MillsRatio(b))
	}
	return numeric.Sub(numeric.LogNormalCDF(-a), numeric.LogNormalDensity(a)+numeric.Log(numeric.MillsRatio(b)))
}

// logDeltaError bounds the rounding error of logDelta. It has three parts:
//
//   - the Mills ratios, about 30 eps at worst;
//   - their difference for µ > 1, which cancels to at least µ/(2b) of them;
//   - a², which is known to 4 eps (ε/µ + µ) |a|, where φ(a) is a factor.
//
// It is a generous model of rounding, checked against 80-digit values.
func logDeltaError(mu, epsilon float64) float64 {
	const eps = 0x1p-53
	size := epsilon/mu + mu
	if mu == 0 || math.IsInf(size, 1) {
		return 0
	}
	a := math.Max(1, epsilon/mu-mu/2)
	return eps * (2000 + 500*size/math.Max(mu, 1) + 8*size*a)
}

var gaussNodes, gaussWeights = func() (x, w [10]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], -1, 1)
	return x, w
}()

// slopeIntegral returns the integral of 1 - tR(t) over an interval of the given width, at most 1,
// around middle >= 0. The width is an argument because the difference of the ends may have lost its
// digits.
func slopeIntegral(middle, width float64) float64 {
	sum := 0.0
	for i, t := range gaussNodes {
		sum += gaussWeights[i] * numeric.MillsSlope(middle+width/2*t)
	}
	return sum * width / 2
}
