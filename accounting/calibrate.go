package accounting

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
)

// Target is the largest allowed (ε, δ). Its fields are named to prevent an exchange of the two
// numbers.
//
//	accounting.Target{Epsilon: 3, Delta: 1e-5}
type Target struct {
	Epsilon float64 // in nats, >= 0 and finite
	Delta   float64 // in (0, 1)
}

// likelyExchanged is the least δ at which a target with 0 < ε < δ is refused. Such a pair has no
// use. It is probably an ε of 0.01 or more that was exchanged with a δ.
const likelyExchanged = 0.01

// Validate returns an error unless Epsilon is >= 0 and finite and Delta is in (0, 1). It also
// refuses 0 < Epsilon < Delta with Delta >= 0.01, as the two were probably exchanged.
func (t Target) Validate() error {
	f := check.In("accounting: Target.")
	f.Number("Epsilon", t.Epsilon, check.NotNegative.OfAnySize())
	f.Number("Delta", t.Delta, check.OpenUnit)
	f.That(!(t.Epsilon > 0 && t.Epsilon < t.Delta && t.Delta >= likelyExchanged && t.Delta < 1),
		"Epsilon", fmt.Sprintf("%g, Delta %g", t.Epsilon, t.Delta), "must not be exchanged: with a Delta of 0.01 or more, Epsilon is 0 or the larger of the two")
	return f.Err()
}

// String returns the pair, for instance "ε 3, δ 1e-05".
func (t Target) String() string { return fmt.Sprintf("ε %g, δ %g", t.Epsilon, t.Delta) }

var (
	// ErrNoBracket is returned, wrapped, if no value in the searched range meets the target. It is
	// also returned if all values meet it and the end of the range is not an answer.
	ErrNoBracket = errors.New("no value in the range meets the target")
	// ErrNotConverged is returned, wrapped, if 200 calls of the accountant do not find the answer
	// to CalibrationTolerance.
	ErrNotConverged = errors.New("search did not converge")
)

const (
	// CalibrationTolerance is the relative width of the bracket around a calibrated value.
	// Calibrations return its private end.
	CalibrationTolerance = 1e-7
	// maxCalibrationEvaluations caps the calls of the accountant in one calibration.
	maxCalibrationEvaluations = 200

	calibrationStep = 4 // factor between values while looking for a bracket
)

// Calibration finds a value x of one parameter with EpsilonAt(Event(x), Target.Delta).Epsilon.Upper
// <= Target.Epsilon. Privacy must improve, or worsen, with x over the whole range.
//
// The calibrations of package auto use it. They need no accountant.
type Calibration struct {
	Accountant Accountant            // Required.
	Event      func(x float64) Event // the event at x; must be valid on [Low, High]
	Target     Target                // the largest allowed (ε, δ)
	Low, High  float64               // the searched range, 0 < Low < High, finite
}

// NoiseMultiplier returns [Calibration.Least] for a noise multiplier σ. If Low and High are 0, the
// range is [1e-6, 1e12]. The accountant is called some ten times.
//
// The error wraps ErrNoBracket if no σ in the range is enough, or if Low is enough. An event that
// ignores σ would get almost no noise, and Low is not the least σ.
func (c Calibration) NoiseMultiplier() (float64, error) {
	c = c.over(1e-6, 1e12)
	x, err := c.search(calibrationStep, "noise multiplier")
	if err == nil && x == c.Low {
		err = c.allMeet("noise multiplier", "must be above the lower end of the range, where Event must miss the target")
	}
	if err != nil {
		return math.Inf(1), err
	}
	return x, nil
}

// SamplingRate returns [Calibration.Most] for a sampling rate q. If Low and High are 0, the range
// is [1e-9, 1]. If no rate in the range is low enough, or Event ignores the rate, the error wraps
// ErrNoBracket.
func (c Calibration) SamplingRate() (float64, error) {
	return c.over(1e-9, 1).search(1/float64(calibrationStep), "sampling rate")
}

func (c Calibration) over(low, high float64) Calibration {
	if c.Low == 0 && c.High == 0 {
		c.Low, c.High = low, high
	}
	return c
}

// Least returns the least x that meets the target, rounded up by at most CalibrationTolerance.
// Privacy must improve with x, as with a noise multiplier. It returns Low if Low meets the target,
// and +Inf with an error. If Low meets it and Event ignores x, the error wraps ErrNoBracket.
func (c Calibration) Least() (float64, error) {
	x, err := c.search(calibrationStep, "x")
	if err != nil {
		return math.Inf(1), err
	}
	return x, nil
}

// Most returns the largest x that meets the target, rounded down by at most CalibrationTolerance.
// Privacy must worsen with x, as with a sampling rate. It returns High if High meets the target,
// and 0 with an error. If High meets it and Event ignores x, the error wraps ErrNoBracket.
func (c Calibration) Most() (float64, error) {
	return c.search(1/float64(calibrationStep), "x")
}

// Validate returns an error that names every invalid field.
func (c Calibration) Validate() error {
	f := check.In("accounting: Calibration.")
	f.That(c.Accountant != nil, "Accountant", "is nil", "must be an accountant")
	f.That(c.Event != nil, "Event", "is nil", "must be a function")
	f.That(c.Low > 0 && c.Low < c.High && !math.IsInf(c.High, 1), "Low", fmt.Sprintf("%g, High %g", c.Low, c.High), "must be 0 < Low < High, finite")
	f.Add(c.Target.Validate())
	return f.Err()
}
