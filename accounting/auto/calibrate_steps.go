package auto

import (
	"reflect"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// CalibrateSteps returns the largest number of steps, at most maxSteps, that costs at most the
// target.
//
// event returns the event of a run with that many steps. Privacy must worsen with the steps. If one
// step is too many, the error wraps accounting.ErrNoBracket. The accountant is that of [Default].
// It is called twice for each doubling of the answer.
//
// If maxSteps steps meet the target, the answer is maxSteps. Then event must depend on the steps:
// if it is the same at 1 step and at maxSteps > 1, the error wraps accounting.ErrNoBracket. Two
// different events may cost the same, as steps on disjoint data do.
func CalibrateSteps(event func(steps int) accounting.Event, target accounting.Target, maxSteps int, accountants ...accounting.Accountant) (int, error) {
	f := check.In("auto: CalibrateSteps: ")
	f.That(event != nil, "event", "is nil", "must be a function")
	f.Count("maxSteps", maxSteps, 1)
	f.Add(target.Validate())
	if err := f.Err(); err != nil {
		return 0, err
	}
	accountant := Default(accountants...)
	count, err := checkedMostSteps(event, target, maxSteps, accountant)
	if err != nil {
		return 0, err
	}
	if count == maxSteps && maxSteps > 1 && reflect.DeepEqual(event(1), event(maxSteps)) {
		return 0, check.Worded(accounting.ErrNoBracket, "auto: CalibrateSteps: steps in [1, %d] for %v with %s: must change event, which is the same at both ends of the range",
			maxSteps, target, accountant.Name())
	}
	return count, nil
}

// checkedMostSteps is CalibrateSteps for valid arguments, without a look at the ends of the range.
func checkedMostSteps(event func(steps int) accounting.Event, target accounting.Target, maxSteps int, accountant accounting.Accountant) (int, error) {
	unchecked := accounting.Unchecked(accountant)
	count, err := mostSteps(event, target, maxSteps, unchecked)
	if err != nil {
		return 0, err
	}
	// The check of the answer may raise ε slightly.
	if g, err := accountant.EpsilonAt(event(count), target.Delta); err == nil && g.Epsilon.Upper <= target.Epsilon {
		return count, nil
	}
	return mostSteps(event, target, maxSteps, accountant)
}

// mostSteps is CalibrateSteps by the answers of one accountant.
func mostSteps(event func(steps int) accounting.Event, target accounting.Target, maxSteps int, accountant accounting.Accountant) (int, error) {
	// Invariant: good steps meet the target (0 does). bad steps do not; 0 means none is known.
	for good, bad, next := 0, 0, 1; ; {
		guarantee, err := accountant.EpsilonAt(event(next), target.Delta)
		switch {
		case err != nil:
			return 0, check.Errorf("auto: calibration at %d steps: %w", next, err)
		case guarantee.Epsilon.Upper <= target.Epsilon:
			good = next
		default:
			bad = next
		}
		switch {
		case bad == 1:
			return 0, check.Errorf("auto: calibration for %v with %s: %w, 1 step to %d",
				target, accountant.Name(), accounting.ErrNoBracket, maxSteps)
		case good == maxSteps || bad-good == 1:
			return good, nil
		case bad == 0:
			next = good + min(good, maxSteps-good)
		default:
			next = good + (bad-good)/2
		}
	}
}
