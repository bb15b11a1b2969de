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
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/disjoint"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

// Accountant combines contour, pld and rdp, or the accountants in Named. The zero value is ready
// for use.
type Accountant struct {
	Grid  pld.Accountant          // width and size of a grid, and the relation
	Named []accounting.Accountant // if any, all of these are asked instead

	NoChecks bool // guarantees have no certificates
}

var _ accounting.Checked = Accountant{}

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

// Unchecked returns the accountant whose guarantees have no certificates.
func (a Accountant) Unchecked() accounting.Accountant {
	a.NoChecks = true
	return a
}

// Checks reports whether guarantees have certificates.
func (a Accountant) Checks() bool { return !a.NoChecks }

// all returns the accountants to ask about an event in its simplest form.
func (a Accountant) all(event accounting.Node) []accounting.Accountant {
	all := a.allChecked(event)
	if a.NoChecks {
		for i, accountant := range all {
			all[i] = accounting.Unchecked(accountant)
		}
	}
	return all
}

func (a Accountant) allChecked(event accounting.Node) (all []accounting.Accountant) {
	if len(a.Named) > 0 {
		return slices.Clone(a.Named)
	}
	ratios, allocated := a.ratios(event)
	if allocated {
		if all = append(all, ratios); ratios.Knows(event.Event) == nil {
			return all // no other knows it
		}
		a = a.forAllocations()
	}
	all = append(all, a.lines())
	if ways := a.ways(event); event.Shape == accounting.Either || allocated {
		all = append(append(all, ways...), a.Grid) // each event from its best accountant, which lratio may be
	} else {
		all = append(append(all, a.Grid), ways...)
	}
	return append(all, rdp.Accountant{Relation: a.Neighboring()})
}

// lines returns the accountant of line integrals.
func (a Accountant) lines() contour.Accountant { return contour.Accountant{Relation: a.Neighboring()} }

// prepare validates the settings and the event, and writes it in its simplest form. above reports
// whether that dominates the event and may cost more: the Gaussians above shuffled batches.
func (a Accountant) prepare(event accounting.Event) (simple accounting.Node, above bool, err error) {
	if err := a.Grid.Validate(); err != nil {
		return accounting.Node{}, false, fmt.Errorf("intersected: Accountant.Grid: %w", err)
	}
	for i, named := range a.Named {
		if named.Neighboring() != a.Neighboring() {
			return accounting.Node{}, false, fmt.Errorf("intersected: Accountant.Named[%d], %s: relation %v: must be %v", i, named.Name(), named.Neighboring(), a.Neighboring())
		}
	}
	node, err := accounting.Flatten(event)
	if err != nil {
		return accounting.Node{}, false, fmt.Errorf("intersected: %w", err)
	}
	if err := node.CheckRelation("certified", a.Neighboring()); err != nil {
		return accounting.Node{}, false, err
	}
	if node, above, err = disjoint.Replace(node, a.Neighboring()); err != nil {
		return accounting.Node{}, false, fmt.Errorf("intersected: %w", err)
	}
	return Simplify(node.Lowered(a.Neighboring())), above, nil
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
	g, _, err := a.Ask(event, delta)
	return g, err
}

// Ask is EpsilonAt with the answer of each accountant that was asked and supports the event. Other
// failures leave a warning, unless the others' answer is as narrow as promised. If two accountants
// contradict each other, the answers come with the error, and the guarantee is empty.
func (a Accountant) Ask(event accounting.Event, delta float64) (accounting.Guarantee, []Answer, error) {
	node, above, err := a.prepare(event)
	if err != nil {
		return accounting.NoGuarantee(), nil, err
	}
	g, answers, err := a.ask(node, delta)
	if above && err == nil {
		g = certificate.Given(g, disjoint.Given)
		g.Epsilon = accounting.UpperBound(g.Epsilon.Upper)
		for i, answer := range answers {
			answers[i].Guarantee.Epsilon = accounting.UpperBound(answer.Guarantee.Epsilon.Upper)
		}
	}
	return g, answers, err
}

