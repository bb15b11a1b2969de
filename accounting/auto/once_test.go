package auto_test

import (
	"errors"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// flattened is an event that counts how often it is taken apart. No accountant knows it, so all of
// them are asked.
type flattened struct{ times *int }

func (flattened) Validate() error { return nil }
func (flattened) String() string  { return "flattened" }
func (f flattened) Holds() []accounting.Event {
	*f.times++
	return nil
}

// An event is taken apart once for a question, however many accountants are asked, and once more
// for one run of a selection.
func TestFlattenOnce(t *testing.T) {
	for name, c := range map[string]struct {
		event func(accounting.Event) accounting.Event
		want  int
	}{
		"event": {func(e accounting.Event) accounting.Event { return e }, 1},
		"DP-SGD and it": {func(e accounting.Event) accounting.Event {
			return accounting.Composed{Events: []accounting.Event{sgd(0.01, 1, 100), e}}
		}, 1},
		"repeated": {func(e accounting.Event) accounting.Event { return accounting.SelfComposed{Event: e, Count: 3} }, 1},
		"on sample": {func(e accounting.Event) accounting.Event {
			return accounting.PoissonSampled{SamplingRate: 0.1, Event: e}
		}, 1},
		"one of two": {func(e accounting.Event) accounting.Event {
			return accounting.WorstCase{Events: []accounting.Event{accounting.Laplace{NoiseMultiplier: 1}, e}}
		}, 1},
		"after a choice": {func(e accounting.Event) accounting.Event {
			return accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: 1}, e}}
		}, 1},
		"best of runs": {func(e accounting.Event) accounting.Event {
			return selection.BestOf{Law: law.Fixed{Count: 2}, Base: e}
		}, 2},
	} {
		times := 0
		event, a := c.event(flattened{&times}), auto.NewAccountant()
		if _, err := a.EpsilonAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) || times != c.want {
			t.Errorf("%s: flattened %d times for ε, want %d (%v)", name, times, c.want, err)
		}
		times = 0
		if _, err := a.DeltaAt(event, 1); !errors.Is(err, accounting.ErrUnsupportedEvent) || times != c.want {
			t.Errorf("%s: flattened %d times for δ, want %d (%v)", name, times, c.want, err)
		}
	}
}
