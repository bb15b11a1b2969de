package eventjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Object reads the fields of one JSON object. A field that is missing, of the wrong kind, given
// twice or never read is a fault. So is an object inside more than 64 others. Err returns the
// faults with their paths.
type Object struct {
	path   string
	depth  int
	fields map[string]json.RawMessage
	asked  map[string]bool
	faulty map[string]bool // fields that have a fault already
	faults *[]error
}

// NewObject reads text that is not an event itself but has events or laws in it.
func NewObject(text []byte) *Object { return newObject("", text, 0, new([]error)) }

// maxDepth is the largest number of objects inside each other. Every level reads its text again.
const maxDepth = 64

func newObject(path string, text []byte, depth int, faults *[]error) *Object {
	o := &Object{path: path, depth: depth, asked: map[string]bool{}, faulty: map[string]bool{}, faults: faults}
	if depth > maxDepth {
		o.Fault("", "is inside more than %d objects: must be inside fewer", maxDepth)
		return o
	}
	if err := json.Unmarshal(text, &o.fields); err != nil || o.fields == nil {
		o.Fault("", "must be a JSON object (%s)", reason(text, err))
		return o
	}
	for _, name := range repeated(text) {
		o.Fault(name, "is given more than once: must be given once")
	}
	return o
}

// repeated returns the names that a valid JSON object has more than once. A map keeps only the last
// of them.
func repeated(text []byte) []string {
	var names []string
	seen := map[string]bool{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil { // the brace
		return nil
	}
	for decoder.More() {
		token, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			break
		}
		if name, _ := token.(string); seen[name] {
			names = append(names, name)
		} else {
			seen[name] = true
		}
	}
	return names
}

// reason returns why text is not an object.
func reason(text []byte, err error) string {
	if err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
		return "it is " + clipped(text)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// clipped returns a value for a message, cut if it is long.
func clipped(text []byte) string {
	const most = 40
	if runes := []rune(strings.TrimSpace(string(text))); len(runes) > most {
		return string(runes[:most]) + " ..."
	}
	return strings.TrimSpace(string(text))
}

// Fault keeps a fault of a field. An empty name is the object itself. Only the first fault of a
// field is kept, because later ones are about the value that replaces it.
func (o *Object) Fault(name, format string, args ...any) {
	if name != "" && o.faulty[name] {
		return
	}
	o.faulty[name] = true
	*o.faults = append(*o.faults, fmt.Errorf("%s: %s", o.at(name), fmt.Sprintf(format, args...)))
}

func (o *Object) at(name string) string {
	switch {
	case o.path == "" && name == "":
		return "event"
	case o.path == "":
		return name
	case name == "":
		return o.path
	}
	return o.path + "." + name
}

// Has reports whether the object has a field.
func (o *Object) Has(name string) bool { _, ok := o.fields[name]; return ok }

// field returns the text of a field. If it is missing, ok is false and the fault is kept.
func (o *Object) field(name, kind string) (text json.RawMessage, ok bool) {
	o.asked[name] = true
	text, ok = o.fields[name]
	if !ok && o.fields != nil {
		o.Fault(name, "is missing: must be %s", kind)
	}
	return text, ok
}

// Float returns a number.
func (o *Object) Float(name string) float64 {
	var v float64
	if text, ok := o.field(name, "a number"); ok {
		if err := json.Unmarshal(text, &v); err != nil || string(text) == "null" {
			o.Fault(name, "%s: must be a number", text)
		}
		if mantissa, _, _ := strings.Cut(strings.ToLower(string(text)), "e"); v == 0 && strings.ContainsAny(mantissa, "123456789") {
			o.Fault(name, "%s: is too near 0: must be 0, or at least %g in size", text, math.SmallestNonzeroFloat64)
		}
	}
	return v
}

// Floats returns a list of numbers.
func (o *Object) Floats(name string) []float64 {
	var entries []*float64 // a null is nil
	if text, ok := o.field(name, "a list of numbers"); ok {
		if err := json.Unmarshal(text, &entries); err != nil || entries == nil || slices.Contains(entries, nil) {
			o.Fault(name, "%s: must be a list of numbers", clipped(text))
			return nil
		}
	}
	v := make([]float64, len(entries))
	for i, entry := range entries {
		v[i] = *entry
	}
	return v
}

// Int returns a whole number; 1e6 is one.
func (o *Object) Int(name string) int {
	var v float64
	if text, ok := o.field(name, "a whole number"); ok {
		if err := json.Unmarshal(text, &v); err != nil || v != math.Floor(v) || math.Abs(v) > 1<<53 || string(text) == "null" {
			o.Fault(name, "%s: must be a whole number, at most 2^53 in size", text)
			return 0
		}
	}
	return int(v)
}

// Bool returns true or false.
func (o *Object) Bool(name string) bool {
	var v bool
	if text, ok := o.field(name, "true or false"); ok {
		if err := json.Unmarshal(text, &v); err != nil || string(text) == "null" {
			o.Fault(name, "%s: must be true or false", clipped(text))
		}
	}
	return v
}

// Text returns a string.
func (o *Object) Text(name string) string {
	var v string
	if text, ok := o.field(name, "a string"); ok {
		if err := json.Unmarshal(text, &v); err != nil || string(text) == "null" {
			o.Fault(name, "%s: must be a string", text)
		}
	}
	return v
}

// Object returns an object inside.
func (o *Object) Object(name string) *Object {
	text, ok := o.field(name, "an object")
	if !ok {
		return &Object{path: o.at(name), asked: map[string]bool{}, faulty: map[string]bool{}, faults: o.faults}
	}
	return newObject(o.at(name), text, o.depth+1, o.faults)
}

// Objects returns a list of objects.
func (o *Object) Objects(name string) []*Object {
	var parts []json.RawMessage
	if text, ok := o.field(name, "a list"); ok {
		if err := json.Unmarshal(text, &parts); err != nil || parts == nil {
			o.Fault(name, "%s: must be a list", clipped(text))
		}
	}
	list := make([]*Object, len(parts))
	for i, part := range parts {
		list[i] = newObject(fmt.Sprintf("%s[%d]", o.at(name), i), part, o.depth+1, o.faults)
	}
	return list
}

// Done keeps a fault for each field that was never read.
func (o *Object) Done() {
	var unknown []string
	for name := range o.fields {
		if !o.asked[name] {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		o.Fault(name, "is not a field of this object: must be one of %s", strings.Join(o.known(), ", "))
	}
}

func (o *Object) known() []string {
	var names []string
	for name := range o.asked {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Err returns all faults, joined.
func (o *Object) Err() error {
	errs := make([]error, len(*o.faults))
	for i, fault := range *o.faults {
		errs[i] = fmt.Errorf("eventjson: %w", fault)
	}
	return errors.Join(errs...)
}
