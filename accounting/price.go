package accounting

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
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

// String returns the bound in one line.
func (b Bound) String() string {
	if b.Name == "" {
		return "no bound: nothing was computed"
	}
	text := fmt.Sprintf("ε <= %s, %s", FormatUpper(b.Epsilon), b.Name)
	if b.Theorem != "" {
		text += ": " + b.Theorem
	}
	return text
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
			lines = append(lines, "  "+b.String())
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
