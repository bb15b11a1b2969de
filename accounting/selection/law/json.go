package law

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
)

// format is how the laws of one type are written and read.
type format struct {
	name   string
	encode func(Law) ([]eventjson.Field, bool) // "type" first; false if the law is of another type
	decode func(*eventjson.Object) Law         // faults are kept by the object
}

var formats []format

// RegisterFormat makes the laws of type L known to JSON under a name, which is the value of "type":
// {"type":"poisson","mean":10}. encode lists the law's fields, and decode reads them. How names may
// change stands at package eventjson.
//
// Call it when the package of L is initialized. It panics if the name is taken, which is a broken
// program.
func RegisterFormat[L Law](name string, encode func(L) []eventjson.Field, decode func(*eventjson.Object) L) {
	if slices.Contains(names(), name) {
		panic("law: two formats for laws of type " + name)
	}
	formats = append(formats, format{name,
		func(l Law) ([]eventjson.Field, bool) {
			known, ok := l.(L)
			if !ok {
				return nil, false
			}
			return append([]eventjson.Field{{Name: "type", Value: name}}, encode(known)...), true
		},
		func(o *eventjson.Object) Law { return decode(o) },
	})
}

func names() []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.name)
	}
	slices.Sort(all)
	return all
}

// Value returns a law as the value of an [eventjson.Field]: its fields, "type" first. It returns an
// error for a law without a format.
func Value(l Law) any {
	for _, f := range formats {
		if fields, ok := f.encode(l); ok {
			return fields
		}
	}
	return fmt.Errorf("law: law %T: has no JSON format: must have one, by law.RegisterFormat: %w", l, accounting.ErrUnsupportedEvent)
}

// Read reads what Value writes. Faults are kept by the object. A TNB may be given by its mean
// instead of gamma.
func Read(o *eventjson.Object) Law {
	defer o.Done()
	name := o.Text("type")
	for _, f := range formats {
		if f.name == name {
			return f.decode(o)
		}
	}
	if o.Has("type") {
		o.Fault("type", "%q: must be one of %s", name, strings.Join(names(), ", "))
	}
	return nil
}

// field is a field.
func field(name string, value any) eventjson.Field {
	return eventjson.Field{Name: name, Value: value}
}
