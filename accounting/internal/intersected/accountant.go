// Package intersected prices events without a selection. It asks the accountants that support the
// event, from the sharpest on, combines what they certify, and names the ones it used. Package
// selection calls it for one run. Package auto calls it too; ask auto about any event.
//
// They are asked in this order:
//
//  1. lratio, if the event has a random allocation: to 2e-4 of ε
//  2. contour: closed forms, sampled Gaussians, and sampled ClippedSums of a replaced record, to
//     1e-6 and better
//  3. pld: any losses, to 0.01
//  4. bounds from the parts of the event
//  5. rdp: upper bounds of everything with a Rényi curve
//
// The first interval that is as narrow as its accountant promises, and lies above ε = 0, is the
// answer. If an interval is wide, has an infinite end or has no width, the next accountant is asked
// too. The intervals are intersected, as each holds the truth. If two have no number in common, one
// of them is wrong, and the answer is an error that wraps [ErrContradiction]. For a small ε one
// more grid is made that is narrow relative to ε.
//
// Bounds from the parts are
//
//	a sample                      the sampling lemma (sample.go)
//	a Parallel, a WorstCase       the costliest of the events
//	a composition of anything     pairs of laws that dominate the events not on the grid (parts.go)
package intersected

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/lratio"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

// Accountant combines contour, pld and rdp, or the accountants in Named. The zero value is ready
// for use.
type Accountant struct {
	Grid  pld.Accountant          // width and size of a grid, and the relation
	Named []accounting.Accountant // if any, all of these are asked instead

	options accounting.Options
}

var _ accounting.Optional = Accountant{}

// NewAccountant returns the accountant with the default grid, for AddOrRemoveOne.
func NewAccountant() Accountant { return Accountant{} }

// NewAccountantFor returns the accountant for a relation. Under ReplaceOne it supports samples of
// fixed size. All noise multipliers are then relative to the distance that a replaced record moves
// a release: see accounting.SampledWithoutReplacement.
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

// Neighboring returns the relation of the grid.
func (a Accountant) Neighboring() accounting.Neighboring { return a.Grid.Neighboring() }

// Options returns the options of its answers. Only an event that lratio knows has a quick one.
func (a Accountant) Options() accounting.Options { return a.options }

// WithOptions returns the accountant with other options.
func (a Accountant) WithOptions(o accounting.Options) accounting.Accountant {
	a.options = o
	return a
}

// all returns the accountants to ask.
func (a Accountant) all(q ask.Question) (all []ask.Answerer) {
	for _, named := range a.Named {
		all = append(all, Answerer(named))
	}
	if len(a.Named) > 0 {
		return all
	}
	ratios, allocated := a.ratios(q)
	if allocated {
		if all = append(all, ratios); ratios.Knows(q) == nil {
			return all // no other knows it
		}
		a = a.forAllocations()
	}
	// Of several events each is priced by its best accountant, which lratio may be.
	if all = append(all, a.lines()); q.Node().Shape != accounting.Either && !allocated {
		all = append(all, a.Grid)
	}
	for _, parts := range a.parts(q) {
		all = append(all, parts)
	}
	if q.Node().Shape == accounting.Either || allocated {
		all = append(all, a.Grid)
	}
	return append(all, rdp.Accountant{Relation: a.Neighboring()})
}

// lines returns the accountant of line integrals.
func (a Accountant) lines() contour.Accountant { return contour.Accountant{Relation: a.Neighboring()} }

// Validate returns an error unless the settings are in their ranges and all accountants have one
// relation.
func (a Accountant) Validate() error {
	if err := a.Grid.Validate(); err != nil {
		return fmt.Errorf("intersected: Accountant.Grid: %w", err)
	}
	for i, named := range a.Named {
		if named.Neighboring() != a.Neighboring() {
			return fmt.Errorf("intersected: Accountant.Named[%d], %s: relation %v: must be %v", i, named.Name(), named.Neighboring(), a.Neighboring())
		}
	}
	return nil
}

// Answer is the answer of one accountant.
type Answer struct {
	Name      string
	Theorem   string // its theorem, if that is not the accountant's usual method
	Guarantee accounting.Guarantee
}

// EpsilonAt returns an interval of ε, in nats, for event at delta in (0, 1). An accountant that
// refuses the event is skipped. If all refuse it, the errors are joined.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	return ask.EpsilonAt(a, event, delta)
}

// EpsilonTo is EpsilonAt for a question.
func (a Accountant) EpsilonTo(q ask.Question, delta float64) (accounting.Guarantee, error) {
	g, _, err := a.Ask(q, delta)
	return g, err
}

