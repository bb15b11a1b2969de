package auto

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

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
	first := numeric.Log(math.Max(known.Upper, leastCalibratedDelta))
	for step := 0.0; ; step = math.Max(2*step, accounting.CalibrationTolerance/4) {
		delta := math.Exp(first + step)
		if delta >= 1 {
			delta = 1 - 1e-9
		}
		guarantee, err := accountant.EpsilonAt(event, delta)
		switch {
		case err != nil:
			return 1, check.Errorf("auto: calibration of δ at %g: %w", delta, err)
		case guarantee.Epsilon.Upper <= epsilon:
			return delta, nil
		case first+step >= 0:
			return 1, check.Errorf("auto: calibration of δ for ε %g with %s: %w, [%g, %.9g]",
				epsilon, accountant.Name(), accounting.ErrNoBracket, leastCalibratedDelta, delta)
		}
	}
}
