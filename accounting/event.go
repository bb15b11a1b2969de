package accounting

import (
	"errors"
	"fmt"
	"math"
)

// ErrUnsupportedEvent is returned, wrapped, by an accountant that does not know an event.
var ErrUnsupportedEvent = errors.New("unsupported event")

// Event is a record of what a mechanism did to the data, as far as privacy is concerned.
// Events are plain data. They know nothing of accountants; an accountant that meets an
// event of a type it does not know returns ErrUnsupportedEvent.
type Event interface {
	// Validate returns an error that names field, value and rule if the event is not
	// well formed.
	Validate() error
	// String describes the event in one line, with its parameters.
	String() string
}

// Gaussian is one release of a vector of L2 sensitivity 1 with normal noise of standard
// deviation NoiseMultiplier in each coordinate.
type Gaussian struct {
	NoiseMultiplier float64 // σ > 0
}

// Validate returns an error unless the noise multiplier is positive and finite.
func (e Gaussian) Validate() error {
	if !(e.NoiseMultiplier > 0) || math.IsInf(e.NoiseMultiplier, 1) {
		return fmt.Errorf("accounting: Gaussian.NoiseMultiplier %g: must be > 0 and finite (for no noise use NonPrivate)", e.NoiseMultiplier)
	}
	return nil
}

// String describes the event.
func (e Gaussian) String() string { return fmt.Sprintf("Gaussian(σ=%g)", e.NoiseMultiplier) }

// PoissonSampled is Event run on a random subset of the data that each example joins
// independently with probability SamplingRate. The subset stays hidden.
type PoissonSampled struct {
	SamplingRate float64 // q in (0, 1]
	Event        Event   // what is run on the subset
}

// Validate returns an error unless the rate is in (0, 1] and the inner event is valid.
func (e PoissonSampled) Validate() error {
	var errs []error
	if !(e.SamplingRate > 0 && e.SamplingRate <= 1) {
		errs = append(errs, fmt.Errorf("accounting: PoissonSampled.SamplingRate %g: must be in (0, 1]", e.SamplingRate))
	}
	return errors.Join(append(errs, validateInner("PoissonSampled.Event", e.Event))...)
}

// String describes the event.
func (e PoissonSampled) String() string {
	return fmt.Sprintf("PoissonSampled(q=%g, %v)", e.SamplingRate, e.Event)
}

// SelfComposed is Event run Count times, each run free to depend on earlier outputs.
type SelfComposed struct {
	Event Event
	Count int // T >= 1
}

// Validate returns an error unless the count is at least 1 and the inner event is valid.
func (e SelfComposed) Validate() error {
	var errs []error
	if e.Count < 1 {
		errs = append(errs, fmt.Errorf("accounting: SelfComposed.Count %d: must be >= 1", e.Count))
	}
	return errors.Join(append(errs, validateInner("SelfComposed.Event", e.Event))...)
}

// String describes the event.
func (e SelfComposed) String() string { return fmt.Sprintf("%d x %v", e.Count, e.Event) }

// Composed is its Events run one after the other.
type Composed struct {
	Events []Event // at least one
}

// Validate returns an error unless there is an event and all are valid.
func (e Composed) Validate() error { return validateList("Composed", e.Events) }

// String describes the event.
func (e Composed) String() string { return listString("Composed", e.Events) }

// NonPrivate is a release without any guarantee: ε is +Inf at every δ < 1.
type NonPrivate struct{}

// Validate returns nil.
func (NonPrivate) Validate() error { return nil }

// String describes the event.
func (NonPrivate) String() string { return "NonPrivate" }

func validateInner(field string, e Event) error {
	if e == nil {
		return fmt.Errorf("accounting: %s is nil: must be an event", field)
	}
	return e.Validate()
}
