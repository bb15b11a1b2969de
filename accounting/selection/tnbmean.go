package selection

import (
	"fmt"
	"math"
)

// TNBFromMean returns the truncated negative binomial law with the given η and mean.
//
// eta is in (-1, MostEta], mean > 1 and finite (a mean of 1 is one run: Fixed{Count: 1}). The mean
// grows with t = ln(1/γ); t is found by bisection to the last bits, at any η:
//
//	E[K] = (e^t - 1) η/(1 - e^(-ηt)),  (e^t - 1)/t for η = 0
//
// A γ that float64 does not hold (large means with η near -1) is an error.
func TNBFromMean(eta, mean float64) (TNB, error) {
	if err := validateEta(eta); err != nil {
		return TNB{}, err
	}
	if !(mean > 1) || math.IsInf(mean, 1) {
		return TNB{}, fmt.Errorf("selection: mean %g of a truncated negative binomial law: must be > 1 and finite (for one run use Fixed)", mean)
	}
	meanAt := func(depth float64) float64 { return math.Expm1(depth) * tnbScale(eta, depth) }
	const deepest = 700 // e^-700 is near the least float64
	if meanAt(deepest) < mean {
		return TNB{}, fmt.Errorf("selection: mean %g at η = %g: needs γ < e^-%d, which float64 does not hold", mean, eta, deepest)
	}
	lo, hi := 0.0, float64(deepest)
	for {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if meanAt(mid) < mean {
			lo = mid
		} else {
			hi = mid
		}
	}
	law := TNB{Eta: eta, Gamma: math.Exp(-lo - (hi-lo)/2)}
	if err := law.Validate(); err != nil { // γ rounds to 1
		return TNB{}, fmt.Errorf("selection: mean %g is too close to 1: %w", mean, err)
	}
	return law, nil
}
