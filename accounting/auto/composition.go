package auto

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// fewSelections is the largest number of different selections in a composition that are priced one
// by one. Each takes up to a second.
const fewSelections = 16

// composed reports whether the event is a composition or a sample with selections. A search by
// threshold tests next to other events has its own bounds and is excluded.
func (q question) composed() bool {
	switch q.Node().Shape {
	case accounting.Sequence, accounting.Repetition, accounting.PoissonSample:
		return selects(q.Node()) && !besideTests{}.knows(q)
	}
	return false
}

// renyiCurves prices by the Rényi curve of the whole.
type renyiCurves struct{}

func (renyiCurves) knows(q question) bool { return q.composed() }

func (renyiCurves) price(q question) (accounting.Price, error) {
	a := q.a
	if len(selections(q.Node(), nil)) > fewSelections {
		a.Accountants = []accounting.Accountant{rdp.NewAccountant()}
	}
	curve, err := a.CurveTo(q.Question)
	if err != nil {
		return accounting.NoPrice(), err
	}
	g, err := rdp.NewAccountant().EpsilonOf(curve, q.delta)
	return priced("RDP", "sum of the Rényi curves of all events", g, err)
}

// CurveOf returns the Rényi curve, in nats, of event under the accountant's relation. It knows all
// events of [rdp.Accountant]. Under AddOrRemoveOne it knows all selections, and events made of
// these by composition, Parallel, WorstCase and Poisson sampling.
func (a Accountant) CurveOf(event accounting.Event) (rdp.Curve, error) {
	q, err := ask.Asked(a, event)
	if err != nil {
		return nil, err
	}
	return a.CurveTo(q)
}

// CurveTo is CurveOf for a question.
func (a Accountant) CurveTo(q ask.Question) (rdp.Curve, error) {
	if !selects(q.Node()) {
		return rdp.CurveTo(q)
	}
	if q.Relation() != accounting.AddOrRemoveOne {
		return nil, accounting.RelationError("auto", q.Event(), q.Relation(), accounting.AddOrRemoveOne)
	}
	if s, ok := a.selected(q.Event()); ok {
		return s.curve()
	}
	event, parts := q.Node(), q.Parts()
	curves := make([]rdp.Curve, len(parts))
	for i, part := range parts {
		curve, err := a.CurveTo(part)
		if err != nil {
			return nil, err
		}
		curves[i] = curve
	}
	switch event.Shape {
	case accounting.Repetition:
		return rdp.Scale(curves[0], event.Count), nil
	case accounting.Sequence:
		return rdp.Sum(curves...), nil
	case accounting.PoissonSample:
		return rdp.PoissonAmplified(rdp.Memoized(curves[0]), event.Rate)
	case accounting.Either:
		return rdp.Max(curves...), nil
	}
	return nil, fmt.Errorf("auto: Rényi curve of %v: %w", event.Event, accounting.ErrUnsupportedEvent)
}

// samplingLemma prices a Poisson sample by the price of its inner event.
type samplingLemma struct{}

func (samplingLemma) knows(q question) bool {
	return q.Node().Shape == accounting.PoissonSample && q.composed()
}

func (samplingLemma) price(q question) (accounting.Price, error) {
	g, err := intersected.SampledEpsilonTo(q.Question, q.delta, func(inner ask.Question, delta float64) (accounting.Guarantee, error) {
		price, err := q.a.price(inner, delta)
		return price.Guarantee, err
	})
	return priced(intersected.SamplingLemma, intersected.SamplingTheorem, g, err)
}

// dominatingPairs prices a composition with each selection replaced by a pair of laws that
// dominates it, also inside a sample, a Parallel or a WorstCase.
type dominatingPairs struct{}

func (dominatingPairs) knows(q question) bool {
	return q.Node().Shape != accounting.PoissonSample && q.composed()
}

func (dominatingPairs) price(q question) (accounting.Price, error) {
	if len(selections(q.Node(), nil)) > fewSelections {
		return accounting.NoPrice(), fmt.Errorf("auto: more than %d different selections: must be fewer to be priced one by one: %w", fewSelections, accounting.ErrUnsupportedEvent)
	}
	p := pairing{a: q.a}
	paired, err := p.event(q.Node(), q.delta)
	if err != nil {
		return accounting.NoPrice(), err
	}
	g, err := q.a.one().EpsilonTo(q.Part(paired), q.delta)
	if err != nil {
		return accounting.NoPrice(), err
	}
	g = p.proven(q, g)
	g.Epsilon = accounting.UpperBound(g.Epsilon.Upper)
	g.Method = "each selection as a pair of laws that dominates it; " + g.Method
	return priced(intersected.DominatingPairs, "each selection as a pair of laws that dominates it (DominatingPair of selection, adaptive, firstabove, subsample and threshold), and composition", g, nil)
}

