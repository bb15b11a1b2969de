// Package certified prices events in which nothing is selected: it asks the accountants that
// know the event, from the sharpest on, combines what they certify, and names which of them
// was used. It stands below package selection, which asks it about one run, and below package
// auto, which is what to ask about any event.
//
// The order is contour (closed forms, sampled Gaussians, to 1e-6 and better), pld (any
// losses, to 0.01), what follows from the parts of the event, rdp (upper bounds, everything with
// a Rényi curve). The first interval that is as narrow as its accountant promises, and tells ε from 0,
// is the answer. Where one is wide, the next is asked too and the intervals are intersected: each holds
// the truth. From parts follow:
//
//	a sample                      the sampling lemma (sample.go)
//	a Parallel, a WorstCase       the dearest of the events
//	a composition of anything     pairs of laws on the grid that dominate what is not on it (parts.go)
package certified

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

// Accountant combines contour, pld and rdp, or those that are named. The zero value is ready
// for use.
type Accountant struct {
	Grid  pld.Accountant          // width and size of the grid, where one is used, and the relation
	Named []accounting.Accountant // if any, they are asked instead, every one of them
}

var _ accounting.Accountant = Accountant{}

// NewAccountant returns the accountant with the default grid, for AddOrRemoveOne.
func NewAccountant() Accountant { return Accountant{} }

// NewAccountantFor returns the accountant for a relation. Under ReplaceOne it knows samples of fixed size, and all noise multipliers are relative to how far a
// replaced record moves a release: see accounting.SampledWithoutReplacement.
func NewAccountantFor(relation accounting.Neighboring) (Accountant, error) {
	a := Accountant{Grid: pld.Accountant{Relation: relation}}
	if relation == 0 {
		return Accountant{}, fmt.Errorf("certified: relation %v: must be AddOrRemoveOne, ReplaceOne or ReplaceSpecial", relation)
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

// all returns who is asked about an event in its simplest form.
func (a Accountant) all(event accounting.Event) []accounting.Accountant {
	if len(a.Named) > 0 {
		return a.Named
	}
	var all []accounting.Accountant
	if a.Neighboring() == accounting.AddOrRemoveOne {
		all = append(all, contour.NewAccountant())
	}
	if ways := a.ways(event); len(members(event)) > 0 {
		all = append(append(all, ways...), a.Grid) // each event by who knows it best
	} else {
		all = append(append(all, a.Grid), ways...)
	}
	return append(all, rdp.Accountant{Relation: a.Neighboring()})
}

// prepare validates the settings and the event, and simplifies it.
func (a Accountant) prepare(event accounting.Event) (accounting.Event, error) {
	if err := a.Grid.Validate(); err != nil {
		return nil, fmt.Errorf("certified: Accountant.Grid: %w", err)
	}
	for i, named := range a.Named {
		if named.Neighboring() != a.Neighboring() {
			return nil, fmt.Errorf("certified: Accountant.Named[%d], %s, is about %v: must be about %v", i, named.Name(), named.Neighboring(), a.Neighboring())
		}
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
	return Simplify(event), nil
}

// Answer is what one accountant said.
type Answer struct {
	Name      string
	Theorem   string // what it rests on, where that is not the accountant's own method
	Guarantee accounting.Guarantee
}

// EpsilonAt returns what is known of ε, in nats, for event at delta in (0, 1). An accountant
// that refuses the event is passed over; if all do, the errors are joined.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	g, _, err := a.Ask(event, delta)
	return g, err
}

// Ask is EpsilonAt with the answer of each accountant that was asked and knew the event. One
// that failed otherwise leaves a warning, unless the others' answer is as narrow as promised.
func (a Accountant) Ask(event accounting.Event, delta float64) (accounting.Guarantee, []Answer, error) {
	event, err := a.prepare(event)
	if err != nil {
		return accounting.Guarantee{}, nil, err
	}
	var answers []Answer
	var errs, failures []error
	for _, accountant := range a.all(event) {
		g, err := accountant.EpsilonAt(event, delta)
		if err != nil {
			if errs = append(errs, err); !errors.Is(err, accounting.ErrUnsupportedEvent) {
				failures = append(failures, err)
			}
			continue
		}
		answers = append(answers, Answer{accountant.Name(), theoremOf(accountant), g})
		if narrow(g) && (g.Epsilon.Lower > 0 || g.Epsilon.Upper == 0) && len(a.Named) == 0 { // and ε is told from 0
			break
		}
	}
	if len(answers) == 0 {
		return accounting.Guarantee{}, nil, fmt.Errorf("certified: %w", errors.Join(errs...))
	}
	out := combineAll(answers)
	if !narrow(out) {
		out.Warnings = append(append([]error{}, out.Warnings...), failures...)
	}
	return out, answers, nil
}

// enough is the relative width of δ from which no further accountant is asked.
const enough = 1e-3

// DeltaAt returns what is known of δ, in [0, 1], at epsilon >= 0.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	delta, _, err := a.DeltaOf(event, epsilon)
	return delta, err
}

// DeltasAt returns an upper end of δ at each of epsilons, which do not fall, in little more time than at one: by contour, by pld
// where it does not know the event, by what these know of its parts where they do not know the whole; ErrUnsupportedEvent where only a Rényi
// curve is known. DeltaAt may know more.
func (a Accountant) DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error) {
	event, err := a.prepare(event)
	if err != nil {
		return nil, err
	}
	if len(a.Named) > 0 {
		return nil, fmt.Errorf("certified: many δ of %v: %w", event, accounting.ErrUnsupportedEvent)
	}
	deltas, err := a.deltas(event, epsilons)
	if err != nil {
		return nil, err
	}
	intervals := make([]accounting.Interval, len(deltas))
	for i, d := range deltas {
		intervals[i] = accounting.UpperBound(d)
	}
	return intervals, nil
}

