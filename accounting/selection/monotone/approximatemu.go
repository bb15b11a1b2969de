package monotone

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
)

// ApproximateMu is the µ of a Gaussian that replaces a whole run of DP-SGD. It is an approximation.
// Results from it may be below the truth, and must not be printed as a guarantee.
type ApproximateMu struct {
	Mu     float64
	Method string // what was approximated
}

// ApproximateEpsilon is an ε, in nats, from an approximation. It is not a bound.
type ApproximateEpsilon float64

// CentralLimitMu returns the µ of the central limit theorem for Poisson-sampled DP-SGD,
// for q √T -> c:
//
//	µ = √2 q √T √(e^(1/σ²) Φ(3/(2σ)) + 3 Φ(-1/(2σ)) - 2)
//
// It is approximate at every q and T. At q = 1 the exact µ is √T/σ, and this one is larger. It is
// the ε_U-G of Xiang et al.
//
// Reference: Dong, Roth, Su (2019), arXiv:1905.02383v3, Corollary 5.4; Xiang, Wang, Wang,
// arXiv:2402.13087, Corollary 2.
func CentralLimitMu(samplingRate, noiseMultiplier float64, steps int) (ApproximateMu, error) {
	if err := validateSGD(samplingRate, noiseMultiplier, steps); err != nil {
		return ApproximateMu{Mu: math.Inf(1)}, err
	}
	u := 1 / noiseMultiplier
	// The first orders in u cancel: Φ(x) = 1/2 + erf(x/√2)/2.
	inner := math.Expm1(u*u)*numeric.NormalCDF(1.5*u) + (math.Erf(1.5*u/math.Sqrt2)-3*math.Erf(0.5*u/math.Sqrt2))/2
	return approximateMu(math.Sqrt2*samplingRate*math.Sqrt(float64(steps))*math.Sqrt(inner), "central limit theorem")
}

// LargeNumbersMu returns the µ of the law of large numbers. It replaces the number of steps that an
// example joins by its mean:
//
//	µ = q √T/σ
//
// It ignores that this number is random, and that the noise of a step hides whether the example
// joined. It is exact at q = 1. It is the ε_U-O of Xiang et al.
//
// Reference: Xiang, Wang, Wang, arXiv:2402.13087, equation (19).
func LargeNumbersMu(samplingRate, noiseMultiplier float64, steps int) (ApproximateMu, error) {
	if err := validateSGD(samplingRate, noiseMultiplier, steps); err != nil {
		return ApproximateMu{Mu: math.Inf(1)}, err
	}
	return approximateMu(samplingRate*math.Sqrt(float64(steps))/noiseMultiplier, "law of large numbers")
}

// TuningEpsilon returns the ε at delta of the best of K runs with a monotone score, if each run
// were N(0, 1) or N(µ, 1). It uses the Rényi divergences of Gaussian, each direction separately.
// The numerics are certified; the premise is not. Algorithm 3 of Xiang et al. as printed gives
// more, see Algorithm3Epsilon.
func (a ApproximateMu) TuningEpsilon(k law.Law, conversion rdp.Conversion, delta float64) (ApproximateEpsilon, error) {
	epsilon, _, err := Gaussian{Law: k, Mu: a.Mu}.RDPEpsilon(conversion, delta)
	return ApproximateEpsilon(epsilon.Upper), err
}

// Algorithm3Epsilon is TuningEpsilon by Algorithm 3 of Xiang et al. as printed. It uses the larger
// of the two divergences at each order.
func (a ApproximateMu) Algorithm3Epsilon(k law.Law, conversion rdp.Conversion, delta float64) (ApproximateEpsilon, error) {
	epsilon, _, err := Gaussian{Law: k, Mu: a.Mu}.Algorithm3Epsilon(conversion, delta)
	return ApproximateEpsilon(epsilon.Upper), err
}

func approximateMu(mu float64, method string) (ApproximateMu, error) {
	if !(mu < math.Inf(1)) {
		return ApproximateMu{Mu: math.Inf(1)}, fmt.Errorf("monotone: µ by the %s is %g: must be finite (too little noise)", method, mu)
	}
	return ApproximateMu{Mu: mu, Method: method}, nil
}

func validateSGD(samplingRate, noiseMultiplier float64, steps int) error {
	f := check.In("monotone: ")
	f.Number("samplingRate", samplingRate, check.Rate)
	f.Number("noiseMultiplier", noiseMultiplier, check.Positive)
	f.Count("steps", steps, 1)
	return f.Err()
}
