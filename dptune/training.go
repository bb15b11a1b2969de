package dptune

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// lastTraining is the one training with the winner, after a search by scores. The zero value is
// none.
type lastTraining[H, O any] struct {
	event      accounting.Event
	truncation float64 // of δ
	train      func(ctx context.Context, h H, root streams.Root) (O, error)
}

// validate adds the faults of the fields Training, Train and TrainingTruncationDelta.
func (l lastTraining[H, O]) validate(f *check.Faults) {
	f.That((l.event != nil) == (l.train != nil), "Training", "and Train", "must both be given, or both be nil")
	if l.event != nil {
		f.Below("Training", l.event.Validate())
	}
	f.Number("TrainingTruncationDelta", l.truncation, check.Unit)
}

// after returns the event of the search and the training.
func (l lastTraining[H, O]) after(search accounting.Event) accounting.Event {
	if l.event == nil {
		return search
	}
	return accounting.Composed{Events: []accounting.Event{search, l.event}}
}

// stated adds the training to the statement of the search.
func (l lastTraining[H, O]) stated(s accounting.Statement) accounting.Statement {
	if l.event == nil {
		return s
	}
	s.Subject += " and the output of the last training"
	s.Mechanism += "; then " + l.event.String()
	s.Assumptions = append(s.Assumptions, assumesTraining)
	return s
}

// run trains with h; without a training the output is the zero value.
func (l lastTraining[H, O]) run(ctx context.Context, h H, root streams.Root) (output O, err error) {
	if l.train == nil {
		return output, nil
	}
	if output, err = l.train(ctx, h, root.Child("training")); err != nil {
		return output, fmt.Errorf("dptune: training with %v: %w", h, err)
	}
	return output, nil
}
