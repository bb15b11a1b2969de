package eventjson

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
)

// Unmarshal reads the text of [Marshal]. The error has all faults, each with its path:
// "event.sampling_rate is missing: must be a number".
func Unmarshal(text []byte) (accounting.Event, error) {
	o := NewObject(text)
	event := o.AsEvent()
	if err := o.Err(); err != nil {
		return nil, err
	}
	return event, nil
}

// AsEvent reads the object itself as an event, except for the fields that were read before. It
// returns nil if the object has faults.
func (o *Object) AsEvent() accounting.Event {
	if o.fields == nil {
		return nil
	}
	before := len(*o.faults)
	name := o.Text("type")
	if len(*o.faults) > before {
		return nil
	}
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		o.Fault("type", "%q: must be one of %s", name, strings.Join(Types(), ", "))
		return nil
	}
	event := formats[i].decode(o)
	o.Done()
	if len(*o.faults) > before {
		return nil
	}
	event = withoutZero(event)
	if err := event.Validate(); err != nil {
		o.Invalid(err)
		return nil
	}
	return event
}

// Event returns the event in a field. It is nil if it has faults.
func (o *Object) Event(name string) accounting.Event { return o.Object(name).AsEvent() }

// Events returns the list of events in a field. Events with faults are nil.
func (o *Object) Events(name string) []accounting.Event {
	var events []accounting.Event
	for _, inner := range o.Objects(name) {
		events = append(events, inner.AsEvent())
	}
	return events
}

// Invalid keeps the faults in an error of Validate, with JSON names instead of Go names.
func (o *Object) Invalid(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		line = namesInGo.ReplaceAllStringFunc(packageName.ReplaceAllString(line, ""), nameInJSON)
		if name, rest, _ := strings.Cut(line, " "); o.asked[name] {
			o.Fault(name, "%s", rest)
		} else {
			o.Fault("", "%s", line)
		}
	}
}

var (
	packageName = regexp.MustCompile(`^[a-z]+: `)
	// namesInGo matches a field of a type, a name of several words, a second field, and a type
	// after "use".
	namesInGo = regexp.MustCompile(`[A-Z]\w*\.[A-Z]\w*|[A-Z][a-z]+([A-Z][a-z]+)+|, [A-Z]\w*|use [A-Z]\w*`)
	wordInGo  = regexp.MustCompile(`[a-z][A-Z]`)
)

// nameInJSON writes Poisson.MeanRepeats as mean, and ScoreNoise as score_noise.
func nameInJSON(name string) string {
	name = name[strings.LastIndex(name, ".")+1:]
	if name == "MeanRepeats" {
		return "mean"
	}
	return strings.ToLower(wordInGo.ReplaceAllStringFunc(name, func(pair string) string { return pair[:1] + "_" + pair[1:] }))
}
