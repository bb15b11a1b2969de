package auto

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certified"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// composition prices a composition that holds selections, and what holds them on a sample. It asks
// Rényi curves, the sampling lemma, dominating pairs, and two steps. A search by threshold tests
// next to something else has its own bounds.
func (a Accountant) composition(event accounting.Event, delta float64) (accounting.Price, error) {
	if search, rest, ok := besideThreshold(event); ok {
		return a.threshold(search, rest, delta)
	}
	var price accounting.Price
	var errs []error
	consider := func(name, theorem string, g accounting.Guarantee, err error) {
		if err != nil {
			errs = append(errs, err)
			return
		}
		if len(price.Bounds) == 0 || g.Epsilon.Upper < price.Guarantee.Epsilon.Upper {
			price.Guarantee = g
		}
		price.Bounds = append(price.Bounds, accounting.Bound{Name: name, Theorem: theorem, Method: g.Method, Epsilon: g.Epsilon.Upper, Warnings: g.Warnings})
	}
	g, err := a.byCurves(event, delta)
	consider("RDP", "sum of the Rényi curves of all events", g, err)
	if sample, ok := event.(accounting.PoissonSampled); ok {
		g, err = certified.SampledEpsilonAt(sample, delta, a.upperAt)
		consider(certified.SamplingLemma, certified.SamplingTheorem, g, err)
	}
	if _, _, composed := composes(event); composed {
		g, err = a.byPairs(event, delta)
		consider(certified.DominatingPairs, "each selection as a pair of laws that dominates it (DominatingPair of selection, firstabove and subsample), and composition", g, err)
		g, err = a.inTwoSteps(event, delta)
		consider("two steps", "each selection as an (ε, δ)-private mechanism, and composition", g, err)
	}
	// Accountants that contradict each other leave no bound to be believed, those by others
	// neither.
	if err := errors.Join(errs...); len(price.Bounds) == 0 || errors.Is(err, certified.ErrContradiction) {
		return accounting.NoPrice(), fmt.Errorf("auto: %w", err)
	}
	accounting.LeastFirst(price.Bounds)
	return price, nil
}

// besideThreshold takes a composition of one search by threshold tests and other events, none of
// them a selection, apart. The order of a composition does not count.
func besideThreshold(event accounting.Event) (search threshold.Search, rest accounting.Event, ok bool) {
	var others []accounting.Event
	for _, inner := range flat(event) {
		if s, is := inner.(threshold.Search); is && !ok {
			search, ok = s, true
		} else if selection.Selects(inner) {
			return search, nil, false
		} else {
			others = append(others, inner)
		}
	}
	return search, unwrapped(accounting.Composed{Events: others}), ok
}

// flat lists the events of a composition in compositions.
func flat(event accounting.Event) []accounting.Event {
	event = unwrapped(event)
	e, ok := event.(accounting.Composed)
	if !ok {
		return []accounting.Event{event}
	}
	var all []accounting.Event
	for _, inner := range e.Events {
		all = append(all, flat(inner)...)
	}
	return all
}

// byCurves converts the Rényi curve of the whole.
func (a Accountant) byCurves(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	accountants := a.OfOneRun()
	if len(distinct(event)) > fewSelections {
		accountants = []accounting.Accountant{rdp.NewAccountant()}
	}
	curve, err := selection.CurveOf(event, accountants...)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	return rdp.NewAccountant().EpsilonOf(curve, delta)
}

// upperAt prices what is sampled.
func (a Accountant) upperAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	price, err := a.price(unwrapped(event), delta)
	return price.Guarantee, err
}

