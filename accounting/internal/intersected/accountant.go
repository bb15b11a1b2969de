// Package intersected prices events in which nothing is selected. It asks the accountants that know
// the event, from the sharpest on, combines what they certify, and names the ones it used. It
// stands below package selection, which asks it about one run. It stands below package auto, which
// is what to ask about any event.
//
// It asks contour first (closed forms, sampled Gaussians, to 1e-6 and better), then pld (any
// losses, to 0.01). Then comes what follows from the parts of the event, and last rdp (upper
// bounds, everything with a Rényi curve). The first interval that is as narrow as its accountant
// promises, and has ε apart from 0, is the answer. Where one is wide, or has an infinite end or no
// width, the next accountant is asked too. The intervals are intersected, as each holds the truth.
// If two have no number in common, one of them is wrong, and the answer is an error that wraps
// [ErrContradiction]. Where ε is small, one more grid is made that is narrow for its size. From
// parts follow:
//
//	a sample                      the sampling lemma (sample.go)
//	a Parallel, a WorstCase       the dearest of the events
//	a composition of anything     pairs of laws that dominate what is not on the grid (parts.go)
package intersected

import (
	"errors"
	"fmt"
	"math"
	"slices"

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

// NewAccountantFor returns the accountant for a relation. Under ReplaceOne it knows samples of
// fixed size, and all noise multipliers are relative to how far a replaced record moves a release:
// see accounting.SampledWithoutReplacement.
func NewAccountantFor(relation accounting.Neighboring) (Accountant, error) {
	a := Accountant{Grid: pld.Accountant{Relation: relation}}
	if relation == 0 {
		return Accountant{}, fmt.Errorf("intersected: relation %v: must be AddOrRemoveOne, ReplaceOne or ReplaceSpecial", relation)
	}
	if err := a.Grid.Validate(); err != nil {
		return Accountant{}, fmt.Errorf("intersected: %w", err)
	}
	return a, nil
}

// Name returns "certified".
func (Accountant) Name() string { return "certified" }

// Neighboring returns the relation, that of the grid.
func (a Accountant) Neighboring() accounting.Neighboring { return a.Grid.Neighboring() }

// all returns who is asked about an event in its simplest form.
func (a Accountant) all(event accounting.Node) []accounting.Accountant {
	if len(a.Named) > 0 {
		return a.Named
	}
	var all []accounting.Accountant
	if a.Neighboring() == accounting.AddOrRemoveOne {
		all = append(all, contour.NewAccountant())
	}
	if ways := a.ways(event); event.Shape == accounting.Either {
		all = append(append(all, ways...), a.Grid) // each event by who knows it best
	} else {
		all = append(append(all, a.Grid), ways...)
	}
	return append(all, rdp.Accountant{Relation: a.Neighboring()})
}

// prepare validates the settings and the event, and writes it in its simplest form.
func (a Accountant) prepare(event accounting.Event) (accounting.Node, error) {
	if err := a.Grid.Validate(); err != nil {
		return accounting.Node{}, fmt.Errorf("intersected: Accountant.Grid: %w", err)
	}
	for i, named := range a.Named {
		if named.Neighboring() != a.Neighboring() {
			return accounting.Node{}, fmt.Errorf("intersected: Accountant.Named[%d], %s, is about %v: must be about %v", i, named.Name(), named.Neighboring(), a.Neighboring())
		}
	}
	node, err := accounting.Flatten(event)
	if err != nil {
		return accounting.Node{}, fmt.Errorf("intersected: %w", err)
	}
	if err := node.CheckRelation("certified", a.Neighboring()); err != nil {
		return accounting.Node{}, err
	}
	return Simplify(node), nil
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

// Ask is EpsilonAt with the answer of each accountant that was asked and knew the event. One that
// failed otherwise leaves a warning, unless the others' answer is as narrow as promised. If two
// contradict each other, the answers come with the error, and the guarantee is empty.
func (a Accountant) Ask(event accounting.Event, delta float64) (accounting.Guarantee, []Answer, error) {
	node, err := a.prepare(event)
	if err != nil {
		return accounting.NoGuarantee(), nil, err
	}
	return a.ask(node, delta)
}

// ask is Ask of an event in its simplest form.
func (a Accountant) ask(event accounting.Node, delta float64) (accounting.Guarantee, []Answer, error) {
	var answers []Answer
	var errs, failures []error
	for _, accountant := range a.all(event) {
		g, err := accountant.EpsilonAt(event.Event, delta)
		if err != nil {
			if errs = append(errs, err); !errors.Is(err, accounting.ErrUnsupportedEvent) {
				failures = append(failures, err)
			}
			continue
		}
		answers = append(answers, Answer{accountant.Name(), theoremOf(accountant), g})
		if settled(g) && len(a.Named) == 0 {
			break
		}
	}
	if len(answers) == 0 {
		return accounting.NoGuarantee(), nil, fmt.Errorf("intersected: %w", errors.Join(errs...))
	}
	out, err := combineAll(answers)
	for range finerGrids {
		more, ok := a.finer(event.Event, delta, out.Epsilon, answers)
		if err != nil || !ok {
			break
		}
		answers = more
		out, err = combineAll(answers)
	}
	if err != nil {
		return accounting.NoGuarantee(), answers, err
	}
	if !narrow(out) {
		out.Warnings = append(append([]error{}, out.Warnings...), failures...)
	}
	return out, answers, nil
}

const (
	// finerGrids is how many further grids are made for one question, as long as one lowers ε by
	// finerGain, and how large they may be.
	finerGrids, finerGain, finerSize = 4, 0.01, 1 << 16
	// coarseGrid is the ratio of the ends from which another grid is made, as long as the upper end
	// is below finerFrom times the width of the grid.
	coarseGrid, finerFrom = 1.5, 10
)

// finer asks the grid once more where it is as narrow as was asked for, in nats, but wide for the
// size of ε. It returns the answers with the new one; ok is false if that is no better. Without it
// the upper end of a tiny ε is about the width of a grid, which may fall with more steps.
func (a Accountant) finer(event accounting.Event, delta float64, known accounting.Interval, answers []Answer) (more []Answer, ok bool) {
	grid, usual := a.Grid, a.Grid.Width
	if usual == 0 {
		usual = 0.01
	}
	grid.Width, grid.MaxGrid = math.Max(known.Upper/finerFrom, 1e-9), finerSize
	i := slices.IndexFunc(answers, func(answer Answer) bool { return answer.Name == grid.Name() })
	if i < 0 || len(a.Named) > 0 || known.Upper == 0 || coarseGrid*known.Lower >= known.Upper || grid.Width >= usual {
		return nil, false
	}
	before := answers[i].Guarantee
	g, err := grid.EpsilonAt(event, delta)
	if err != nil || !(g.Epsilon.Upper < (1-finerGain)*before.Epsilon.Upper) {
		return nil, false
	}
	more = slices.Clone(answers)
	if contradict(g.Epsilon, before.Epsilon) {
		return append(more, Answer{Name: grid.Name(), Guarantee: g}), true
	}
	before.Epsilon, before.Method = intersect(before.Epsilon, g.Epsilon), g.Method
	if before.Epsilon.Width() <= usual {
		before.Warnings = slices.DeleteFunc(slices.Clone(before.Warnings), func(w error) bool { return errors.Is(w, pld.ErrWide) })
	}
	more[i].Guarantee = before
	return more, true
}

// enough is the relative width of δ from which no further accountant is asked.
const enough = 1e-3

// DeltaAt returns what is known of δ, in [0, 1], at epsilon >= 0.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	delta, _, err := a.DeltaOf(event, epsilon)
	return delta, err
}

// DeltasAt returns an upper end of δ at each of epsilons, which do not fall, in little more time
// than at one. It asks contour, then pld, then what these know of the event's parts. It is
// ErrUnsupportedEvent where only a Rényi curve is known. DeltaAt may know more.
func (a Accountant) DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error) {
	node, err := a.prepare(event)
	if err != nil {
		return nil, err
	}
	if len(a.Named) > 0 {
		return nil, fmt.Errorf("intersected: many δ of %v: %w", event, accounting.ErrUnsupportedEvent)
	}
	deltas, err := a.deltas(node, epsilons)
	if err != nil {
		return nil, err
	}
	intervals := make([]accounting.Interval, len(deltas))
	for i, d := range deltas {
		intervals[i] = accounting.UpperBound(d)
	}
	return intervals, nil
}

