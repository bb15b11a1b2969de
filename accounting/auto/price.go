package auto

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/intersected"
)

// PriceAt returns the price of event at delta in (0, 1), with every bound that was computed.
func (a Accountant) PriceAt(event accounting.Event, delta float64) (accounting.Price, error) {
	q, err := a.asked(event, accounting.ValidateDelta(delta))
	if err != nil {
		return accounting.NoPrice(), err
	}
	if quick, ok := a.quick(q, delta); ok {
		return quick, nil
	}
	price, err := a.price(q, delta)
	if err == nil {
		price, err = a.withShuffled(q, price)
	}
	return price, err
}

// asked returns the question about event, or an error if it has no price or takes too long.
func (a Accountant) asked(event accounting.Event, argument error) (ask.Question, error) {
	q, err := ask.Asked(a, event, argument)
	if err != nil {
		return q, err
	}
	if a.Neighboring() != accounting.AddOrRemoveOne && selects(q.Node()) {
		return q, accounting.RelationError("auto", event, a.Neighboring(), accounting.AddOrRemoveOne)
	}
	return q, a.checkWork(q.Node())
}

// question is that about ε at one δ.
type question struct {
	ask.Question
	a     Accountant
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
func (a Accountant) price(asked ask.Question, delta float64) (accounting.Price, error) {
	q, whole := question{asked, a, delta}, accounting.NoPrice()
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
		if lower && !attach.Replaces(whole.Guarantee, p.Guarantee) || attach.Replaces(p.Guarantee, whole.Guarantee) {
			whole.Guarantee = p.Guarantee
		}
		whole.Bounds = append(whole.Bounds, p.Bounds...)
	}
	switch err := errors.Join(errs...); {
	case errors.Is(err, intersected.ErrContradiction) || len(whole.Bounds) == 0 && err != nil:
		return accounting.NoPrice(), check.Errorf("auto: %w", err)
	case len(whole.Bounds) == 0:
		return accounting.NoPrice(), fmt.Errorf("auto: %v: %w", q.Event(), accounting.ErrUnsupportedEvent)
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

func (certifiedParts) knows(q question) bool { return !selects(q.Node()) }

func (certifiedParts) price(q question) (accounting.Price, error) {
	g, answers, err := q.a.one().Ask(q.Question, q.delta)
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

func (oneOf) knows(q question) bool { return q.Node().Shape == accounting.Either && selects(q.Node()) }

func (oneOf) price(q question) (accounting.Price, error) {
	worst := accounting.NoPrice()
	var certificates []*accounting.Certificate
	for i, event := range q.Parts() {
		p, err := q.a.price(event, q.delta)
		if err != nil {
			return accounting.NoPrice(), err
		}
		if certificates = append(certificates, p.Guarantee.Certificate); i == 0 || p.Guarantee.Epsilon.Upper > worst.Guarantee.Epsilon.Upper {
			worst = p
		}
	}
	worst.Guarantee.Certificate = attach.Largest(certificates...)
	worst.Guarantee.Epsilon = accounting.UpperBound(worst.Guarantee.Epsilon.Upper)
	return worst, nil
}
