package accounting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/check"
)

// How events and their JSON may change. Files outlive programs: one that was written once is read for ever as the same
// event, or refused; it is never read as another.
//
//   - A name of a type, a field, a law or a value ("gaussian", "noise_multiplier", "tnb", "all data") keeps its meaning and its unit.
//   - A field that a type does not have is refused, so that an older program refuses what it would misread.
//   - A field may be added if a file without it means what it meant (ask Has), and is written only where it says more.
//   - A price may change with what is known of an event. What the event says was run may not: a rule that becomes stricter
//     may refuse what no mechanism could have been.
//   - What must change gets another name: the old one with a number, "gaussian_2", and a Go type of its own. The old format
//     stays. If its Go type goes, it reads into the new type where that says the same (Encode returns false, as for "dp_sgd" of
//     dpcost), and is an error that names the new one where it does not.
//
// testdata/events.jsonl holds an event of every type as it was first written; a new type adds its line there.

// EventFormat says how one type of event is written as JSON. Packages with events of their own
// register one each, at initialization; a program reads the events of the packages that it imports.
type EventFormat struct {
	Type   string                          // value of "type", for instance "gaussian"
	Encode func(Event) ([]JSONField, bool) // false if the event is of another type
	Decode func(*JSONObject) Event         // reads its fields; faults are kept by the object
}

// JSONField is one field of a JSON object; events and lists of events may be values.
type JSONField struct {
	Name  string
	Value any
}

var eventFormats = []EventFormat{}

// RegisterEventFormat adds a format. It panics if the type has one: that is a broken program.
func RegisterEventFormat(f EventFormat) {
	for _, known := range eventFormats {
		if known.Type == f.Type {
			panic("accounting: two formats for events of type " + f.Type)
		}
	}
	eventFormats = append(eventFormats, f)
}

// MarshalEvent writes an event as a JSON object, {"type":"gaussian","noise_multiplier":2}.
// UnmarshalEvent reads it back to an equal event. A type without a format is an error that
// wraps ErrUnsupportedEvent, and events that UnmarshalEvent would find too deep in each other
// are an error too.
func MarshalEvent(event Event) ([]byte, error) {
	if event == nil {
		return nil, check.Given(false, "accounting: event", "must be an event")
	}
	if err := event.Validate(); err != nil {
		return nil, err
	}
	for _, f := range eventFormats {
		fields, ok := f.Encode(event)
		if !ok {
			continue
		}
		text, err := marshalFields(append([]JSONField{{"type", f.Type}}, fields...))
		if err == nil && nesting(text) > maxJSONDepth {
			err = fmt.Errorf("accounting: JSON of event %T: more than %d objects inside each other: must be fewer", event, maxJSONDepth)
		}
		return text, err
	}
	return nil, fmt.Errorf("accounting: JSON of event %T: %w", event, ErrUnsupportedEvent)
}

// nesting returns how many objects of valid JSON stand in an outer one, at most.
func nesting(text []byte) int {
	decoder, depth, deepest := json.NewDecoder(bytes.NewReader(text)), 0, 0
	for {
		token, err := decoder.Token()
		if err != nil {
			return deepest - 1
		}
		switch token {
		case json.Delim('{'):
			depth++
			deepest = max(deepest, depth)
		case json.Delim('}'):
			depth--
		}
	}
}

// marshalFields writes an object with its fields in order. A value that is an error is returned.
func marshalFields(fields []JSONField) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, f := range fields {
		value, err := marshalValue(f.Value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:%s", f.Name, value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func marshalValue(value any) ([]byte, error) {
	switch v := value.(type) {
	case error:
		return nil, v
	case Event:
		return MarshalEvent(v)
	case []JSONField:
		return marshalFields(v)
	case []Event:
		parts := make([][]byte, len(v))
		for i, inner := range v {
			part, err := MarshalEvent(inner)
			if err != nil {
				return nil, err
			}
			parts[i] = part
		}
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]")), nil
	}
	return json.Marshal(value)
}

// UnmarshalEvent reads what MarshalEvent writes. All faults are told at once, each with the
// path to its place: "event.sampling_rate is missing: must be a number".
func UnmarshalEvent(text []byte) (Event, error) {
	o := NewJSONObject("", text)
	event := o.decode()
	if err := o.Err(); err != nil {
		return nil, err
	}
	return event, nil
}

// AsEvent reads the object itself as an event, but for the fields that were read before.
func (o *JSONObject) AsEvent() Event { return o.decode() }

// decode reads the object as an event; nil if it has faults.
func (o *JSONObject) decode() Event {
	if o.fields == nil {
		return nil
	}
	before := len(*o.faults)
	name := o.Text("type")
	if len(*o.faults) > before {
		return nil
	}
	i := slices.IndexFunc(eventFormats, func(f EventFormat) bool { return f.Type == name })
	if i < 0 {
		o.Fault("type", "%q: must be one of %s", name, strings.Join(EventTypes(), ", "))
		return nil
	}
	event := eventFormats[i].Decode(o)
	o.Done()
	if len(*o.faults) > before {
		return nil
	}
	if err := event.Validate(); err != nil {
		o.Invalid(err)
		return nil
	}
	return event
}

