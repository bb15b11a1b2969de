package selection

import (
	"errors"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/owncurve"
	"github.com/dplab/dplab/accounting/rdp"
)

// Within returns the events that event is made of, with how often each runs: those of a
// composition, of a Parallel and a WorstCase, and what runs on a sample. Any other event, a
// selection too, has none.
func Within(event accounting.Event) (inner []accounting.Event, count int) {
	switch e := event.(type) {
	case accounting.SelfComposed:
		return []accounting.Event{e.Event}, e.Count
	case accounting.Composed:
		return e.Events, 1
	case accounting.Parallel:
		return e.Events, 1
	case accounting.WorstCase:
		return e.Events, 1
	case accounting.PoissonSampled:
		return []accounting.Event{e.Event}, 1
	}
	return nil, 0
}

// Selects reports whether event is an Event, brings its own Rényi curve as a subsample.TuneThenTrain
// and a threshold.Search do, or is made of such.
func Selects(event accounting.Event) bool {
	if _, ok := event.(Event); ok || owncurve.Has(event) {
		return true
	}
	events, _ := Within(event)
	for _, inner := range events {
		if Selects(inner) {
			return true
		}
	}
	return false
}

// CurveOf returns the Rényi curve of event. It knows an Event, those events of this module that bring
// their own, what is made of them by composition, Parallel, WorstCase and Poisson sampling, and
// all that rdp.FromEvent knows. An event of another program is not asked for a curve.
//
// The accountants give tighter profiles of the runs that an Event repeats; see NewBase.
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
	if !Selects(event) {
		return rdp.FromEvent(event)
	}
	if owncurve.Has(event) {
		return owncurve.Of(event, accountants)
	}
	if e, ok := event.(Event); ok {
		base, err := NewBase(e.Base, accountants...)
		if err != nil {
			return nil, err
		}
		return RDP(e.Law, base)
	}
	events, count := Within(event)
	curves := make([]rdp.Curve, len(events))
	for i, inner := range events {
		curve, err := curveOf(inner, accountants)
		if err != nil {
			return nil, err
		}
		curves[i] = curve
	}
	switch e := event.(type) {
	case accounting.SelfComposed:
		return rdp.Scale(curves[0], count), nil
	case accounting.Composed:
		return rdp.Sum(curves...), nil
	case accounting.PoissonSampled:
		return rdp.PoissonAmplified(rdp.Memoized(curves[0]), e.SamplingRate)
	}
	return rdp.Max(curves...), nil
}
