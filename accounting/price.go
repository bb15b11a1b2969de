package accounting

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/check"
)

// Bound is one upper bound on the ε of an event at one δ.
type Bound struct {
	Name      string  // short, unique in its Price
	Theorem   string  // the result that gives it, with its source
	Method    string  // what was computed, with the order or the profile
	Epsilon   float64 // in nats; never below the truth
	Published bool    // false if part of the proof is ours: see the doc comment that Theorem names
	Warnings  []error
}

// NoBound is the bound that goes with an error, or the missing bound: ε is +Inf.
func NoBound() Bound { return Bound{Method: "nothing was computed", Epsilon: math.Inf(1)} }

// String returns the bound in one line, as an estimate. Only a guarantee has a certificate.
func (b Bound) String() string { return b.text(math.IsInf(b.Epsilon, 1)) }

func (b Bound) text(checked bool) string {
	if b.Name == "" {
		return "no bound: nothing was computed"
	}
	text := fmt.Sprintf("ε %s %s, %s", UpperSign(checked), FormatUpper(b.Epsilon), b.Name)
	if b.Theorem != "" {
		text += ": " + b.Theorem
	}
	if !checked {
		text += ", estimated, not checked"
	}
	return text
}

// boundJSON has the names of Bound's fields.
type boundJSON struct {
	Name, Theorem, Method string
	Epsilon               *Number
	Published             bool
	Warnings              []string
}

// MarshalJSON writes the fields by their names, an infinite Epsilon as "Infinity", and warnings as
// strings. If nothing was computed it is an error.
func (b Bound) MarshalJSON() ([]byte, error) {
	if b.Name == "" {
		return nil, errors.New("accounting: Bound.Name is empty: nothing was computed, must be a bound of a price")
	}
	out := boundJSON{b.Name, b.Theorem, b.Method, (*Number)(&b.Epsilon), b.Published, nil}
	for _, w := range b.Warnings {
		out.Warnings = append(out.Warnings, w.Error())
	}
	return json.Marshal(out)
}

var boundShape = shape{"Bound", []string{"Name", "Theorem", "Method", "Epsilon", "Published"}, []string{"Warnings"}}

// UnmarshalJSON reads what MarshalJSON writes. Warnings come back as plain errors. It returns an
// error if a field is unknown or missing, Name is empty, or Epsilon is negative.
func (b *Bound) UnmarshalJSON(text []byte) error {
	var in boundJSON
	if err := boundShape.read(text, &in); err != nil {
		return err
	}
	f := check.In("accounting: Bound.")
	f.That(in.Name != "", "Name", "is empty", "must name the bound")
	f.Number("Epsilon", float64(*in.Epsilon), check.AtLeast(0))
	if err := f.Err(); err != nil {
		return err
	}
	*b = Bound{Name: in.Name, Theorem: in.Theorem, Method: in.Method, Epsilon: float64(*in.Epsilon), Published: in.Published}
	for _, w := range in.Warnings {
		b.Warnings = append(b.Warnings, errors.New(w))
	}
	return nil
}

// Price is the price of an event at one δ, with every bound that was computed.
type Price struct {
	Guarantee Guarantee // the least of Bounds, with its lower end if it has one
	Bounds    []Bound   // all that were computed, least first
	// OneRun is the guarantee at the same δ of one run of a selection, or of the training after it.
	// Its ε is 0 if no training follows. For other events it is empty.
	OneRun Guarantee
}

// NoPrice is the price that goes with an error: no bound, and ε is +Inf.
func NoPrice() Price { return Price{Guarantee: NoGuarantee(), OneRun: NoGuarantee()} }

// String returns the guarantee in one line, and below it one line for each bound, least first.
func (p Price) String() string {
	lines := []string{p.Guarantee.String()}
	if p.Guarantee.Epsilon.Computed() {
		for _, b := range p.Bounds {
			c := p.Guarantee.Certificate
			lines = append(lines, "  "+b.text(c.made() && b.Epsilon >= c.Epsilon || math.IsInf(b.Epsilon, 1)))
		}
	}
	return strings.Join(lines, "\n")
}

// Least returns the least bound, or [NoBound] if the price has none.
func (p Price) Least() Bound {
	if len(p.Bounds) == 0 {
		return NoBound()
	}
	return p.Bounds[0]
}

// LeastPublished returns the least published bound, and whether there is one.
func (p Price) LeastPublished() (Bound, bool) {
	return p.find(func(b Bound) bool { return b.Published })
}

// Find returns the bound with this name, and whether there is one.
func (p Price) Find(name string) (Bound, bool) {
	return p.find(func(b Bound) bool { return b.Name == name })
}

func (p Price) find(is func(Bound) bool) (Bound, bool) {
	if i := slices.IndexFunc(p.Bounds, is); i >= 0 {
		return p.Bounds[i], true
	}
	return NoBound(), false
}

// Overhead returns the ε of the whole minus that of OneRun, or 0 if that is negative.
func (p Price) Overhead() float64 {
	return math.Max(0, p.Guarantee.Epsilon.Upper-p.OneRun.Epsilon.Upper)
}

// LeastFirst sorts bounds by ε. Equal ones keep their order.
func LeastFirst(bounds []Bound) {
	slices.SortStableFunc(bounds, func(a, b Bound) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
}