// Invalid keeps what Validate says of the object, by the names of fields in JSON instead of those in Go.
func (o *JSONObject) Invalid(err error) {
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
	// namesInGo are a field of a type, a name of several words, a second field, and a type that is to be used.
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

// EventTypes returns the values of "type" that can be read, sorted.
func EventTypes() []string {
	var names []string
	for _, f := range eventFormats {
		names = append(names, f.Type)
	}
	slices.Sort(names)
	return names
}

func init() {
	RegisterEventFormat(NewEventFormat("gaussian",
		func(e Gaussian) []JSONField { return noise(e.NoiseMultiplier) },
		func(o *JSONObject) Gaussian { return Gaussian{o.Float("noise_multiplier")} }))
	RegisterEventFormat(NewEventFormat("laplace",
		func(e Laplace) []JSONField { return noise(e.NoiseMultiplier) },
		func(o *JSONObject) Laplace { return Laplace{o.Float("noise_multiplier")} }))
	RegisterEventFormat(NewEventFormat("randomized_response",
		func(e RandomizedResponse) []JSONField { return []JSONField{{"truth", e.Truth}} },
		func(o *JSONObject) RandomizedResponse { return RandomizedResponse{o.Float("truth")} }))
	RegisterEventFormat(NewEventFormat("pure_dp",
		func(e PureDP) []JSONField { return []JSONField{{"epsilon", e.Epsilon}} },
		func(o *JSONObject) PureDP { return PureDP{o.Float("epsilon")} }))
	RegisterEventFormat(NewEventFormat("approx_dp",
		func(e ApproxDP) []JSONField { return []JSONField{{"epsilon", e.Epsilon}, {"delta", e.Delta}} },
		func(o *JSONObject) ApproxDP { return ApproxDP{Epsilon: o.Float("epsilon"), Delta: o.Float("delta")} }))
	RegisterEventFormat(NewEventFormat("zcdp",
		func(e ZCDP) []JSONField { return []JSONField{{"rho", e.Rho}} },
		func(o *JSONObject) ZCDP { return ZCDP{o.Float("rho")} }))
	RegisterEventFormat(NewEventFormat("non_private",
		func(NonPrivate) []JSONField { return nil },
		func(*JSONObject) NonPrivate { return NonPrivate{} }))
	RegisterEventFormat(NewEventFormat("poisson_sampled",
		func(e PoissonSampled) []JSONField {
			return []JSONField{{"sampling_rate", e.SamplingRate}, {"event", e.Event}}
		},
		func(o *JSONObject) PoissonSampled {
			return PoissonSampled{SamplingRate: o.Float("sampling_rate"), Event: o.Event("event")}
		}))
	RegisterEventFormat(NewEventFormat("sampled_without_replacement",
		func(e SampledWithoutReplacement) []JSONField {
			return []JSONField{{"sample_size", e.SampleSize}, {"population_size", e.PopulationSize}, {"event", e.Event}}
		},
		func(o *JSONObject) SampledWithoutReplacement {
			return SampledWithoutReplacement{SampleSize: o.Int("sample_size"), PopulationSize: o.Int("population_size"), Event: o.Event("event")}
		}))
	RegisterEventFormat(NewEventFormat("self_composed",
		func(e SelfComposed) []JSONField { return []JSONField{{"count", e.Count}, {"event", e.Event}} },
		func(o *JSONObject) SelfComposed { return SelfComposed{Count: o.Int("count"), Event: o.Event("event")} }))
	RegisterEventFormat(NewEventFormat("composed",
		func(e Composed) []JSONField { return []JSONField{{"events", e.Events}} },
		func(o *JSONObject) Composed { return Composed{o.events("events")} }))
	RegisterEventFormat(NewEventFormat("parallel",
		func(e Parallel) []JSONField { return []JSONField{{"events", e.Events}} },
		func(o *JSONObject) Parallel { return Parallel{o.events("events")} }))
	RegisterEventFormat(NewEventFormat("worst_case",
		func(e WorstCase) []JSONField { return []JSONField{{"events", e.Events}} },
		func(o *JSONObject) WorstCase { return WorstCase{o.events("events")} }))
}

// noise is the one field of an additive mechanism.
func noise(multiplier float64) []JSONField { return []JSONField{{"noise_multiplier", multiplier}} }

// NewEventFormat makes the format of one type of event: encode lists its fields, decode reads
// them.
func NewEventFormat[E Event](name string, encode func(E) []JSONField, decode func(*JSONObject) E) EventFormat {
	return EventFormat{
		Type: name,
		Encode: func(event Event) ([]JSONField, bool) {
			if e, ok := event.(E); ok {
				return encode(e), true
			}
			return nil, false
		},
		Decode: func(o *JSONObject) Event { return decode(o) },
	}
}