// byPairs asks about a composition in which each selection is replaced by a pair of laws that
// dominates it, wherever it stands: on a sample, or in a Parallel or a WorstCase too. All of them
// must be events of package selection itself, of firstabove or of subsample.
func (a Accountant) byPairs(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	p := pairing{a: a}
	paired, err := p.event(event, delta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g, err := a.one().EpsilonAt(paired, delta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g.Epsilon = accounting.UpperBound(g.Epsilon.Upper)
	g.Method = "each selection as a pair of laws that dominates it; " + g.Method
	return g, nil
}

// pairing puts pairs in place of selections; equal ones are made once.
type pairing struct {
	a     Accountant
	known []accounting.Event
	pairs []pld.DiscretePair
}

// event returns an event without selections that dominates event. delta is that of the question,
// divided by how often it runs and by the chance that a record joins it.
func (p *pairing) event(event accounting.Event, delta float64) (accounting.Event, error) {
	if !selection.Selects(event) {
		return event, nil
	}
	switch e := event.(type) {
	case accounting.SelfComposed:
		inner, err := p.event(e.Event, delta/float64(e.Count))
		return accounting.SelfComposed{Event: inner, Count: e.Count}, err
	case accounting.PoissonSampled:
		inner, err := p.event(e.Event, math.Min(0.5, delta/e.SamplingRate))
		return accounting.PoissonSampled{SamplingRate: e.SamplingRate, Event: inner}, err
	case accounting.Composed:
		events, err := p.all(e.Events, delta)
		return accounting.Composed{Events: events}, err
	case accounting.Parallel:
		events, err := p.all(e.Events, delta)
		return accounting.Parallel{Events: events}, err
	case accounting.WorstCase:
		events, err := p.all(e.Events, delta)
		return accounting.WorstCase{Events: events}, err
	}
	return p.pair(event, delta)
}

func (p *pairing) all(events []accounting.Event, delta float64) ([]accounting.Event, error) {
	out := make([]accounting.Event, len(events))
	for i, e := range events {
		paired, err := p.event(e, delta)
		if err != nil {
			return nil, err
		}
		out[i] = paired
	}
	return out, nil
}

func (p *pairing) pair(event accounting.Event, delta float64) (pld.DiscretePair, error) {
	if i := slices.IndexFunc(p.known, func(known accounting.Event) bool { return reflect.DeepEqual(known, event) }); i >= 0 {
		return p.pairs[i], nil
	}
	if len(p.known) == fewSelections {
		return pld.DiscretePair{}, fmt.Errorf("auto: more than %d different selections: must be fewer to be priced one by one: %w", fewSelections, accounting.ErrUnsupportedEvent)
	}
	pair, err := p.a.pairOf(event, delta)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	p.known, p.pairs = append(p.known, event), append(p.pairs, pair)
	return pair, nil
}

// pairOf returns a pair of laws that dominates a selection.
func (a Accountant) pairOf(event accounting.Event, delta float64) (pld.DiscretePair, error) {
	switch e := event.(type) {
	case selection.Event:
		return selection.DominatingPair(e, delta, a.OfOneRun()...)
	case firstabove.Search:
		return firstabove.DominatingPair(e, delta, a.OfOneRun()...)
	case subsample.TuneThenTrain:
		return subsample.DominatingPair(e, delta, a.OfOneRun()...)
	}
	return pld.DiscretePair{}, fmt.Errorf("auto: a pair of laws for %v: %w", event, accounting.ErrUnsupportedEvent)
}

const (
	// fewSelections is how many different selections of a composition are priced one by one, up
	// to a second each.
	fewSelections = 16
	// manySelections is how many there may be in all, repeated ones too, for a share of δ each.
	manySelections = 1000
)

// inTwoSteps shares half of δ out among the selections, and prices each at its share. Then that ε
// and δ are all that counts of a selection. The composition of such mechanisms with the others is
// one bound. The sum of their ε, added to that of the others at the other half of δ, is another,
// which a grid may miss by its width. A selection may be an event of package selection, or a
// Parallel or WorstCase that holds one.
func (a Accountant) inTwoSteps(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	different := distinct(event)
	if len(different) > fewSelections {
		return accounting.NoGuarantee(), fmt.Errorf("auto: %d different selections: must be at most %d to be priced one by one: %w", len(different), fewSelections, accounting.ErrUnsupportedEvent)
	}
	count := selections(event)
	if count > manySelections {
		return accounting.NoGuarantee(), fmt.Errorf("auto: %g selections: must be at most %d for a share of δ each: %w", count, manySelections, accounting.ErrUnsupportedEvent)
	}
	share := delta / 2 / count
	prices := make([]accounting.Event, len(different))
	for i, inner := range different {
		price, err := a.price(inner, share)
		if err != nil {
			return accounting.NoGuarantee(), err
		}
		mechanism := accounting.ApproxDP{Epsilon: price.Guarantee.Epsilon.Upper, Delta: share}
		if err := mechanism.Validate(); err != nil {
			return accounting.NoGuarantee(), fmt.Errorf("auto: %v at δ = %.3g: %w", inner, share, err)
		}
		prices[i] = mechanism
	}
	g, err := a.one().EpsilonAt(replaced(event, different, prices), delta)
	added, addedErr := a.added(event, different, prices, delta)
	if addedErr == nil && (err != nil || added.Epsilon.Upper < g.Epsilon.Upper) {
		g, err = added, nil
	}
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g.Epsilon = accounting.UpperBound(g.Epsilon.Upper)
	g.Method = fmt.Sprintf("each selection as an (ε, δ)-private mechanism at δ = %.3g; %s", share, g.Method)
	return g, nil
}

// added adds the ε of all selections to that of the other events at half of delta.
func (a Accountant) added(event accounting.Event, different, prices []accounting.Event, delta float64) (accounting.Guarantee, error) {
	sum := 0.0
	for i, s := range different {
		sum += prices[i].(accounting.ApproxDP).Epsilon * occurrences(event, s)
	}
	g := accounting.Guarantee{Delta: delta, Neighboring: a.Neighboring(), Method: "added"}
	if rest := without(event); rest != nil {
		others, err := a.one().EpsilonAt(rest, delta/2)
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

// composes reports whether an event is a composition, and what runs in it.
func composes(event accounting.Event) (inner []accounting.Event, count int, ok bool) {
	switch event.(type) {
	case accounting.Composed, accounting.SelfComposed:
		inner, count = selection.Within(event)
		return inner, count, true
	}
	return nil, 0, false
}

// distinct lists the different selections of a composition.
func distinct(event accounting.Event) []accounting.Event {
	inner, _, ok := composes(event)
	if !ok {
		if selection.Selects(event) {
			return []accounting.Event{event}
		}
		return nil
	}
	var all []accounting.Event
	for _, e := range inner {
		for _, s := range distinct(e) {
			if len(all) <= fewSelections && !slices.ContainsFunc(all, func(known accounting.Event) bool { return reflect.DeepEqual(known, s) }) {
				all = append(all, s)
			}
		}
	}
	return all
}

// selections counts the selections of a composition.
func selections(event accounting.Event) float64 {
	return counted(event, selection.Selects)
}

// occurrences counts how often one event runs in a composition.
func occurrences(event, which accounting.Event) float64 {
	return counted(event, func(e accounting.Event) bool { return reflect.DeepEqual(e, which) })
}

func counted(event accounting.Event, counts func(accounting.Event) bool) float64 {
	inner, count, ok := composes(event)
	if !ok {
		if counts(event) {
			return 1
		}
		return 0
	}
	sum := 0.0
	for _, e := range inner {
		sum += counted(e, counts)
	}
	return sum * float64(count)
}

// without returns a composition without its selections; nil if nothing is left.
func without(event accounting.Event) accounting.Event {
	switch e := event.(type) {
	case accounting.SelfComposed:
		if inner := without(e.Event); inner != nil {
			return accounting.SelfComposed{Event: inner, Count: e.Count}
		}
		return nil
	case accounting.Composed:
		var left []accounting.Event
		for _, inner := range e.Events {
			if inner = without(inner); inner != nil {
				left = append(left, inner)
			}
		}
		if len(left) == 0 {
			return nil
		}
		return accounting.Composed{Events: left}
	}
	if selection.Selects(event) {
		return nil
	}
	return event
}

// replaced returns the composition with each selection as the mechanism of its place in the list.
func replaced(event accounting.Event, different, mechanisms []accounting.Event) accounting.Event {
	switch e := event.(type) {
	case accounting.SelfComposed:
		return accounting.SelfComposed{Event: replaced(e.Event, different, mechanisms), Count: e.Count}
	case accounting.Composed:
		out := accounting.Composed{Events: make([]accounting.Event, len(e.Events))}
		for i, inner := range e.Events {
			out.Events[i] = replaced(inner, different, mechanisms)
		}
		return out
	}
	if i := slices.IndexFunc(different, func(known accounting.Event) bool { return reflect.DeepEqual(known, event) }); i >= 0 {
		return mechanisms[i]
	}
	return event
}
