package selection

import (
	"math"

	"github.com/dplab/dplab/accounting/gdp"
)

// gaussianProfile returns the exact profile of the Gaussian mechanism of parameter µ,
// rounded up.
func gaussianProfile(mu float64) Profile {
	return Profile{
		Name: "exact Gaussian",
		DeltaAt: func(epsilon float64) float64 {
			delta, err := gdp.DeltaAt(mu, epsilon)
			if err != nil {
				return 1
			}
			return math.Min(delta.Upper, 1)
		},
		EpsilonAt: func(delta float64) float64 {
			epsilon, err := gdp.EpsilonAt(mu, delta)
			if err != nil {
				return math.Inf(1)
			}
			return epsilon.Upper
		},
		quick: true,
	}
}
