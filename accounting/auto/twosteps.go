package auto

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/intersected"
)

const (
	// fewSelections is the largest number of different selections in a composition that are priced
	// one by one. Each takes up to a second.
	fewSelections = 16
	// manySelections is the largest number of selections, repeated ones included, that get a share
	// of δ each.
	manySelections = 1000
)

// twoSteps divides half of δ among the selections, and prices each at its share. In the second step
// each selection is only an (ε, δ)-private mechanism. The composition of these with the other
// events is one bound. The sum of their ε and that of the others at the other half of δ is another
// bound. A grid may be above it by its width. A selection here may also be a Parallel or WorstCase
// that holds one.
type twoSteps struct{}

func (twoSteps) knows(q question) bool { return dominatingPairs{}.knows(q) }

func (twoSteps) price(q question) (accounting.Price, error) {
	g, err := q.inTwoSteps()
	return priced("two steps", "each selection as an (ε, δ)-private mechanism, and composition", g, err)
}

// step is one of the different selections, with its ε and its mechanism in the second step.
type step struct {
	event     accounting.Event
	epsilon   float64
	mechanism accounting.Event // NonPrivate without a finite ε
	count     float64          // number of its runs
}

func (q question) inTwoSteps() (accounting.Guarantee, error) {
	different := distinct(q.event)
	if len(different) > fewSelections {
		return accounting.NoGuarantee(), fmt.Errorf("auto: %d different selections: must be at most %d to be priced one by one: %w", len(different), fewSelections, accounting.ErrUnsupportedEvent)
	}
	count := 0.0
	for inner, runs := range q.event.Runs() {
		if selects(inner) {
			count += runs
		}
	}
	if count > manySelections {
		return accounting.NoGuarantee(), fmt.Errorf("auto: %g selections: must be at most %d for a share of δ each: %w", count, manySelections, accounting.ErrUnsupportedEvent)
	}
	share := q.delta / 2 / count
	steps := make([]step, len(different))
	for i, inner := range different {
		price, err := q.a.price(inner, share)
		if err != nil {
			return accounting.NoGuarantee(), err
		}
		epsilon := price.Guarantee.Epsilon.Upper
		steps[i] = step{event: inner.Event, epsilon: epsilon, mechanism: accounting.ApproxDP{Epsilon: epsilon, Delta: share}}
		if math.IsInf(epsilon, 1) {
			steps[i].mechanism = accounting.NonPrivate{}
		}
	}
	for inner, runs := range q.event.Runs() {
		if i := slices.IndexFunc(steps, func(s step) bool { return equalTo(inner.Event)(s.event) }); i >= 0 {
			steps[i].count += runs
		}
	}
	second, _ := replaced(q.event, steps)
	g, err := q.a.one().EpsilonAt(second.Event, q.delta)
	if errors.Is(err, intersected.ErrContradiction) {
		return accounting.NoGuarantee(), err
	}
	added, addedErr := q.added(steps)
	if addedErr == nil && (err != nil || added.Epsilon.Upper < g.Epsilon.Upper) {
		g, err = added, nil
	}
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g = certificate.Given(g, fmt.Sprintf("the price of each selection at δ = %.3g", share))
	g.Epsilon = accounting.UpperBound(g.Epsilon.Upper)
	g.Method = fmt.Sprintf("each selection as an (ε, δ)-private mechanism at δ = %.3g; %s", share, g.Method)
	return g, nil
}

// added adds the ε of all selections to that of the other events at half of δ.
func (q question) added(steps []step) (accounting.Guarantee, error) {
	sum := 0.0
	for _, s := range steps {
		sum += s.epsilon * s.count
	}
	g := accounting.Guarantee{Delta: q.delta, Neighboring: q.a.Neighboring(), Method: "added"}
	if rest, ok := replaced(q.event, nil); ok {
		others, err := q.a.one().EpsilonAt(rest.Event, q.delta/2)
		if err != nil {
			return accounting.NoGuarantee(), err
		}
		sum += others.Epsilon.Upper
		g.Method = "added to the others at half of δ: " + others.Method
		g.Warnings = others.Warnings
	}
	g.Epsilon = accounting.UpperBound(sum * (1 + 1e-12))
	return g, nil
}

// replaced returns the composition with each selection replaced by the mechanism of its step.
// Selections without a step are dropped. ok is false if nothing is left.
func replaced(event accounting.Node, steps []step) (left accounting.Node, ok bool) {
	if event.Shape != accounting.Repetition && event.Shape != accounting.Sequence {
		if !selects(event) {
			return event, true
		}
		i := slices.IndexFunc(steps, func(s step) bool { return equalTo(event.Event)(s.event) })
		if i < 0 {
			return accounting.Node{}, false
		}
		return accounting.Node{Event: steps[i].mechanism, Count: 1}, true
	}
	var children []accounting.Node
	for _, inner := range event.Children {
		if inner, ok := replaced(inner, steps); ok {
			children = append(children, inner)
		}
	}
	if len(children) == 0 {
		return accounting.Node{}, false
	}
	return event.With(children...), true
}

// distinct lists the different selections of a composition, at most one more than fewSelections.
func distinct(event accounting.Node) []accounting.Node {
	var all []accounting.Node
	for inner := range event.Runs() {
		known := slices.ContainsFunc(all, func(n accounting.Node) bool { return equalTo(inner.Event)(n.Event) })
		if selects(inner) && !known && len(all) <= fewSelections {
			all = append(all, inner)
		}
	}
	return all
}
