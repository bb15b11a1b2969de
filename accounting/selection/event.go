package selection

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
)

// Event is the release of the best of K runs of Base, with K drawn from Law and hidden.
type Event struct {
	Law  Law
	Base accounting.Event
}

var _ accounting.Event = Event{}

// Validate returns an error unless law and base are given and valid.
func (e Event) Validate() error {
	var errs []error
	if e.Law == nil {
		errs = append(errs, errors.New("selection: Event.Law is nil: must be a law"))
	} else {
		errs = append(errs, e.Law.Validate())
	}
	if e.Base == nil {
		errs = append(errs, errors.New("selection: Event.Base is nil: must be an event"))
	} else {
		errs = append(errs, e.Base.Validate())
	}
	return errors.Join(errs...)
}

// String describes the event.
func (e Event) String() string {
	return fmt.Sprintf("best of K runs of %v, K from the %v", e.Base, e.Law)
}

// CurveOf returns the Rényi curve of event. It knows Event and AboveThreshold, compositions
// that contain them, and all that rdp.FromEvent knows.
//
// The accountants give tighter profiles of the runs that an Event repeats.
func CurveOf(event accounting.Event, accountants ...accounting.Accountant) (rdp.Curve, error) {
	if event == nil {
		return nil, errors.New("selection: event is nil: must be an event")
	}
	if err := event.Validate(); err != nil {
		return nil, err
	}
	return curveOf(event, accountants)
}

func curveOf(event accounting.Event, accountants []accounting.Accountant) (rdp.Curve, error) {
	switch e := event.(type) {
	case Event:
		base, err := NewBase(e.Base, accountants...)
		if err != nil {
			return nil, err
		}
		return RDP(e.Law, base)
	case AboveThreshold:
		return e.Curve(), nil
	case accounting.SelfComposed:
		curve, err := curveOf(e.Event, accountants)
		if err != nil {
			return nil, err
		}
		return rdp.Scale(curve, e.Count), nil
	case accounting.Composed:
		curves := make([]rdp.Curve, len(e.Events))
		for i, inner := range e.Events {
			curve, err := curveOf(inner, accountants)
			if err != nil {
				return nil, err
			}
			curves[i] = curve
		}
		return rdp.Sum(curves...), nil
	}
	return rdp.FromEvent(event)
}
