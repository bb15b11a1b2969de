package gdp

import (
	"fmt"
	"math"

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
	return accounting.Certified(logDelta(mu, epsilon)), nil
}

// logDelta brackets log δ(ε) by numeric.LogGaussian. The ends are at least as far from the middle
// as the check of an upper end needs in intervals that are rounded outward:
//
//   - 2000 eps for the Mills ratios;
//   - for their difference at µ > 1, which cancels to at least µ/(2b) of them;
//   - for a², which is known to 4 eps (ε/µ + µ) |a|, where φ(a) is a factor.
func logDelta(mu, epsilon float64) (lower, estimate, upper float64) {
	if mu == 0 {
		return math.Inf(-1), math.Inf(-1), math.Inf(-1)
	}
	lower, estimate, upper = numeric.LogGaussian(mu, epsilon)
	const eps = 0x1p-53
	if size := epsilon/mu + mu; size < 1e100 {
		a := math.Max(1, epsilon/mu-mu/2)
		margin := eps * (2000 + 500*size/math.Max(mu, 1) + 8*size*a)
		lower, upper = math.Min(lower, estimate-margin), math.Min(0, math.Max(upper, estimate+margin))
	}
	return lower, estimate, upper
}
