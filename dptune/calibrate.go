package dptune

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// Calibrate returns the search with the least noise whose whole price is at most epsilon at its Delta: the losers, the scores and the
// choice included, and the ends of the noise set aside. with returns the search at a noise multiplier: of the training, of
// the scores, or of both. More noise must not cost more. It is known to accounting.CalibrationTolerance, and rounded
// towards more noise. The noise multiplier is returned too.
//
// If no noise is enough, as where scores have noise of their own that does not grow, the error wraps accounting.ErrNoBracket. Cost: some
// 30 prices.
func Calibrate[H, O any](with func(noiseMultiplier float64) Search[H, O], epsilon float64) (search Search[H, O], noiseMultiplier float64, err error) {
	if with == nil {
		return search, 0, errors.New("dptune: Calibrate: with is nil: must be a function")
	}
	delta := with(1).Delta
	noiseMultiplier, err = auto.CalibrateNoiseMultiplier(func(x float64) accounting.Event {
		s := with(x)
		return asEvent{func() (accounting.Guarantee, error) {
			price, err := s.Price()
			return price.Guarantee, err
		}, s.Delta}
	}, accounting.Target{Epsilon: epsilon, Delta: delta}, pricer{})
	if err != nil {
		return search, 0, fmt.Errorf("dptune: Calibrate: %w", err)
	}
	return with(noiseMultiplier), noiseMultiplier, nil
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
		return accounting.Guarantee{}, fmt.Errorf("dptune: Search.Delta %g: must be %g, the same at all noise multipliers", search.delta, delta)
	}
	return search.price()
}

func (pricer) DeltaAt(event accounting.Event, _ float64) (accounting.Interval, error) {
	return accounting.Interval{}, fmt.Errorf("dptune: %v: %w", event, accounting.ErrUnsupportedEvent)
}
