package accounting

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

// CalibrateSteps returns the largest number of steps, at most maxSteps, for which the
// accountant's upper bound of ε at delta is at most epsilon.
//
// event returns what runs with that many steps; privacy must worsen with them. If one
// step is too many, the error wraps ErrNoBracket. Cost: two calls of the accountant for
// each doubling of the answer.
func CalibrateSteps(accountant Accountant, event func(steps int) Event, epsilon, delta float64, maxSteps int) (int, error) {
	if err := validateSteps(accountant, event, epsilon, delta, maxSteps); err != nil {
		return 0, err
	}
	// Invariant: good steps meet the target (0 does), bad steps do not (0: none is known).
	for good, bad, next := 0, 0, 1; ; {
		guarantee, err := accountant.EpsilonAt(event(next), delta)
		switch {
		case err != nil:
			return 0, check.Errorf("accounting: calibration at %d steps: %w", next, err)
		case guarantee.Epsilon.Upper <= epsilon:
			good = next
		default:
			bad = next
		}
		switch {
		case bad == 1:
			return 0, fmt.Errorf("accounting: calibration for ε %g, δ %g with %s: %w, 1 step to %d",
				epsilon, delta, accountant.Name(), ErrNoBracket, maxSteps)
		case good == maxSteps || bad-good == 1:
			return good, nil
		case bad == 0:
			next = good + min(good, maxSteps-good)
		default:
			next = good + (bad-good)/2
		}
	}
}

func validateSteps(accountant Accountant, event func(steps int) Event, epsilon, delta float64, maxSteps int) error {
	f := check.In("accounting: CalibrateSteps: ")
	f.That(accountant != nil, "accountant", "is nil", "must be an accountant")
	f.That(event != nil, "event", "is nil", "must be a function")
	f.Count("maxSteps", maxSteps, 1)
	f.Add(ValidateEpsilon(epsilon))
	f.Add(ValidateDelta(delta))
	return f.Err()
}