// ask is Ask for an event in its simplest form.
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
	if !a.NoChecks {
		out = a.checked(event, out, answers)
	}
	if len(a.Named) == 0 {
		out.Epsilon = a.raised(event, delta, out.Epsilon)
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
func (a Accountant) finer(event accounting.Event, delta float64, known accounting.Interval, answers []Answer) (more []Answer, ok bool) {
	grid, usual := a.Grid, a.Grid.Width
	if usual == 0 {
		usual = 0.01
	}
	grid.Width, grid.MaxGrid = math.Max(known.Upper/finerFrom, 1e-9), finerSize
	asked := accounting.Accountant(grid)
	if a.NoChecks {
		asked = accounting.Unchecked(grid)
	}
	i := slices.IndexFunc(answers, func(answer Answer) bool { return answer.Name == grid.Name() })
	if i < 0 || len(a.Named) > 0 || known.Upper == 0 || coarseGrid*known.Lower >= known.Upper || grid.Width >= usual {
		return nil, false
	}
	before := answers[i].Guarantee
	g, err := asked.EpsilonAt(event, delta)
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
	delta, _, err := a.DeltaOf(event, epsilon)
	return delta, err
}

// DeltasAt returns an upper end of δ at each of epsilons, which must not fall. It takes little more
// time than one δ. It asks lratio, contour, pld, then bounds from the event's parts. If there is
// only a Rényi curve, the error is ErrUnsupportedEvent. DeltaAt may give a smaller δ.
func (a Accountant) DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error) {
	node, _, err := a.prepare(event)
	if err != nil {
		return nil, err
	}
	if len(a.Named) > 0 {
		return nil, fmt.Errorf("intersected: list of δ of %v: %w", event, accounting.ErrUnsupportedEvent)
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

// deltas is DeltasAt for an event in its simplest form. It returns only upper ends.
func (a Accountant) deltas(event accounting.Node, epsilons []float64) ([]float64, error) {
	if ratios, ok := a.ratios(event); ok {
		if deltas, err := ratios.DeltasAt(event.Event, epsilons); err == nil {
			return uppers(deltas, nil)
		}
		a = a.forAllocations()
		if deltas, ok, err := a.deltasOfWays(event, epsilons); ok {
			return deltas, err
		}
	}
	if deltas, err := a.lines().DeltasAt(event.Event, epsilons); err == nil {
		return uppers(deltas, nil)
	}
	deltas, err := a.Grid.DeltasAt(event.Event, epsilons)
	if err == nil || !errors.Is(err, accounting.ErrUnsupportedEvent) {
		return uppers(deltas, err)
	}
	if deltas, ok, err := a.deltasOfWays(event, epsilons); ok {
		return deltas, err
	}
	return nil, err
}

// deltasOfWays is deltas by the first of the ways, if there is one.
func (a Accountant) deltasOfWays(event accounting.Node, epsilons []float64) (deltas []float64, ok bool, err error) {
	for _, way := range a.ways(event) {
		switch w := way.(type) {
		case byLemma:
			deltas, err = w.deltas(epsilons)
		case byMembers:
			deltas, err = w.deltas(epsilons)
		case byPairs:
			deltas, err = w.deltas(epsilons)
		}
		return deltas, true, err
	}
	return nil, false, nil
}

// DeltaOf is DeltaAt with the name of the accountant of the upper end, among those that have more
// than a Rényi curve.
func (a Accountant) DeltaOf(event accounting.Event, epsilon float64) (delta accounting.Interval, name string, err error) {
	node, above, err := a.prepare(event)
	if err != nil {
		return accounting.NoDelta(), "", err
	}
	if delta, name, err = a.deltaOf(node, epsilon); above && err == nil {
		delta = accounting.UpperBound(delta.Upper)
	}
	return delta, name, err
}

// deltaOf is DeltaOf for an event in its simplest form.
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
