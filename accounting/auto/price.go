package auto

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/disjoint"
	"github.com/dplab/dplab/accounting/internal/intersected"
)

// PriceAt returns the price of event at delta in (0, 1), with every bound that was computed.
func (a Accountant) PriceAt(event accounting.Event, delta float64) (accounting.Price, error) {
	node, err := a.prepare(event)
	if err != nil {
		return accounting.NoPrice(), err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return accounting.NoPrice(), fmt.Errorf("auto: %w", err)
	}
	price, err := a.price(node, delta)
	if err == nil {
		price, err = a.withShuffled(event, price)
	}
	return price, err
}

// prepare validates an event and returns its simplest form. Gaussians take the place of shuffled
// batches: see withShuffled.
func (a Accountant) prepare(event accounting.Event) (accounting.Node, error) {
	node, err := accounting.Flatten(event)
	if err != nil {
		return accounting.Node{}, fmt.Errorf("auto: %w", err)
	}
	if err := node.CheckRelation("auto", a.Neighboring()); err != nil { // before a Parallel is simplified away
		return accounting.Node{}, err
	}
	if a.Neighboring() != accounting.AddOrRemoveOne && selects(node) {
		return accounting.Node{}, accounting.RelationError("auto", event, a.Neighboring(), accounting.AddOrRemoveOne)
	}
	if node, _, err = disjoint.Replace(node, a.Neighboring()); err != nil {
		return accounting.Node{}, fmt.Errorf("auto: %w", err)
	}
	node = intersected.Simplify(node.Lowered(a.Neighboring()))
	return node, a.checkWork(node)
}

// question is an event in its simplest form at one δ.
type question struct {
	a     Accountant
	event accounting.Node
	delta float64
}

// way prices some events by one method. Each bound of its price holds.
type way interface {
	knows(q question) bool
	price(q question) (accounting.Price, error)
}

// ways returns all ways, in the order in which they are tried.
func ways() []way {
	return []way{
		certifiedParts{}, choiceFirst{}, // no selection
		oneSelection{}, besideTests{}, oneOf{},
		renyiCurves{}, samplingLemma{}, dominatingPairs{}, added{}, // compositions and samples of selections
	}
}

// price tries every way that knows the event, and returns the least bound. A way that fails adds
// nothing. But if accountants contradict each other, no bound can be trusted, and price returns the
// error.
func (a Accountant) price(event accounting.Node, delta float64) (accounting.Price, error) {
	q, whole := question{a, event, delta}, accounting.NoPrice()
	var errs []error
	for _, w := range ways() {
		if !w.knows(q) {
			continue
		}
		p, err := w.price(q)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(whole.Bounds) == 0 {
			whole = p
			continue
		}
		lower := p.Guarantee.Epsilon.Upper < whole.Guarantee.Epsilon.Upper
		if lower && !certificate.Replaces(whole.Guarantee, p.Guarantee) || certificate.Replaces(p.Guarantee, whole.Guarantee) {
			whole.Guarantee = p.Guarantee
		}
		whole.Bounds = append(whole.Bounds, p.Bounds...)
	}
	switch err := errors.Join(errs...); {
	case errors.Is(err, intersected.ErrContradiction) || len(whole.Bounds) == 0 && err != nil:
		return accounting.NoPrice(), check.Errorf("auto: %w", err)
	case len(whole.Bounds) == 0:
		return accounting.NoPrice(), fmt.Errorf("auto: %v: %w", event.Event, accounting.ErrUnsupportedEvent)
	}
	accounting.LeastFirst(whole.Bounds)
	return whole, nil
}

// priced returns a price with one bound.
func priced(name, theorem string, g accounting.Guarantee, err error) (accounting.Price, error) {
	if err != nil {
		return accounting.NoPrice(), err
	}
	return accounting.Price{Guarantee: g, Bounds: []accounting.Bound{{
		Name: name, Theorem: theorem, Method: g.Method, Epsilon: g.Epsilon.Upper, Warnings: g.Warnings,
	}}}, nil
}

// certifiedParts prices an event without selections.
type certifiedParts struct{}

func (certifiedParts) knows(q question) bool { return !selects(q.event) }

func (certifiedParts) price(q question) (accounting.Price, error) {
	g, answers, err := q.a.one().Ask(q.event.Event, q.delta)
	if err != nil {
		return accounting.NoPrice(), err
	}
	price := accounting.Price{Guarantee: g}
	for _, answer := range answers {
		price.Bounds = append(price.Bounds, accounting.Bound{
			Name: answer.Name, Theorem: answer.Theorem, Method: answer.Guarantee.Method, Epsilon: answer.Guarantee.Epsilon.Upper,
			Published: answer.Name != intersected.DominatingPairs, Warnings: answer.Guarantee.Warnings,
		})
	}
	return price, nil
}

// oneOf prices a Parallel or a WorstCase with selections as the most expensive of its events. Its
// divergence is at most the largest of theirs at each ε.
type oneOf struct{}

func (oneOf) knows(q question) bool { return q.event.Shape == accounting.Either && selects(q.event) }

func (oneOf) price(q question) (accounting.Price, error) {
	worst := accounting.NoPrice()
	for i, event := range q.event.Children {
		p, err := q.a.price(event, q.delta)
		if err != nil {
			return accounting.NoPrice(), err
		}
		both := p.Guarantee.Certificate
		if i > 0 {
			both = certificate.Largest(worst.Guarantee.Certificate, both)
		}
		if i == 0 || p.Guarantee.Epsilon.Upper > worst.Guarantee.Epsilon.Upper {
			worst = p
		}
		worst.Guarantee.Certificate = both
	}
	worst.Guarantee.Epsilon = accounting.UpperBound(worst.Guarantee.Epsilon.Upper)
	return worst, nil
}