// added prices the events of a composition one by one, each at an equal share of δ, and adds their
// ε. It is the least where nearly all parts are pure. A grid is above that by its width.
type added struct{}

func (added) knows(q question) bool { return q.Node().Shape == accounting.Sequence && q.composed() }

func (added) price(q question) (accounting.Price, error) {
	parts, sum := steps(q.Node()), 0.0
	var shown []*accounting.Certificate
	if len(parts) > fewSelections {
		return accounting.NoPrice(), fmt.Errorf("auto: %d events: must be at most %d to be priced one by one: %w", len(parts), fewSelections, accounting.ErrUnsupportedEvent)
	}
	share := q.delta / float64(len(parts)) * (1 - 1e-12)
	for _, part := range parts {
		p, err := q.a.price(q.Part(part), share)
		if err != nil {
			return accounting.NoPrice(), err
		}
		sum += p.Guarantee.Epsilon.Upper
		shown = append(shown, p.Guarantee.Certificate)
	}
	return priced("added", "basic composition", attach.Of(accounting.Guarantee{
		Epsilon: accounting.UpperBound(sum * (1 + 1e-12)), Delta: q.delta, Neighboring: q.a.Neighboring(),
		Method: fmt.Sprintf("the ε of %d events at δ = %.3g, added", len(parts), share),
	}, attach.Sum(shown)), nil)
}

// pairing replaces selections by pairs. The pair of equal selections is computed once.
type pairing struct {
	a     Accountant
	known []accounting.Event
	pairs []shownPair
}

// proven returns the guarantee with a proof, if that shows its ε raised by a little. Otherwise its
// certificate takes the pairs as given.
func (p *pairing) proven(q question, g accounting.Guarantee) accounting.Guarantee {
	if c := g.Certificate; c != nil && c.Proof != nil && c.Proof.Rule == certificate.RulePairs {
		proof := certificate.Proof(gridlaw.Rule, c.Proof.Witness, p.shown(q.Node())...)
		if shown, ok := settle.Proven(g, proof, baserun.ShowsOf(q.Event(), q.Relation())); ok {
			return shown
		}
	}
	return attach.Given(g, "that each pair of laws dominates its selection")
}

// shown returns what shows each selection of an event, in its order.
func (p *pairing) shown(event accounting.Node) (all []*accounting.Proof) {
	if !selects(event) {
		return nil
	}
	if event.Shape == accounting.Mechanism {
		at := slices.IndexFunc(p.known, equalTo(event.Event))
		if at < 0 || p.pairs[at].shown == nil {
			return []*accounting.Proof{nil}
		}
		return []*accounting.Proof{p.pairs[at].shown()}
	}
	for _, inner := range event.Children {
		all = append(all, p.shown(inner)...)
	}
	return all
}

// event returns an event without selections that dominates event. delta is that of the question,
// divided by the number of runs of the event and by the chance that a record joins it.
func (p *pairing) event(event accounting.Node, delta float64) (accounting.Node, error) {
	if !selects(event) {
		return event, nil
	}
	switch event.Shape {
	case accounting.Mechanism:
		pair, err := p.pair(event.Event, delta)
		if errors.Is(err, pld.ErrNoProfile) { // no δ below 1 is known
			return accounting.Node{Event: accounting.NonPrivate{}, Count: 1}, nil
		}
		return accounting.Node{Event: pair, Count: 1}, err
	case accounting.Repetition:
		delta /= float64(event.Count)
	case accounting.PoissonSample:
		delta = math.Min(0.5, delta/event.Rate)
	}
	children := make([]accounting.Node, len(event.Children))
	for i, inner := range event.Children {
		paired, err := p.event(inner, delta)
		if err != nil {
			return accounting.Node{}, err
		}
		children[i] = paired
	}
	return event.With(children...), nil
}

func (p *pairing) pair(event accounting.Event, delta float64) (pld.DiscretePair, error) {
	if i := slices.IndexFunc(p.known, equalTo(event)); i >= 0 {
		return p.pairs[i].DiscretePair, nil
	}
	s, _ := p.a.selected(event)
	pair, err := s.pair(delta)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	p.known, p.pairs = append(p.known, event), append(p.pairs, pair)
	return pair.DiscretePair, nil
}

// selections adds to all the different selections of event at any depth. It stops after one more
// than fewSelections.
func selections(event accounting.Node, all []accounting.Event) []accounting.Event {
	switch {
	case !selects(event) || len(all) > fewSelections:
		return all
	case event.Shape == accounting.Mechanism:
		if slices.ContainsFunc(all, equalTo(event.Event)) {
			return all
		}
		return append(all, event.Event)
	}
	for _, inner := range event.Children {
		all = selections(inner, all)
	}
	return all
}

func equalTo(event accounting.Event) func(accounting.Event) bool {
	return func(known accounting.Event) bool { return reflect.DeepEqual(known, event) }
}
