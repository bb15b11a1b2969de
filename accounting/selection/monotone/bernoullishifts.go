package monotone

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
)

// BernoulliShifts returns the event of an adversary who sees only the mean of N noisy gradients of
// Poisson-sampled DP-SGD, with all other gradients 0. The canary joins each step by its own coin of
// chance τ:
//
//	N(0, 1)    against    Σ_i Bin(N, τ)(i) N(i/(σ√N), 1)
//
// It is exact, not an approximation by µ as [LargeNumbersMu] is. A run that shows its steps, or has
// other gradients, may cost more: its mean does not have all that the steps have. At τ = 1 and at N
// = 1 the mean has all of it.
//
// samplingRate is τ, noiseMultiplier is σ, and steps is N, at most 65,536. Accountants take at most
// 1,000 numbers of joins whose chance does not underflow. Chances are rounded, and what their sum
// lacks of 1, some 1e-16, is priced as N joins. So both ends of a δ below 1e-15 may be far too
// large, and so may those of its ε.
//
// Reference: Xiang, Wang, Wang, arXiv:2402.13087, equation (17).
func BernoulliShifts(samplingRate, noiseMultiplier float64, steps int) (accounting.MixtureOfGaussians, error) {
	if err := validateSGD(samplingRate, noiseMultiplier, steps); err != nil {
		return accounting.MixtureOfGaussians{}, err
	}
	if err := check.Between(1, 1<<16).Of("monotone: steps", float64(steps)); err != nil {
		return accounting.MixtureOfGaussians{}, err
	}
	var joins law.Law = law.Binomial{Trials: steps, P: samplingRate}
	if samplingRate == 1 {
		joins = law.Fixed{Count: steps}
	}
	chances := joins.Distribution()
	event := accounting.MixtureOfGaussians{NoiseMultiplier: noiseMultiplier * math.Sqrt(float64(steps))}
	for i := range steps + 1 {
		event.Chances = append(event.Chances, math.Exp(chances.LogPMF(i)))
		event.Distances = append(event.Distances, float64(i))
	}
	floats.Scale(1/floats.Sum(event.Chances), event.Chances)
	return event, event.Validate()
}
