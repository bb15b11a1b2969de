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
// Files outlive programs. A file that was written once is read for ever as the same event, or is
// refused. It is never read as another event. So these are the rules of change:
//
//   - A name of a type, a field, a law or a value ("gaussian", "noise_multiplier", "tnb",
//     "all data") keeps its meaning and its unit.
//   - A field that a type does not have is refused. An older program refuses what it would misread.
//   - A field may be added if a file without it means what it meant ([Object.Has]). It is written
//     only where it adds to the meaning.
//   - A price may change with what is known of an event. What was run, by the event, may not. A rule
//     that becomes stricter may refuse what no mechanism could have been.
//   - What must change gets another name, which is the old one with a number ("gaussian_2"), and a
//     Go type of its own. The old format stays. If its Go type goes, the old name reads into the new
//     type where that means the same ([RegisterAlias]), and is else an error that names the new one.
//
// testdata/events.jsonl holds an event of every type as it was first written. A new type adds its
// line there.
package eventjson

import (
	"slices"

	"github.com/dplab/dplab/accounting"
)

// Field is one field of a JSON object. Its value is an event, a list of events, a list of fields,
// an error, which Marshal then returns, or what encoding/json writes.
type Field struct {
	Name  string
	Value any
}

// format is how one type of event is written and read.
type format struct {
	name   string                                 // value of "type", for instance "gaussian"
	encode func(accounting.Event) ([]Field, bool) // false if the event is of another type
	decode func(*Object) accounting.Event         // faults are kept by the object
}

var formats []format

// Register makes the events of type E known under a name, which is the value of "type", for
// instance "gaussian". encode lists the event's fields, and decode reads them. Faults are kept by
// the object, and an event that is not valid is an error of Unmarshal.
//
// Call it when the package of E is initialized. It panics if the name is taken, which is a broken
// program.
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

// RegisterAlias makes a name readable that is never written: that of a short form, or of a type
// that is gone. It panics if the name is taken.
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
