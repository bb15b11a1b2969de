// Package owncurve knows the events of this module that bring a Rényi curve of their own, beyond those that the
// Rényi accountant knows: tuning on a sample, searches by noisy thresholds. Being internal it can be told by this module
// alone, and it goes by the exact type: an event of another program that has a method Curve, or holds one of these
// events inside, is not believed.
package owncurve

import (
	"fmt"
	"reflect"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
)

// curveOf returns the curve of an event that is valid; the accountants may know more of its parts.
type curveOf func(event accounting.Event, accountants []accounting.Accountant) (rdp.Curve, error)

var known = map[reflect.Type]curveOf{}

// Register says how events of type E come to their curve, at initialization. It panics if that was said: that is
// a broken program.
func Register[E accounting.Event](curve func(event E, accountants []accounting.Accountant) (rdp.Curve, error)) {
	name := reflect.TypeFor[E]()
	if _, twice := known[name]; twice {
		panic(fmt.Sprintf("owncurve: two curves for events of type %v", name))
	}
	known[name] = func(event accounting.Event, accountants []accounting.Accountant) (rdp.Curve, error) {
		return curve(event.(E), accountants)
	}
}

// Has reports whether events of this type bring a curve.
func Has(event accounting.Event) bool {
	_, ok := known[reflect.TypeOf(event)]
	return ok
}

// Of returns the curve of an event that has one.
func Of(event accounting.Event, accountants []accounting.Accountant) (rdp.Curve, error) {
	curve, ok := known[reflect.TypeOf(event)]
	if !ok {
		return nil, fmt.Errorf("owncurve: Rényi curve of %T: %w", event, accounting.ErrUnsupportedEvent)
	}
	return curve(event, accountants)
}
