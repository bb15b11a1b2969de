package auto

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

// mostRaised bounds what a check may add to a δ that is printed, as a share of it.
const mostRaised = 1e-3

// leastCalibratedDelta is the least δ that CalibrateDelta returns.
const leastCalibratedDelta = 1e-300

// CalibrateDelta returns a δ in [1e-300, 1) at which event costs at most epsilon >= 0. It is the
// accountant's DeltaAt, raised until its EpsilonAt agrees. So the pair may be printed as one
// guarantee. If the two agree at once, it is the least δ, to accounting.CalibrationTolerance. The
// accountant is that of [Default].
//
// If not even δ = 1 - 1e-9 is enough, the error wraps accounting.ErrNoBracket, and δ is 1.
func CalibrateDelta(event accounting.Event, epsilon float64, accountants ...accounting.Accountant) (float64, error) {
	f := check.In("auto: CalibrateDelta: ")
	f.That(event != nil, "event", "is nil", "must be an event")
	f.Add(accounting.ValidateEpsilon(epsilon))
	if err := f.Err(); err != nil {
		return 1, err
	}
	accountant := Default(accountants...)
	known, err := accountant.DeltaAt(event, epsilon)
	if err != nil {
		return 1, check.Errorf("auto: calibration of δ for ε %g: %w", epsilon, err)
	}
	guarantee, err := checkedDelta(event, epsilon, known, accountant)
	if err != nil {
		return 1, err
	}
	return guarantee.Delta, nil
}

// CheckedDeltaAt is DeltaAt with an upper end that was checked, and a lower one if it can be. At
// the upper end, guarantee has an ε of at most epsilon >= 0. It has the certificate, or the warning
// that there is none. If the check needs a δ that is larger by more than a share of 1e-3, the upper
// end is DeltaAt's, and guarantee warns of accounting.ErrUncertified.
//
// A δ below 1e-300 is DeltaAt's, and a δ of 1 holds for every event. Neither has a guarantee: it is
// the zero value, which was not computed.
func (a Accountant) CheckedDeltaAt(event accounting.Event, epsilon float64) (delta accounting.Interval, guarantee accounting.Guarantee, err error) {
	known, err := a.DeltaAt(event, epsilon)
	if err != nil || known.Upper < leastCalibratedDelta || known.Upper == 1 {
		return known, accounting.Guarantee{}, err
	}
	guarantee, err = checkedDelta(event, epsilon, known, a)
	switch {
	case errors.Is(err, accounting.ErrNoBracket):
		return accounting.UpperBound(1), accounting.Guarantee{}, nil
	case err != nil:
		return accounting.NoDelta(), accounting.Guarantee{}, err
	case guarantee.Delta > known.Upper*(1+mostRaised):
		guarantee.Certificate = nil
		guarantee.Warnings = append(guarantee.Warnings, fmt.Errorf("auto: δ <= %.9g at ε %g: %w, which shows %.9g", known.Upper, epsilon, accounting.ErrUncertified, guarantee.Delta))
		return known, guarantee, nil
	}
	known = known.WithUpper(math.Max(known.Upper, guarantee.Delta))
	return a.checkedLower(event, epsilon, known, guarantee.Epsilon), guarantee, nil
}

// checkedLower lowers a lower end of δ until the lower end of ε there is checked and at least
// epsilon. near is ε at the upper end. If its lower end has no check, or if that does not help, δ
// stays as it is.
//
// δ is above the lowered end at that ε, and falls with ε.
func (a Accountant) checkedLower(event accounting.Event, epsilon float64, delta, near accounting.Interval) accounting.Interval {
	const steep = 200 // twice -d ln δ/dε of most profiles
	share := 1e-10 + steep*(epsilon-near.Lower)
	lower := delta.Lower * (1 - share)
	if !near.LowerChecked || !delta.HasLower || !(share < mostRaised) || lower < leastCalibratedDelta {
		return delta
	}
	g, err := a.EpsilonAt(event, lower)
	if err != nil || !g.Epsilon.LowerChecked || !(g.Epsilon.Lower >= epsilon) {
		return delta
	}
	return delta.WithLower(lower)
}

// checkedDelta raises δ from its known upper end, until it costs at most epsilon. The check may
// have raised ε by a share. So the first guess is δ at an ε that is smaller by that share, and then
// steps double. δ at an ε of a selection takes many prices, and is not asked for again.
func checkedDelta(event accounting.Event, epsilon float64, known accounting.Interval, accountant accounting.Accountant) (accounting.Guarantee, error) {
	first := numeric.Log(math.Max(known.Upper, leastCalibratedDelta))
	for step := 0.0; ; step = math.Max(2*step, accounting.CalibrationTolerance/4) {
		delta := math.Exp(first + step)
		if delta >= 1 {
			delta = 1 - 1e-9
		}
		guarantee, err := accountant.EpsilonAt(event, delta)
		switch {
		case err != nil:
			return accounting.Guarantee{}, check.Errorf("auto: calibration of δ at %g: %w", delta, err)
		case guarantee.Epsilon.Upper <= epsilon:
			return guarantee, nil
		case first+step >= 0:
			return accounting.Guarantee{}, check.Errorf("auto: calibration of δ for ε %g with %s: %w, [%g, %.9g]",
				epsilon, accountant.Name(), accounting.ErrNoBracket, leastCalibratedDelta, delta)
		}
		if above := guarantee.Epsilon.Upper - epsilon; step == 0 && 1.01*above < epsilon && !HasSelection(event) {
			lower, err := accountant.DeltaAt(event, epsilon-1.01*above)
			if err != nil {
				return accounting.Guarantee{}, check.Errorf("auto: calibration of δ for ε %g: %w", epsilon, err)
			}
			if step = numeric.Log(lower.Upper) - first; step > 0 && first+step < 0 {
				guarantee, err := accountant.EpsilonAt(event, lower.Upper)
				if err != nil {
					return accounting.Guarantee{}, check.Errorf("auto: calibration of δ at %g: %w", lower.Upper, err)
				}
				if guarantee.Epsilon.Upper <= epsilon {
					return guarantee, nil
				}
			}
		}
	}
}
