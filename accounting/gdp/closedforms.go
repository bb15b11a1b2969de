package gdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// TypeII returns the trade-off function of µ-GDP, Φ(Φ⁻¹(1-α) - µ), at type I error alpha in (0, 1).
// mu must be >= 0. The relative error is some 1e-13.
//
// Reference: Dong, Roth, Su (2019), arXiv:1905.02383v3, equation (6).
func TypeII(mu, alpha float64) (float64, error) {
	if err := validateMu(mu); err != nil {
		return 0, err
	}
	if err := check.OpenUnit.Of("gdp: type I error", alpha); err != nil {
		return 0, err
	}
	return numeric.NormalCDF(-(quantile(alpha) + mu)), nil // Φ(-Φ⁻¹(α) - µ)
}

// TPR returns the largest true positive rate at false positive rate fpr under µ-GDP,
// Φ(Φ⁻¹(FPR) + µ).
func TPR(mu, fpr float64) (float64, error) {
	if err := validateMu(mu); err != nil {
		return 1, err
	}
	if err := check.OpenUnit.Of("gdp: false positive rate", fpr); err != nil {
		return 1, err
	}
	return numeric.NormalCDF(quantile(fpr) + mu), nil
}

// exactRate brackets Φ(Φ⁻¹(p) + µ), the true positive rate, or 1 minus that, the type II error, at
// an error p of type I. The ends are outward-rounded: they are checked as µ is.
func (c *TradeOff) exactRate(p float64, miss bool) accounting.Interval {
	x := quantileIn(p).Add(c.mu)
	if miss {
		x = x.Neg()
	}
	rate := interval.Of(1).Sub(closed.LogNormalCDF(x.Neg()).Exp()) // Φ(x) = 1 - Φ(-x)
	switch {
	case math.IsInf(c.mu.Lo, 1): // no noise
		rate = interval.Of(1)
		if miss {
			rate = interval.Of(0)
		}
	case x.Lo < 0:
		rate = closed.LogNormalCDF(x).Exp()
	}
	rate.Lo, rate.Hi = math.Max(0, rate.Lo), math.Min(1, rate.Hi)
	out := accounting.Certified(rate.Lo, rate.Lo+(rate.Hi-rate.Lo)/2, rate.Hi)
	if c.muChecked {
		out = out.WithLower(rate.Lo)
	}
	return out
}

// quantileIn brackets Φ⁻¹(p) for p in (0, 1).
func quantileIn(p float64) interval.I {
	if p > 0.5 { // 1-p is exact
		return quantileIn(1 - p).Neg()
	}
	log, z := interval.Of(p).Log(), quantile(p)
	out := interval.I{Lo: z, Hi: z}
	for step := 4 * unit * (1 + math.Abs(z)); !(closed.LogNormalCDF(interval.Of(out.Lo)).Hi <= log.Lo); step *= 2 {
		out.Lo = z - step
	}
	for step := 4 * unit * (1 + math.Abs(z)); !(closed.LogNormalCDF(interval.Of(out.Hi)).Lo >= log.Hi); step *= 2 {
		out.Hi = z + step
	}
	return out
}

// Advantage returns the largest TPR - FPR under µ-GDP, 2Φ(µ/2) - 1.
func Advantage(mu float64) (float64, error) {
	if err := validateMu(mu); err != nil {
		return 1, err
	}
	return math.Erf(mu / (2 * math.Sqrt2)), nil
}

// CLT is a central limit approximation: it treats an event of many sampled steps as µ-GDP. It is
// not a bound, and its error is to the unsafe side. At σ = 0.7, q = 256/60000, T = 10547 and δ =
// 1e-5 it gives ε 5.066; the true ε is 5.640. Package contour gives certified numbers in a
// millisecond.
type CLT struct{ Mu float64 }

// PoissonCLT returns the approximation of steps Poisson-sampled Gaussians:
//
//	µ = q √(T (e^{1/σ²} - 1))
//
// Reference: Bu, Dong, Long, Su (2019), arXiv:1911.11607v3, Section 3 (for Poisson samples).
func PoissonCLT(samplingRate, noiseMultiplier float64, steps int) (CLT, error) {
	if err := validateCLT(samplingRate, noiseMultiplier, steps); err != nil {
		return CLT{math.Inf(1)}, err
	}
	return CLT{samplingRate * math.Sqrt(float64(steps)*math.Expm1(1/noiseMultiplier/noiseMultiplier))}, nil
}

// FixedSizeCLT returns the approximation of steps Gaussians on samples without replacement, for
// replace-one:
//
//	µ = q √(2T (e^{1/σ²} Φ(3/(2σ)) + 3Φ(-1/(2σ)) - 2))
//
// Reference: Dong, Roth, Su (2019), arXiv:1905.02383v3, Corollary 5.4.
func FixedSizeCLT(samplingRate, noiseMultiplier float64, steps int) (CLT, error) {
	if err := validateCLT(samplingRate, noiseMultiplier, steps); err != nil {
		return CLT{math.Inf(1)}, err
	}
	phi := numeric.NormalCDF
	inv := 1 / noiseMultiplier
	moment := math.Expm1(inv*inv)*phi(1.5*inv) + phi(1.5*inv) + 3*phi(-inv/2) - 2
	return CLT{samplingRate * math.Sqrt(2*float64(steps)*math.Max(0, moment))}, nil
}

func validateCLT(q, sigma float64, steps int) error {
	f := check.In("gdp: CLT: ")
	f.Number("sampling rate", q, check.Rate)
	f.Number("noise multiplier", sigma, check.Positive)
	f.Count("steps", steps, 1)
	return f.Err()
}

// ApproximateEpsilon returns the ε of µ-GDP at delta.
func (c CLT) ApproximateEpsilon(delta float64) (float64, error) {
	e, err := EpsilonAt(c.Mu, delta)
	if err != nil {
		return math.Inf(1), err
	}
	return e.Estimate, nil
}

// ApproximateDelta returns the δ of µ-GDP at epsilon.
func (c CLT) ApproximateDelta(epsilon float64) (float64, error) {
	d, err := DeltaAt(c.Mu, epsilon)
	if err != nil {
		return 1, err
	}
	return d.Estimate, nil
}

// String calls it an approximation and not a bound.
func (c CLT) String() string {
	if c.Mu == 0 {
		return "no approximation: nothing was computed"
	}
	return fmt.Sprintf("CLT approximation, µ ≈ %g (not a bound)", c.Mu)
}
