package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/eventjson"
)

// plan is what a file lists: events that run one after the other.
type plan struct {
	file     string
	relation accounting.Neighboring
	delta    float64 // 0 if the file has none
	entries  []entry
}

// entry is one event of a plan, repeat times.
type entry struct {
	name   string
	repeat int
	event  accounting.Event
}

func init() {
	// dp_sgd is short for self_composed of poisson_sampled of gaussian.
	eventjson.RegisterAlias("dp_sgd", func(o *eventjson.Object) accounting.Event {
		rate, noise, steps := o.Float("sampling_rate"), o.Float("noise_multiplier"), o.Int("steps")
		if steps < 1 { // a repeated event would call it count
			o.Fault("steps", "%d: must be >= 1", steps)
		}
		return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: noise}}}
	})
}

// parsePlan reads {"events": [...]} with the optional fields "neighboring" and "delta"; an entry is
// an event with the optional fields "name" and "repeat". Faults name entry and field.
func parsePlan(text []byte) (plan, error) {
	p := plan{relation: accounting.AddOrRemoveOne}
	o := eventjson.NewObject(text)
	if o.Has("neighboring") {
		if err := p.relation.UnmarshalText([]byte(o.Text("neighboring"))); err != nil {
			o.Invalid(err)
		}
	}
	if o.Has("delta") {
		if p.delta = o.Float("delta"); !check.OpenUnit.Holds(p.delta) {
			o.Fault("delta", "%g: %s", p.delta, check.OpenUnit.Text)
		}
	}
	for i, inner := range o.Objects("events") {
		e := entry{name: fmt.Sprintf("entry %d", i+1), repeat: 1}
		if inner.Has("name") {
			e.name = inner.Text("name")
		}
		if inner.Has("repeat") {
			if e.repeat = inner.Int("repeat"); e.repeat < 1 {
				inner.Fault("repeat", "%d: must be >= 1", e.repeat)
			}
		}
		e.event = inner.AsEvent()
		p.entries = append(p.entries, e)
	}
	o.Done()
	if err := o.Err(); err != nil {
		return plan{}, err
	}
	if len(p.entries) == 0 {
		return plan{}, errors.New("events is empty: must hold at least one event")
	}
	return p, nil
}

// event is the whole plan.
func (p plan) event() accounting.Event {
	events := make([]accounting.Event, len(p.entries))
	for i, e := range p.entries {
		events[i] = e.whole()
	}
	if len(events) == 1 {
		return events[0]
	}
	return accounting.Composed{Events: events}
}

func (e entry) whole() accounting.Event {
	if e.repeat == 1 {
		return e.event
	}
	return accounting.SelfComposed{Event: e.event, Count: e.repeat}
}

func planCommand(args []string, tell teller) ([]byte, error) {
	o, file, err := fileAndDelta("plan", args)
	if err != nil {
		return nil, err
	}
	p, err := readPlan(file)
	if err != nil {
		return nil, err
	}
	r, err := p.report(o.deltaOf(p.delta), tell)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", file, err)
	}
	if o.json {
		return r.json()
	}
	return r.text(), nil
}

// fileAndDelta parses the arguments of a command that prices what a file says.
func fileAndDelta(command string, args []string) (o options, file string, err error) {
	set := flag.NewFlagSet(command, flag.ContinueOnError)
	o.delta.value = defaultDelta
	set.Var(&o.delta, "delta", "")
	o.jsonFlag(set)
	file, args = fileFirst(args)
	if err := parseFile(set, args, &file); err != nil {
		return o, file, err
	}
	return o, file, asUsage(obey("delta", o.delta, check.OpenUnit))
}

// deltaOf returns the δ of the flag, or else that of the file, if it has one.
func (o options) deltaOf(file float64) float64 {
	if !o.delta.given && file > 0 {
		return file
	}
	return o.delta.value
}

// fileFirst takes a leading argument that is no flag, so that flags may stand on either side.
func fileFirst(args []string) (file string, rest []string) {
	if len(args) > 0 && (args[0] == standardInput || !strings.HasPrefix(args[0], "-")) {
		return args[0], args[1:]
	}
	return "", args
}

// parseFile parses flags, and the file if it comes after them.
func parseFile(set *flag.FlagSet, args []string, file *string) error {
	set.SetOutput(io.Discard)
	err := set.Parse(args)
	rest := set.Args()
	if err == nil && *file == "" && len(rest) > 0 {
		*file = rest[0]
		err = set.Parse(rest[1:])
		rest = set.Args()
	}
	if err == nil && len(rest) > 0 {
		return usagef("%s: argument %q: must be one file, and flags before or after it", set.Name(), rest[0])
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return helpFor(set.Name())
	case err != nil:
		return usagef("%s: %v", set.Name(), command.Known(set, err))
	case *file == "":
		return usagef("%s: no file: must be the path of a JSON file, or - for standard input (see dpcost %s -h)", set.Name(), set.Name())
	}
	return nil
}

// maxParts is how many different entries of a plan are priced by themselves.
const maxParts = 100

// report prices the whole plan, and each entry by itself.
func (p plan) report(delta float64, tell teller) (report, error) {
	accountant, err := auto.NewAccountantFor(p.relation)
	if err != nil {
		return report{}, err
	}
	tell("pricing the whole plan")
	r, err := priced(accountant, p.event(), delta)
	if err != nil || len(p.entries) == 1 {
		return r, err
	}
	alone, left := map[string]*accounting.Number{}, false // by what ran
	for _, e := range p.entries {
		key := fmt.Sprintf("%#v", e.whole())
		if _, known := alone[key]; !known {
			if left = len(alone) >= maxParts; left {
				break
			}
			alone[key] = nil
			tell("ε <= %s in all; pricing entry %d of %d by itself", roundUp(r.Guarantee.Epsilon.Upper), len(r.Parts)+1, len(p.entries))
			if g, err := accountant.EpsilonAt(e.whole(), delta); err == nil {
				upper := accounting.Number(g.Epsilon.Upper)
				alone[key] = &upper
			}
		}
		r.Parts = append(r.Parts, part{Name: e.name, Mechanism: e.whole().String(), Epsilon: alone[key]})
	}
	if left {
		r.Warnings = append(r.Warnings, fmt.Sprintf("only the first %d of %d entries are priced by themselves", len(r.Parts), len(p.entries)))
	}
	return r, nil
}

// part is one entry of a plan, priced by itself.
type part struct {
	Name      string             `json:"name"`
	Mechanism string             `json:"mechanism"`
	Epsilon   *accounting.Number `json:"epsilon_alone,omitempty"`
}
