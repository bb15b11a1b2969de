package input

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/eventjson"
)

// Plan is the list of events in a file. They run one after the other.
type Plan struct {
	Relation accounting.Neighboring
	Delta    float64 // 0 if the file has none
	Entries  []Entry
}

// Entry is one event of a plan, which runs Repeat times.
type Entry struct {
	Name   string
	Repeat int
	Event  accounting.Event
}

func init() {
	// dp_sgd is short for self_composed of poisson_sampled of clipped_sum.
	eventjson.RegisterAlias("dp_sgd", func(o *eventjson.Object) accounting.Event {
		rate, noise, steps := o.Float("sampling_rate"), o.Float("noise_multiplier"), o.Int("steps")
		if steps < 1 { // a repeated event would name the field count
			o.Fault("steps", "%d: must be >= 1", steps)
		}
		return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.ClippedSum{NoiseMultiplier: noise}}}
	})
}

// ReadPlan reads a file, or standard input.
func ReadPlan(path string) (Plan, error) {
	text, err := ReadText("plan", path)
	if err != nil {
		return Plan{}, err
	}
	p, err := ParsePlan(text)
	if err != nil {
		return Plan{}, fmt.Errorf("plan %s: %w", path, err)
	}
	return p, nil
}

// ParsePlan reads {"events": [...]} with the optional fields "neighboring" and "delta". An entry is
// an event with the optional fields "name" and "repeat". Faults name entry and field.
func ParsePlan(text []byte) (Plan, error) {
	p := Plan{Relation: accounting.AddOrRemoveOne}
	o := eventjson.NewObject(text)
	if o.Has("neighboring") {
		if err := p.Relation.UnmarshalText([]byte(o.Text("neighboring"))); err != nil {
			o.Invalid(err)
		}
	}
	if o.Has("delta") {
		if p.Delta = o.Float("delta"); !check.OpenUnit.Holds(p.Delta) {
			o.Fault("delta", "%g: %s", p.Delta, check.OpenUnit.Text)
		}
	}
	for i, inner := range o.Objects("events") {
		e := Entry{Name: fmt.Sprintf("entry %d", i+1), Repeat: 1}
		if inner.Has("name") {
			e.Name = inner.Text("name")
		}
		if inner.Has("repeat") {
			if e.Repeat = inner.Int("repeat"); e.Repeat < 1 {
				inner.Fault("repeat", "%d: must be >= 1", e.Repeat)
			}
		}
		e.Event = inner.AsEvent()
		p.Entries = append(p.Entries, e)
	}
	o.Done()
	if err := o.Err(); err != nil {
		return Plan{}, err
	}
	if len(p.Entries) == 0 {
		return Plan{}, errors.New("events is empty: must hold at least one event")
	}
	return p, nil
}

// Event returns the whole plan.
func (p Plan) Event() accounting.Event {
	events := make([]accounting.Event, len(p.Entries))
	for i, e := range p.Entries {
		events[i] = e.Whole()
	}
	if len(events) == 1 {
		return events[0]
	}
	return accounting.Composed{Events: events}
}

// Whole returns the event with its repetitions.
func (e Entry) Whole() accounting.Event {
	if e.Repeat == 1 {
		return e.Event
	}
	return accounting.SelfComposed{Event: e.Event, Count: e.Repeat}
}
