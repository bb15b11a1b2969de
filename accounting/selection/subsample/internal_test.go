package subsample

// MixtureEpsilon is mixtureEpsilon of two known fates, for the tests.
func MixtureEpsilon(rate, delta float64, inside, outside func(delta float64) float64) float64 {
	return mixtureEpsilon(rate, delta, fate{inside, inside}, fate{outside, outside})
}

// MixtureDelta is mixtureDelta, for enumerations.
var MixtureDelta = mixtureDelta
