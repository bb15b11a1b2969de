package accounting

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
)

// Target is an (ε, δ) that something must not exceed. Its fields are named, so that the two
// numbers cannot be exchanged.
//
//	accounting.Target{Epsilon: 3, Delta: 1e-5}
type Target struct {
	Epsilon float64 // in nats, >= 0 and finite
	Delta   float64 // in (0, 1)
}

// likelyExchanged is the δ from which a target whose ε is above 0 and below δ is refused. Such
// a pair is far from any use, and it is what an ε of 0.01 or more and a δ look like when exchanged.
const likelyExchanged = 0.01

// Validate returns an error unless Epsilon is >= 0 and finite and Delta is in (0, 1). It also
// refuses 0 < Epsilon < Delta with Delta >= 0.01, which are an ε and a δ that were exchanged.
func (t Target) Validate() error {
	f := check.In("accounting: Target.")
	f.Number("Epsilon", t.Epsilon, check.NotNegative.OfAnySize())
	f.Number("Delta", t.Delta, check.OpenUnit)
	f.That(!(t.Epsilon > 0 && t.Epsilon < t.Delta && t.Delta >= likelyExchanged && t.Delta < 1),
		"Epsilon", fmt.Sprintf("%g, Delta %g", t.Epsilon, t.Delta), "must not be exchanged: Epsilon is the larger of the two, or 0, where Delta is 0.01 or more")
	return f.Err()
}

// String returns the pair, for instance "ε 3, δ 1e-05".
func (t Target) String() string { return fmt.Sprintf("ε %g, δ %g", t.Epsilon, t.Delta) }

var (
	// ErrNoBracket is returned, wrapped, when nothing in the range searched meets the target.
	ErrNoBracket = errors.New("no value in the range meets the target")
	// ErrNotConverged is returned, wrapped, when the answer was not found to
	// CalibrationTolerance within 200 calls of the accountant.
	ErrNotConverged = errors.New("search did not converge")
)

const (
	// CalibrationTolerance is the relative width to which a calibrated value is known; the
	// private end of it is returned.
	CalibrationTolerance = 1e-7
	// maxCalibrationEvaluations caps the calls of the accountant in one calibration.
	maxCalibrationEvaluations = 200

	calibrationStep = 4 // factor between values while looking for a bracket
)

// Calibration asks for a value x of one parameter such that the event of x has
// EpsilonAt(Event(x), Target.Delta).Epsilon.Upper <= Target.Epsilon. Privacy must improve, or
// worsen, with x over the whole range.
//
// It is what the calibrations of package auto run. They need no accountant.
type Calibration struct {
	Accountant Accountant            // Required.
	Event      func(x float64) Event // what runs at x; must be valid on [Low, High]
	Target     Target                // what must not be exceeded
	Low, High  float64               // the range searched, 0 < Low < High, finite
}

// NoiseMultiplier returns [Calibration.Least] for a noise multiplier σ: where Low and High are 0,
// the range is [1e-6, 1e12]. If no σ in the range is enough, the error wraps ErrNoBracket.
// Cost: some ten calls of the accountant.
func (c Calibration) NoiseMultiplier() (float64, error) { return c.over(1e-6, 1e12).Least() }

// SamplingRate returns [Calibration.Most] for a sampling rate q: where Low and High are 0, the
// range is [1e-9, 1]. If no rate in the range is low enough, the error wraps ErrNoBracket.
func (c Calibration) SamplingRate() (float64, error) { return c.over(1e-9, 1).Most() }

func (c Calibration) over(low, high float64) Calibration {
	if c.Low == 0 && c.High == 0 {
		c.Low, c.High = low, high
	}
	return c
}

// Least returns the least x that meets the target, where privacy improves with x (a noise
// multiplier), rounded up by at most CalibrationTolerance. It is Low if Low meets it, and +Inf
// with an error.
func (c Calibration) Least() (float64, error) {
	x, err := c.search(calibrationStep)
	if err != nil {
		return math.Inf(1), err
	}
	return x, nil
}

// Most returns the largest x that meets the target, where privacy worsens with x (a
// sampling rate), rounded down by at most CalibrationTolerance. It is High if High meets it, and 0
// with an error.
func (c Calibration) Most() (float64, error) {
	return c.search(1 / float64(calibrationStep))
}

// Validate returns an error that names every field that is not usable.
func (c Calibration) Validate() error {
	f := check.In("accounting: Calibration.")
	f.That(c.Accountant != nil, "Accountant", "is nil", "must be an accountant")
	f.That(c.Event != nil, "Event", "is nil", "must be a function")
	f.That(c.Low > 0 && c.Low < c.High && !math.IsInf(c.High, 1), "Low", fmt.Sprintf("%g, High %g", c.Low, c.High), "must be 0 < Low < High, finite")
	f.Add(c.Target.Validate())
	return f.Err()
}
