// Package certified prices events in which nothing is selected: it asks the accountants that
// know the event, from the sharpest on, combines what they certify, and names which of them
// was used. It stands below package selection, which asks it about one run, and below package
// auto, which is what to ask about any event.
//
// The order is contour (closed forms, sampled Gaussians, to 1e-6 and better), pld (any
// losses, to 0.01), rdp (upper bounds, everything with a Rényi curve). The first interval
// that is as narrow as its accountant promises is the answer. Where one is wide, the next
// is asked too and the intervals are intersected: each holds the truth.
package certified

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

// Accountant combines contour, pld and rdp. The zero value is ready for use.
type Accountant struct {
	Grid pld.Accountant // width and size of the grid, where one is used, and the relation
}

var _ accounting.Accountant = Accountant{}

// NewAccountant returns the accountant with the default grid, for AddOrRemoveOne.
func NewAccountant() Accountant { return Accountant{} }

// NewAccountantFor returns the accountant for a relation, AddOrRemoveOne or ReplaceOne. Under
// ReplaceOne it knows samples of fixed size, and all noise multipliers are relative to how far a
// replaced record moves a release: see accounting.SampledWithoutReplacement.
func NewAccountantFor(relation accounting.Neighboring) (Accountant, error) {
	a := Accountant{Grid: pld.Accountant{Relation: relation}}
	if relation == 0 {
		return Accountant{}, fmt.Errorf("certified: relation %v: must be AddOrRemoveOne or ReplaceOne", relation)
	}
	if err := a.Grid.Validate(); err != nil {
		return Accountant{}, fmt.Errorf("certified: %w", err)
	}
	return a, nil
}

// Name returns "certified".
func (Accountant) Name() string { return "certified" }

// Neighboring returns the relation, that of the grid.
func (a Accountant) Neighboring() accounting.Neighboring { return a.Grid.Neighboring() }

func (a Accountant) all() []accounting.Accountant {
	if a.Neighboring() != accounting.AddOrRemoveOne {
		return []accounting.Accountant{a.Grid, rdp.Accountant{Relation: a.Neighboring()}}
	}
	return []accounting.Accountant{contour.NewAccountant(), a.Grid, rdp.NewAccountant()}
}

// prepare validates the settings and the event, and simplifies it.
func (a Accountant) prepare(event accounting.Event) (accounting.Event, error) {
	if err := a.Grid.Validate(); err != nil {
		return nil, fmt.Errorf("certified: Accountant.Grid: %w", err)
	}
	if event == nil {
		return nil, errors.New("certified: event is nil: must be an event")
	}
	if err := event.Validate(); err != nil {
		return nil, fmt.Errorf("certified: %w", err)
	}
	if err := accounting.CheckRelation("certified", event, a.Neighboring()); err != nil {
		return nil, err
	}
	return simplify(event), nil
}

// EpsilonAt returns what is known of ε, in nats, for event at delta in (0, 1). An accountant
// that refuses the event is passed over; if all do, the errors are joined.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	event, err := a.prepare(event)
	if err != nil {
		return accounting.Guarantee{}, err
	}
	var out accounting.Guarantee
	var errs []error
	answers := 0
	for _, accountant := range a.all() {
		g, err := accountant.EpsilonAt(event, delta)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if answers++; answers == 1 {
			out = g
		} else {
			out = combine(out, g)
		}
		if narrow(g) {
			break
		}
	}
	if answers == 0 {
		return accounting.Guarantee{}, fmt.Errorf("certified: %w", errors.Join(errs...))
	}
	return out, nil
}

// narrow reports whether an answer is all that its accountant promises.
func narrow(g accounting.Guarantee) bool { return g.Epsilon.HasLower && len(g.Warnings) == 0 }

// combine intersects two answers. The method names both ends' sources. Warnings of an
// answer count while the other has not made good for it.
func combine(a, b accounting.Guarantee) accounting.Guarantee {
	out := a
	if b.Epsilon.Upper < a.Epsilon.Upper {
		out = b
	}
	out.Epsilon = intersect(a.Epsilon, b.Epsilon)
	if a.Epsilon.HasLower && b.Epsilon.HasLower {
		upper, lower := a, b
		if b.Epsilon.Upper < a.Epsilon.Upper {
			upper = b
		}
		if a.Epsilon.Lower >= b.Epsilon.Lower {
			lower = a
		}
		if upper.Method != lower.Method {
			out.Method = upper.Method + "; lower end: " + lower.Method
		}
	}
	switch {
	case narrow(b):
		out.Warnings = nil
	case !narrow(a) && b.Epsilon.HasLower:
		out.Warnings = append(append([]error{}, a.Warnings...), b.Warnings...)
	default:
		out.Warnings = a.Warnings
	}
	return out
}

// intersect returns what two intervals that hold the same number say of it. Ends that
// cross, which takes rounding, are both kept.
func intersect(a, b accounting.Interval) accounting.Interval {
	upper := math.Min(a.Upper, b.Upper)
	if !a.HasLower && !b.HasLower {
		return accounting.UpperBound(upper)
	}
	lower, estimate := math.Max(a.Lower, b.Lower), upper
	switch {
	case a.HasEstimate && (!b.HasEstimate || a.Width() <= b.Width()):
		estimate = a.Estimate
	case b.HasEstimate:
		estimate = b.Estimate
	}
	lower, upper = math.Min(lower, upper), math.Max(lower, upper)
	return accounting.Certified(lower, math.Min(math.Max(estimate, lower), upper), upper)
}

// enough is the relative width of δ from which no further accountant is asked.
const enough = 1e-3

// DeltaAt returns what is known of δ, in [0, 1], at epsilon >= 0.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	event, err := a.prepare(event)
	if err != nil {
		return accounting.Interval{}, err
	}
	var out accounting.Interval
	var errs []error
	answers := 0
	for _, accountant := range a.all() {
		got, err := accountant.DeltaAt(event, epsilon)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if answers++; answers == 1 {
			out = got
		} else {
			out = intersect(out, got)
		}
		if out.HasLower && out.Width() <= enough*out.Upper {
			break
		}
	}
	if answers == 0 {
		return accounting.Interval{}, fmt.Errorf("certified: %w", errors.Join(errs...))
	}
	return out, nil
}
