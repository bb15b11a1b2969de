package auto

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
)

// Default returns the accountant for an optional last argument. It is a single given accountant,
// [NewAccountant] of several, or auto's own if none is given. Nil ones are ignored.
func Default(accountants ...accounting.Accountant) accounting.Accountant {
	all := given(accountants)
	if len(all) == 1 {
		return all[0]
	}
	return NewAccountant(all...)
}

// given returns the accountants that are not nil; nil if there are none.
func given(accountants []accounting.Accountant) (named []accounting.Accountant) {
	for _, a := range accountants {
		if a != nil {
			named = append(named, a)
		}
	}
	return named
}

// CalibrateNoiseMultiplier returns the least noise multiplier σ in [1e-6, 1e12] at which event(σ)
// costs at most the target, to accounting.CalibrationTolerance and rounded up.
//
// The error wraps accounting.ErrNoBracket if no σ in the range is enough. So it does if 1e-6 is
// enough, for instance because event ignores σ. The accountant is that of [Default]. It is called
// some ten times.
func CalibrateNoiseMultiplier(event func(noiseMultiplier float64) accounting.Event, target accounting.Target, accountants ...accounting.Accountant) (float64, error) {
	x, err := accounting.Calibration{Accountant: Default(accountants...), Event: event, Target: target}.NoiseMultiplier()
	return x, named("CalibrateNoiseMultiplier", err)
}

// CalibrateSamplingRate returns the largest sampling rate q in [1e-9, 1] at which event(q) costs at
// most the target, to accounting.CalibrationTolerance and rounded down. The accountant is that of
// [Default].
//
// If no rate in the range is low enough, the error wraps accounting.ErrNoBracket. If all of them
// are, the answer is 1. Then event must depend on the rate: an event that is the same at both ends
// of the range, or costs the same ε > 0 there, is an error that wraps accounting.ErrNoBracket.
func CalibrateSamplingRate(event func(samplingRate float64) accounting.Event, target accounting.Target, accountants ...accounting.Accountant) (float64, error) {
	x, err := accounting.Calibration{Accountant: Default(accountants...), Event: event, Target: target}.SamplingRate()
	return x, named("CalibrateSamplingRate", err)
}

// named returns an error about the searched range with the name of the function before it.
func named(function string, err error) error {
	if errors.Is(err, accounting.ErrNoBracket) {
		return fmt.Errorf("auto: %s: %w", function, err)
	}
	return err
}
