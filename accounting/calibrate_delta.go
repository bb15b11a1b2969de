package accounting

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

// leastDelta is the least δ that CalibrateDelta returns.
const leastDelta = 1e-300

// CalibrateDelta returns a δ in [1e-300, 1) for which the accountant's upper bound of ε is at most
// epsilon, epsilon >= 0: the accountant's DeltaAt, raised until its EpsilonAt agrees, so that the
// pair may be printed as one guarantee. Where the two agree it is the least δ, to
// CalibrationTolerance.
//
// If not even δ = 1 - 1e-9 is enough, the error wraps ErrNoBracket.
func CalibrateDelta(accountant Accountant, event Event, epsilon float64) (float64, error) {
	if err := validateDeltaCalibration(accountant, event, epsilon); err != nil {
		return 0, err
	}
	known, err := accountant.DeltaAt(event, epsilon)
	if err != nil {
		return 0, check.Errorf("accounting: calibration of δ for ε %g: %w", epsilon, err)
	}
	first := numeric.Log(math.Max(known.Upper, leastDelta))
	for step := 0.0; ; step = math.Max(2*step, CalibrationTolerance/4) {
		delta := math.Exp(first + step)
		if delta >= 1 {
			delta = 1 - 1e-9
		}
		guarantee, err := accountant.EpsilonAt(event, delta)
		switch {
		case err != nil:
			return 0, check.Errorf("accounting: calibration of δ at %g: %w", delta, err)
		case guarantee.Epsilon.Upper <= epsilon:
			return delta, nil
		case first+step >= 0:
			return 0, fmt.Errorf("accounting: calibration of δ for ε %g with %s: %w, [%g, %.9g]",
				epsilon, accountant.Name(), ErrNoBracket, leastDelta, delta)
		}
	}
}

func validateDeltaCalibration(accountant Accountant, event Event, epsilon float64) error {
	f := check.In("accounting: CalibrateDelta: ")
	f.That(accountant != nil, "accountant", "is nil", "must be an accountant")
	f.That(event != nil, "event", "is nil", "must be an event")
	f.Add(ValidateEpsilon(epsilon))
	return f.Err()
}
