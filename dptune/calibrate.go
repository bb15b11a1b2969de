package dptune

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// Calibrate returns the protocol with the least noise whose whole price is at most epsilon, and its
// noise multiplier. The price is of losers, scores, choice and last training, with truncated noise
// counted. δ is not an argument: every protocol has its Delta, which must not depend on the noise.
//
// with returns the protocol at a noise multiplier: of the training, of the scores, or of both. More
// noise must not cost more. The noise is known to accounting.CalibrationTolerance, and rounded
// towards more noise.
//
// If no noise is enough, for instance because the noise of scores is fixed, the error wraps
// accounting.ErrNoBracket. So does the error if noise 1e-6 is enough, for instance because with
// ignores the noise multiplier.
//
// A large epsilon may be out of reach: less noise is truncated more, which takes all of Delta. The
// error then names the epsilon that can be met. With an error the protocol is the zero one, which
// is refused, and the noise multiplier is +Inf. Cost: about 30 prices.
func Calibrate[P Priced](with func(noiseMultiplier float64) P, epsilon float64) (protocol P, noiseMultiplier float64, err error) {
	if with == nil {
		return protocol, math.Inf(1), errors.New("dptune: Calibrate: with is nil: must be a function")
	}
	c := calibration{at: func(x float64) Priced { return with(x) }}
	if noiseMultiplier, err = c.least(epsilon); err != nil {
		return protocol, math.Inf(1), fmt.Errorf("dptune: Calibrate: %w", err)
	}
	return with(noiseMultiplier), noiseMultiplier, nil
}

const (
	mostNoise = 1e12 // of accounting.Calibration
	// calibrateWithin is how far below its target, relative, the ε of the least noise may be if
	// less noise leaves nothing of δ.
	calibrateWithin = 0.01
)

// calibration is a protocol at each noise multiplier.
type calibration struct {
	at    func(noiseMultiplier float64) Priced
	delta float64 // of all of them
}

// least returns the least noise multiplier that costs at most epsilon.
func (c calibration) least(epsilon float64) (float64, error) {
	one, err := c.cost(1)
	if err != nil && !errors.As(err, new(noDeltaLeft)) {
		return 0, err
	}
	c.delta = one.Delta
	x, err := accounting.Calibration{
		Accountant: pricer{c}, Event: func(x float64) accounting.Event { return atNoise(x) },
		Target: accounting.Target{Epsilon: epsilon, Delta: c.delta},
	}.NoiseMultiplier()
	if err != nil {
		if _, most := c.cost(mostNoise); errors.As(most, new(noDeltaLeft)) {
			err = most
		}
		return 0, err
	}
	return x, c.reached(x, epsilon)
}

// cost returns the guarantee at a noise multiplier. Where nothing is left of δ its ε is +Inf, with
// the error noDeltaLeft.
func (c calibration) cost(x float64) (accounting.Guarantee, error) {
	price, err := c.at(x).Price()
	var none noDeltaLeft
	if errors.As(err, &none) {
		return accounting.Guarantee{Epsilon: accounting.UpperBound(math.Inf(1)), Delta: none.delta, Neighboring: accounting.AddOrRemoveOne}, err
	}
	return price.Guarantee, err
}

// reached returns an error if the least noise is above what epsilon asks for, because less noise
// leaves nothing of δ.
func (c calibration) reached(x, epsilon float64) error {
	if _, less := c.cost(x * (1 - 2*accounting.CalibrationTolerance)); !errors.As(less, new(noDeltaLeft)) {
		return nil
	}
	met, err := c.cost(x)
	if err != nil {
		return err
	}
	if upper := met.Epsilon.Upper; upper < epsilon*(1-calibrateWithin) {
		return fmt.Errorf("epsilon %g: must be at most %.4g (noise multiplier %.6g): less noise leaves nothing of δ", epsilon, upper, x)
	}
	return nil
}

// atNoise is a protocol at a noise multiplier as an event, for accounting.Calibration.
type atNoise float64

func (atNoise) Validate() error { return nil } // the price validates
func (atNoise) String() string  { return "a protocol" }

// pricer is the accountant of such events.
type pricer struct{ calibration }

func (pricer) Name() string { return "the price of the protocol" }

func (pricer) Neighboring() accounting.Neighboring { return accounting.AddOrRemoveOne }

func (p pricer) EpsilonAt(event accounting.Event, _ float64) (accounting.Guarantee, error) {
	g, err := p.cost(float64(event.(atNoise))) // it is asked only by Calibrate
	if errors.As(err, new(noDeltaLeft)) {      // less noise is truncated more
		err = nil
	}
	if err == nil && g.Delta != p.delta {
		return accounting.NoGuarantee(), fmt.Errorf("dptune: Delta %g: must be %g, the same at all noise multipliers", g.Delta, p.delta)
	}
	return g, err
}

func (pricer) DeltaAt(event accounting.Event, _ float64) (accounting.Interval, error) {
	return accounting.NoDelta(), fmt.Errorf("dptune: %v: %w", event, accounting.ErrUnsupportedEvent)
}