// Ask is EpsilonTo with the answer of each accountant that was asked and supports the event. Other
// failures leave a warning, unless the others' answer is as narrow as promised. If two accountants
// contradict each other, the answers come with the error, and the guarantee is empty.
func (a Accountant) Ask(q ask.Question, delta float64) (accounting.Guarantee, []Answer, error) {
	if err := errors.Join(a.Validate(), q.Under(a)); err != nil {
		return accounting.NoGuarantee(), nil, err
	}
	if ratios, ok := a.ratios(q); q.Options().Quick && !(ok && ratios.Knows(q) == nil) {
		q = q.With(accounting.Options{Unchecked: q.Options().Unchecked})
	}
	var answers []Answer
	var errs, failures []error
	for _, accountant := range a.all(q) {
		g, err := accountant.EpsilonTo(q, delta)
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
	if err == nil && (attach.Failed(out) || attach.Raised(out)) && len(a.Named) == 0 && !q.Options().Unchecked {
		if g, ok := a.shownByRatios(q, delta); ok && g.Guarantee.Epsilon.Upper <= out.Epsilon.Upper*(1+mostRaised) {
			answers = append(answers, g)
			out, err = combineAll(answers)
		}
	}
	for range finerGrids {
		more, ok := a.finer(q, delta, out.Epsilon, answers)
		if err != nil || !ok {
			break
		}
		answers = more
		out, err = combineAll(answers)
	}
	if err != nil {
		return accounting.NoGuarantee(), answers, err
	}
	if !q.Options().Unchecked {
		out = checked(q, out, answers)
	}
	if len(a.Named) == 0 && !q.Options().Quick {
		out.Epsilon = a.raised(q, delta, out.Epsilon)
	}
	if !narrow(out) {
		out.Warnings = append(append([]error{}, out.Warnings...), failures...)
	}
	return out, answers, nil
}

const (
	// At most finerGrids further grids, of size finerSize, are made for one question, while each
	// lowers ε by finerGain.
	finerGrids, finerGain, finerSize = 4, 0.01, 1 << 16
	// Another grid is made if the ratio of the ends exceeds coarseGrid and the upper end is below
	// finerFrom times the width of the grid.
	coarseGrid, finerFrom = 1.5, 10
)

// finer asks the grid once more if its answer is as narrow as requested, in nats, but wide relative
// to ε. It returns the answers with the new one; ok is false if that is not better. Without it the
// upper end of a tiny ε would be about the width of a grid, and could fall with more steps.
func (a Accountant) finer(q ask.Question, delta float64, known accounting.Interval, answers []Answer) (more []Answer, ok bool) {
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
	g, err := grid.EpsilonTo(q, delta)
	if err != nil || !(g.Epsilon.Upper < (1-finerGain)*before.Epsilon.Upper) {
		return nil, false
	}
	more = slices.Clone(answers)
	if contradict(g.Epsilon, before.Epsilon) {
		return append(more, Answer{Name: grid.Name(), Guarantee: g}), true
	}
	before.Epsilon, before.Method, before.Certificate = intersect(before.Epsilon, g.Epsilon), g.Method, g.Certificate
	if before.Epsilon.Width() <= usual {
		before.Warnings = slices.DeleteFunc(slices.Clone(before.Warnings), func(w error) bool { return errors.Is(w, pld.ErrWide) })
	}
	more[i].Guarantee = before
	return more, true
}

// If the relative width of δ is below enough, no further accountant is asked.
const enough = 1e-3

// DeltaAt returns an interval of δ, in [0, 1], at epsilon >= 0.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	return ask.DeltaAt(a, event, epsilon)
}

// DeltaTo is DeltaAt for a question.
func (a Accountant) DeltaTo(q ask.Question, epsilon float64) (accounting.Interval, error) {
	delta, _, err := a.DeltaBy(q, epsilon)
	return delta, err
}

// DeltasTo returns an upper end of δ at each of epsilons, which must not fall. It takes little more
// time than one δ. It asks lratio, contour, pld, then bounds from the event's parts. If there is
// only a Rényi curve, the error is ErrUnsupportedEvent. DeltaTo may give a smaller δ.
func (a Accountant) DeltasTo(q ask.Question, epsilons []float64) ([]accounting.Interval, error) {
	if err := errors.Join(a.Validate(), q.Under(a)); err != nil {
		return nil, err
	}
	if len(a.Named) > 0 {
		return nil, fmt.Errorf("intersected: list of δ of %v: %w", q.Event(), accounting.ErrUnsupportedEvent)
	}
	if ratios, ok := a.ratios(q); ok {
		if deltas, err := ratios.DeltasTo(q, epsilons); err == nil {
			return deltas, nil
		}
		a = a.forAllocations()
		if parts := a.parts(q); len(parts) > 0 {
			return parts[0].DeltasTo(q, epsilons)
		}
	}
	if deltas, err := a.lines().DeltasTo(q, epsilons); err == nil {
		return deltas, nil
	}
	deltas, err := a.Grid.DeltasTo(q, epsilons)
	if parts := a.parts(q); errors.Is(err, accounting.ErrUnsupportedEvent) && len(parts) > 0 {
		return parts[0].DeltasTo(q, epsilons)
	}
	return deltas, err
}

// DeltaBy is DeltaTo with the name of the accountant of the upper end, among those that have more
// than a Rényi curve.
func (a Accountant) DeltaBy(q ask.Question, epsilon float64) (delta accounting.Interval, name string, err error) {
	if err := errors.Join(a.Validate(), q.Under(a)); err != nil {
		return accounting.NoDelta(), "", err
	}
	var errs []error
	var known []Answer
	for _, accountant := range a.all(q) {
		got, err := accountant.DeltaTo(q, epsilon)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(known) == 0 || got.Upper < delta.Upper && !isCurve(accountant) {
			name = accountant.Name()
		}
		known = append(known, Answer{Name: accountant.Name(), Guarantee: accounting.Guarantee{Epsilon: got}}) // Epsilon is a δ here
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

// isCurve reports whether an accountant has only Rényi curves.
func isCurve(a accounting.Accountant) bool {
	_, curve := a.(rdp.Accountant)
	return curve
}

// Answerer returns an accountant as an Answerer. It compares exact types, as an accountant that
// embeds one of this module may have other answers.
func Answerer(a accounting.Accountant) ask.Answerer {
	switch a := a.(type) {
	case Accountant:
		return a
	case contour.Accountant:
		return a
	case gdp.Accountant:
		return a
	case lratio.Accountant:
		return a
	case pld.Accountant:
		return a
	case rdp.Accountant:
		return a
	}
	if many, ok := a.(ask.Many); ok {
		return ask.OtherMany{Other: ask.Other{Accountant: a}, Many: many}
	}
	return ask.Other{Accountant: a}
}
