package auto

import "github.com/dplab/dplab/accounting"

// Default returns the accountant for an optional last argument. It is a single given accountant,
// [NewAccountant] of several, or auto's own if none is given. Nil ones are ignored.
func Default(accountants ...accounting.Accountant) accounting.Accountant {
	named := given(accountants)
	if len(named) == 1 {
		return named[0]
	}
	return NewAccountant(named...)
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
// If no σ in the range is enough, the error wraps accounting.ErrNoBracket. The accountant is that
// of [Default]. It is called some ten times.
func CalibrateNoiseMultiplier(event func(noiseMultiplier float64) accounting.Event, target accounting.Target, accountants ...accounting.Accountant) (float64, error) {
	return accounting.Calibration{Accountant: Default(accountants...), Event: event, Target: target}.NoiseMultiplier()
}

// CalibrateSamplingRate returns the largest sampling rate q in [1e-9, 1] at which event(q) costs at
// most the target, to accounting.CalibrationTolerance and rounded down. If no rate in the range is
// low enough, the error wraps accounting.ErrNoBracket. The accountant is that of [Default].
func CalibrateSamplingRate(event func(samplingRate float64) accounting.Event, target accounting.Target, accountants ...accounting.Accountant) (float64, error) {
	return accounting.Calibration{Accountant: Default(accountants...), Event: event, Target: target}.SamplingRate()
}