// deltas is DeltasAt of an event in its simplest form, upper ends alone.
func (a Accountant) deltas(event accounting.Event, epsilons []float64) ([]float64, error) {
	if a.Neighboring() == accounting.AddOrRemoveOne {
		if deltas, err := contour.NewAccountant().DeltasAt(event, epsilons); err == nil {
			return uppers(deltas, nil)
		}
	}
	deltas, err := a.Grid.DeltasAt(event, epsilons)
	if err == nil || !errors.Is(err, accounting.ErrUnsupportedEvent) {
		return uppers(deltas, err)
	}
	for _, way := range a.ways(event) {
		switch w := way.(type) {
		case byLemma:
			return w.deltas(epsilons)
		case byMembers:
			return w.deltas(epsilons)
		case byPairs:
			return w.deltas(event, epsilons)
		}
	}
	return nil, err
}

// DeltaOf is DeltaAt with the name of the accountant that answers for the event: the one whose upper end it is, of those that know more
// than a Rényi curve.
func (a Accountant) DeltaOf(event accounting.Event, epsilon float64) (delta accounting.Interval, name string, err error) {
	event, err = a.prepare(event)
	if err != nil {
		return accounting.Interval{}, "", err
	}
	var errs []error
	var known []accounting.Interval
	for _, accountant := range a.all(event) {
		got, err := accountant.DeltaAt(event, epsilon)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if _, curve := accountant.(rdp.Accountant); len(known) == 0 || got.Upper < delta.Upper && !curve {
			name = accountant.Name()
		}
		known = append(known, got)
		if delta = intersectAll(known); delta.HasLower && delta.Width() <= enough*delta.Upper && len(a.Named) == 0 {
			break
		}
	}
	if len(known) == 0 {
		return accounting.Interval{}, "", fmt.Errorf("certified: %w", errors.Join(errs...))
	}
	return delta, name, nil
}