// deltas is DeltasAt of an event in its simplest form; only upper ends.
func (a Accountant) deltas(event accounting.Node, epsilons []float64) ([]float64, error) {
	if a.Neighboring() == accounting.AddOrRemoveOne {
		if deltas, err := contour.NewAccountant().DeltasAt(event.Event, epsilons); err == nil {
			return uppers(deltas, nil)
		}
	}
	deltas, err := a.Grid.DeltasAt(event.Event, epsilons)
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
			return w.deltas(epsilons)
		}
	}
	return nil, err
}

// DeltaOf is DeltaAt with the name of the accountant that answers for the event: the one whose
// upper end it is, of those that know more than a Rényi curve.
func (a Accountant) DeltaOf(event accounting.Event, epsilon float64) (delta accounting.Interval, name string, err error) {
	node, err := a.prepare(event)
	if err != nil {
		return accounting.NoDelta(), "", err
	}
	return a.deltaOf(node, epsilon)
}

// deltaOf is DeltaOf of an event in its simplest form.
func (a Accountant) deltaOf(event accounting.Node, epsilon float64) (delta accounting.Interval, name string, err error) {
	var errs []error
	var known []Answer
	for _, accountant := range a.all(event) {
		got, err := accountant.DeltaAt(event.Event, epsilon)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if _, curve := accountant.(rdp.Accountant); len(known) == 0 || got.Upper < delta.Upper && !curve {
			name = accountant.Name()
		}
		known = append(known, Answer{Name: accountant.Name(), Guarantee: accounting.Guarantee{Epsilon: got}}) // its Epsilon is a δ here
		if delta, err = intersectAll(known); err != nil {
			return accounting.NoDelta(), "", err
		}
		settled := delta.Width() > 0 || delta.Upper == 0
		if delta.HasLower && delta.Width() <= enough*delta.Upper && settled && len(a.Named) == 0 {
			break
		}
	}
	if len(known) == 0 {
		return accounting.NoDelta(), "", fmt.Errorf("intersected: %w", errors.Join(errs...))
	}
	return delta, name, nil
}
