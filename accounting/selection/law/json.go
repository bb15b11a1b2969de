package law

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
)

// Format is the JSON form of the laws of one type.
type Format struct {
	Name       string // the value of "type"
	Parameters []Parameter
	encode     func(Law) ([]eventjson.Field, bool) // "type" first; false if the law is of another type
	decode     func(*eventjson.Object) Law         // faults are kept by the object
}

// Parameter is a field of a law. A parameter with Instead replaces another one when a law is read.
// It is never written.
type Parameter struct {
	Name    string
	Kind    Kind
	Instead string
}

// Kind is the kind of a parameter's value.
type Kind int

// The kinds of parameters.
const (
	Number Kind = iota
	Whole       // a whole number
	List        // a list of numbers
	Inner       // another law
)

// String returns "number", "whole number", "list of numbers" or "law".
func (k Kind) String() string {
	return [...]string{"number", "whole number", "list of numbers", "law"}[k]
}

var formats []Format

// RegisterFormat registers the JSON form of the laws of type L. name is the value of "type", as in
// {"type":"poisson","mean":10}. encode lists the law's fields, also of the zero law, and decode
// reads them. instead lists further parameters that decode accepts in place of others. Package
// eventjson has the rules for changing names.
//
// Call it when the package of L is initialized. It panics if the name is taken.
func RegisterFormat[L Law](name string, encode func(L) []eventjson.Field, decode func(*eventjson.Object) L, instead ...Parameter) {
	if slices.Contains(names(), name) {
		panic("law: two formats for laws of type " + name)
	}
	var zero L
	var parameters []Parameter
	for _, f := range encode(zero) {
		parameters = append(parameters, Parameter{Name: f.Name, Kind: kindOf(f.Value)})
	}
	formats = append(formats, Format{name, append(parameters, instead...),
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

func kindOf(value any) Kind {
	switch value.(type) {
	case float64:
		return Number
	case int:
		return Whole
	case []float64:
		return List
	}
	return Inner
}

// Formats returns all registered formats, sorted by name.
func Formats() []Format {
	return slices.SortedFunc(slices.Values(formats), func(f, g Format) int { return cmp.Compare(f.Name, g.Name) })
}

func names() []string {
	var all []string
	for _, f := range Formats() {
		all = append(all, f.Name)
	}
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

// Read reads a law as Value writes it. The object keeps the faults. A TNB may have its mean instead
// of gamma.
func Read(o *eventjson.Object) Law {
	defer o.Done()
	name := o.Text("type")
	for _, f := range formats {
		if f.Name == name {
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
