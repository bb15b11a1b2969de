package rdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// FromEvent returns the curve of event. Gaussian, PoissonSampled around a Gaussian,
// SelfComposed, Composed, Parallel, WorstCase and NonPrivate are known; any other event is
// an error that wraps accounting.ErrUnsupportedEvent. An event that is not valid is an error.
func FromEvent(event accounting.Event) (Curve, error) {
	if event == nil {
		return nil, fmt.Errorf("rdp: event is nil: must be an event")
	}
	if err := event.Validate(); err != nil {
		return nil, fmt.Errorf("rdp: %w", err)
	}
	return fromEvent(event)
}

func fromEvent(event accounting.Event) (Curve, error) {
	switch e := event.(type) {
	case accounting.Gaussian:
		return Gaussian(e.NoiseMultiplier), nil
	case accounting.NonPrivate:
		return func(float64) float64 { return math.Inf(1) }, nil
	case accounting.PoissonSampled:
		return fromSampled(e)
	case accounting.SelfComposed:
		curve, err := fromEvent(e.Event)
		if err != nil {
			return nil, err
		}
		return Scale(curve, e.Count), nil
	case accounting.Composed:
		return fromEvents(e.Events, Sum)
	case accounting.Parallel:
		return fromEvents(e.Events, Max)
	case accounting.WorstCase:
		return fromEvents(e.Events, Max)
	}
	return nil, fmt.Errorf("rdp: event %T: %w", event, accounting.ErrUnsupportedEvent)
}

func fromSampled(e accounting.PoissonSampled) (Curve, error) {
	switch inner := e.Event.(type) {
	case accounting.Gaussian:
		return SampledGaussian(e.SamplingRate, inner.NoiseMultiplier), nil
	case accounting.NonPrivate:
		return fromEvent(inner)
	}
	return nil, fmt.Errorf("rdp: event PoissonSampled around %T: %w", e.Event, accounting.ErrUnsupportedEvent)
}
