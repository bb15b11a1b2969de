package law

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
)

// Format says how the laws of one type are written as JSON: {"type":"poisson","mean":10}. How names may change
// stands at accounting.EventFormat.
type Format struct {
	name   string
	encode func(Law) ([]accounting.JSONField, bool)
	decode func(*accounting.JSONObject) Law
}

// NewFormat returns the format of the laws of type L, with the given value of "type".
func NewFormat[L Law](name string, encode func(L) []accounting.JSONField, decode func(*accounting.JSONObject) L) Format {
	return Format{name, func(l Law) ([]accounting.JSONField, bool) {
		known, ok := l.(L)
		if !ok {
			return nil, false
		}
		return append([]accounting.JSONField{{Name: "type", Value: name}}, encode(known)...), true
	}, func(o *accounting.JSONObject) Law { return decode(o) }}
}

var formats []Format

// RegisterFormat adds a format, at initialization. It panics if the type has one: that is a broken program.
func RegisterFormat(f Format) {
	if slices.Contains(names(), f.name) {
		panic("law: two formats for laws of type " + f.name)
	}
	formats = append(formats, f)
}

func names() []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.name)
	}
	slices.Sort(all)
	return all
}

// Value returns a law as a value of an accounting.JSONField: its fields, "type" first, or an error for a law without a format.
func Value(l Law) any {
	for _, f := range formats {
		if fields, ok := f.encode(l); ok {
			return fields
		}
	}
	return fmt.Errorf("law: JSON of law %T: must have a format, see RegisterFormat: %w", l, accounting.ErrUnsupportedEvent)
}

// Read reads what Value writes; faults are kept by the object. A TNB may be given by its mean instead of gamma.
func Read(o *accounting.JSONObject) Law {
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
func field(name string, value any) accounting.JSONField {
	return accounting.JSONField{Name: name, Value: value}
}
