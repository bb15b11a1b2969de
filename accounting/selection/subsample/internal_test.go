package subsample

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
)

// MixtureEpsilon is mixtureEpsilon of two known fates, for the tests.
func MixtureEpsilon(rate, delta float64, inside, outside func(delta float64) float64) float64 {
	return mixtureEpsilon(rate, delta, math.Inf(1), fate{quick: inside, full: inside}, fate{quick: outside, full: outside}).epsilon
}

// MixtureDelta is mixtureDelta, for enumerations.
func MixtureDelta(pair pld.DiscretePair, hockey func(t float64) float64, rate, epsilon float64, variant Variant) float64 {
	return mixtureDelta(pair, func() func(t float64) float64 { return hockey }, rate, epsilon, variant)
}

// WholeMixture is the ε of the bound "mixture" where no other bound is known.
func WholeMixture(event Event, delta float64, accountants ...accounting.Accountant) (float64, error) {
	s, err := newSubsampled(event, delta, accountants)
	if err != nil {
		return math.Inf(1), err
	}
	bounds, err := s.mixture(math.Inf(1))
	if err != nil {
		return math.Inf(1), err
	}
	return bounds[0].Epsilon, nil
}
