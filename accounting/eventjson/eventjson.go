// Package eventjson writes events as JSON objects, and reads them back to equal events:
//
//	{"type":"self_composed","count":10,"event":{"type":"laplace","noise_multiplier":30}}
//
// It knows the events of package accounting. Every other package with events calls [Register] for
// each type when it is initialized. A program reads the types of the packages that it imports.
//
//	text, err := eventjson.Marshal(event)
//	event, err := eventjson.Unmarshal(text)
//
// Files outlive programs. A stored event is always read as the same event, or refused. So these are
// the rules of change:
//
//   - The name of a type, a field, a law or a value ("gaussian", "noise_multiplier", "tnb", "all
//     data") keeps its meaning and its unit.
//   - Unknown fields are refused. So an older program refuses a file that it would misread.
//   - A field may be added if a file without it keeps its meaning ([Object.Has]). It is written
//     only if it changes the meaning.
//   - The price of an event may change. The mechanism that it describes may not. A stricter rule
//     may refuse an event that no mechanism can be.
//   - A value that its Go type has come to refuse is read as another event that means the same: an
//     ε or ρ of 0 as "randomized_response" with a truth of 0.5.
//   - A changed format gets a new name, the old one with a number ("gaussian_2"), and its own Go
//     type. The old format stays. If its Go type is removed, the old name is read into the new
//     type, provided that it means the same ([RegisterAlias]). Otherwise it is an error that names
//     the new one.
//
// testdata/events.jsonl has an event of every type as it was first written. Add a line there for a
// new type.
package eventjson

import (
	"slices"

	"github.com/dplab/dplab/accounting"
)

// Field is one field of a JSON object. Its value is an event, a list of events, a list of fields,
// or a value for encoding/json. If it is an error, Marshal returns that.
type Field struct {
	Name  string
	Value any
}

// format writes and reads the events of one type.
type format struct {
	name   string                                 // value of "type", for instance "gaussian"
	encode func(accounting.Event) ([]Field, bool) // false if the event is of another type
	decode func(*Object) accounting.Event         // faults are kept by the object
}

var formats []format

// Register registers the JSON form of the events of type E. name is the value of "type", for
// instance "gaussian". encode lists the event's fields, and decode reads them. The object keeps the
// faults. For an invalid event Unmarshal returns an error.
//
// Call it when the package of E is initialized. It panics if the name is taken.
func Register[E accounting.Event](name string, encode func(E) []Field, decode func(*Object) E) {
	register(format{name,
		func(event accounting.Event) ([]Field, bool) {
			e, ok := event.(E)
			if !ok {
				return nil, false
			}
			return encode(e), true
		},
		func(o *Object) accounting.Event { return decode(o) },
	})
}

// RegisterAlias registers a name that is read and never written: that of a short form, or of a
// removed type. It panics if the name is taken.
func RegisterAlias(name string, decode func(*Object) accounting.Event) {
	register(format{name, func(accounting.Event) ([]Field, bool) { return nil, false }, decode})
}

func register(f format) {
	if slices.Contains(Types(), f.name) {
		panic("eventjson: two formats for events of type " + f.name)
	}
	formats = append(formats, f)
}

// Types returns the values of "type" that can be read, sorted.
func Types() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}
