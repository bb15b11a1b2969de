package selection

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
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

func init() {
	accounting.RegisterEventFormat(accounting.NewEventFormat("selection",
		func(e Event) []accounting.JSONField {
			return []accounting.JSONField{{Name: "law", Value: lawValue(e.Law)}, {Name: "base", Value: e.Base}}
		},
		func(o *accounting.JSONObject) Event {
			return Event{Law: lawOf(o.Object("law")), Base: o.Event("base")}
		}))
	accounting.RegisterEventFormat(accounting.NewEventFormat("tune_then_train",
		func(e TuneThenTrain) []accounting.JSONField {
			return []accounting.JSONField{
				{Name: "tuning_rate", Value: e.TuningRate}, {Name: "tuning", Value: e.Tuning},
				{Name: "training", Value: e.Training}, {Name: "variant", Value: e.Variant.String()},
			}
		},
		func(o *accounting.JSONObject) TuneThenTrain {
			inner := o.Event("tuning")
			tuning, ok := inner.(Event)
			if inner != nil && !ok {
				o.Fault("tuning", "%v: must be a selection", inner)
			}
			return TuneThenTrain{TuningRate: o.Float("tuning_rate"), Tuning: tuning, Training: o.Event("training"), Variant: named(o, "variant", RestOfData, AllData)}
		}))
}

// lawValue returns the fields of a law, "type" first, or an error for a law without a format.
func lawValue(law Law) any {
	field := func(name string, value any) accounting.JSONField {
		return accounting.JSONField{Name: name, Value: value}
	}
	switch l := law.(type) {
	case TNB:
		return []accounting.JSONField{field("type", "tnb"), field("eta", l.Eta), field("gamma", l.Gamma)}
	case Poisson:
		return []accounting.JSONField{field("type", "poisson"), field("mean", l.MeanRepeats)}
	case Binomial:
		return []accounting.JSONField{field("type", "binomial"), field("trials", l.Trials), field("p", l.P)}
	case Fixed:
		return []accounting.JSONField{field("type", "fixed"), field("count", l.Count)}
	case TwoPoint:
		return []accounting.JSONField{field("type", "two_point"), field("runs", l.Runs), field("single", l.Single)}
	case Truncated:
		return []accounting.JSONField{field("type", "truncated"), field("law", lawValue(l.Law)), field("max", l.Max)}
	case Capped:
		return []accounting.JSONField{field("type", "capped"), field("law", lawValue(l.Law)), field("max", l.Max)}
	case PMF:
		return []accounting.JSONField{field("type", "pmf"), field("weights", l.Weights)}
	}
	return fmt.Errorf("selection: JSON of law %T: %w", law, accounting.ErrUnsupportedEvent)
}

// lawOf reads a law; a TNB may be given by its mean instead of gamma.
func lawOf(o *accounting.JSONObject) Law {
	defer o.Done()
	switch name := o.Text("type"); name {
	case "tnb":
		if !o.Has("mean") {
			return TNB{Eta: o.Float("eta"), Gamma: o.Float("gamma")}
		}
		law, err := TNBFromMean(o.Float("eta"), o.Float("mean"))
		if err != nil {
			o.Invalid(err)
		}
		return law
	case "poisson":
		return Poisson{MeanRepeats: o.Float("mean")}
	case "binomial":
		return Binomial{Trials: o.Int("trials"), P: o.Float("p")}
	case "fixed":
		return Fixed{Count: o.Int("count")}
	case "two_point":
		return TwoPoint{Runs: o.Int("runs"), Single: o.Float("single")}
	case "truncated":
		return Truncated{Law: lawOf(o.Object("law")), Max: o.Int("max")}
	case "capped":
		return Capped{Law: lawOf(o.Object("law")), Max: o.Int("max")}
	case "pmf":
		return PMF{Weights: o.Floats("weights")}
	default:
		if o.Has("type") {
			o.Fault("type", "%q: must be tnb, poisson, binomial, fixed, two_point, truncated, capped or pmf", name)
		}
	}
	return nil
}

// named reads a field whose values are written by their names.
func named[T fmt.Stringer](o *accounting.JSONObject, field string, values ...T) T {
	var none T
	name := o.Text(field)
	for _, v := range values {
		if v.String() == name {
			return v
		}
	}
	o.Fault(field, "%q: must be one of %q", name, values)
	return none
}
