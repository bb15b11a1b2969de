package dptune

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// Calibrate returns the search with the least noise whose whole price is at most epsilon at its
// Delta. The price is of the losers, the scores and the choice, and the ends of the noise are set
// aside. with returns the search at a noise multiplier: of the training, of the scores, or of both.
// More noise must not cost more. The noise is known to accounting.CalibrationTolerance, and rounded
// towards more noise. The noise multiplier is returned too.
//
// If no noise is enough, as where the noise of scores is fixed, the error wraps
// accounting.ErrNoBracket. A large epsilon may be out of reach, because the tail of less noise
// takes all of Delta: the error then names the epsilon that can be met. With an error the search is
// the zero one, which is refused, and the noise multiplier +Inf. Cost: some 30 prices.
func Calibrate[H, O any](with func(noiseMultiplier float64) Search[H, O], epsilon float64) (search Search[H, O], noiseMultiplier float64, err error) {
	if with == nil {
		return search, math.Inf(1), errors.New("dptune: Calibrate: with is nil: must be a function")
	}
	delta := with(1).Delta
	noiseMultiplier, err = auto.CalibrateNoiseMultiplier(func(x float64) accounting.Event {
		s := with(x)
		return asEvent{func() (accounting.Guarantee, error) { return costOf(s) }, s.Delta}
	}, accounting.Target{Epsilon: epsilon, Delta: delta}, pricer{})
	if err != nil {
		if _, most := costOf(with(mostNoise)); errors.As(most, new(noDeltaLeft)) {
			err = most
		}
		return search, math.Inf(1), fmt.Errorf("dptune: Calibrate: %w", err)
	}
	if err := reached(with, noiseMultiplier, epsilon); err != nil {
		return search, math.Inf(1), err
	}
	return with(noiseMultiplier), noiseMultiplier, nil
}

const (
	mostNoise = 1e12 // of auto.CalibrateNoiseMultiplier
	// calibrateWithin is how far below its target, relative, the ε of the least noise may be if
	// less noise leaves nothing of δ.
	calibrateWithin = 0.01
)

// costOf returns the guarantee of a search, or noDeltaLeft if the tail of its noise takes all of δ.
func costOf[H, O any](s Search[H, O]) (accounting.Guarantee, error) {
	if s.TruncationDelta == 1 {
		return accounting.NoGuarantee(), noDeltaLeft{"Search", s.Delta, 1}
	}
	price, err := s.Price()
	return price.Guarantee, err
}

// reached returns an error if the least noise is above what epsilon asks for, because the tail of
// less noise takes all of δ.
func reached[H, O any](with func(noiseMultiplier float64) Search[H, O], noiseMultiplier, epsilon float64) error {
	if _, less := costOf(with(noiseMultiplier * (1 - 2*accounting.CalibrationTolerance))); !errors.As(less, new(noDeltaLeft)) {
		return nil
	}
	met, err := costOf(with(noiseMultiplier))
	if err != nil {
		return fmt.Errorf("dptune: Calibrate: %w", err)
	}
	if upper := met.Epsilon.Upper; upper < epsilon*(1-calibrateWithin) {
		return fmt.Errorf("dptune: Calibrate: epsilon %g: must be at most %.4g, which noise multiplier %.6g meets: with less noise nothing is left of δ for the ends of the noise",
			epsilon, upper, noiseMultiplier)
	}
	return nil
}

// asEvent is a search as an event, for accounting.Calibration.
type asEvent struct {
	price func() (accounting.Guarantee, error)
	delta float64
}

func (asEvent) Validate() error { return nil } // the price validates
func (asEvent) String() string  { return "a search" }

// pricer is the accountant of searches.
type pricer struct{}

func (pricer) Name() string { return "the price of the search" }

func (pricer) Neighboring() accounting.Neighboring { return accounting.AddOrRemoveOne }

func (pricer) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	search := event.(asEvent) // it is asked by Calibrate alone
	if search.delta != delta {
		return accounting.NoGuarantee(), fmt.Errorf("dptune: Search.Delta %g: must be %g, the same at all noise multipliers", search.delta, delta)
	}
	g, err := search.price()
	if errors.As(err, new(noDeltaLeft)) { // less noise has a larger tail, which leaves nothing of δ
		return accounting.Guarantee{Epsilon: accounting.UpperBound(math.Inf(1)), Delta: delta, Neighboring: accounting.AddOrRemoveOne}, nil
	}
	return g, err
}

func (pricer) DeltaAt(event accounting.Event, _ float64) (accounting.Interval, error) {
	return accounting.NoDelta(), fmt.Errorf("dptune: %v: %w", event, accounting.ErrUnsupportedEvent)
}
