package auto

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certified"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// PriceAt returns the price of event at delta in (0, 1), with every bound that was computed.
func (a Accountant) PriceAt(event accounting.Event, delta float64) (accounting.Price, error) {
	event, err := a.prepare(event)
	if err != nil {
		return accounting.NoPrice(), err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return accounting.NoPrice(), fmt.Errorf("auto: %w", err)
	}
	return a.price(event, delta)
}

// prepare validates an event and writes it in its simplest form.
func (a Accountant) prepare(event accounting.Event) (accounting.Event, error) {
	if event == nil {
		return nil, errors.New("auto: event is nil: must be an event")
	}
	if err := event.Validate(); err != nil {
		return nil, fmt.Errorf("auto: %w", err)
	}
	if err := accounting.CheckRelation("auto", event, a.Neighboring()); err != nil { // before a Parallel is simplified away
		return nil, err
	}
	event = unwrapped(certified.Simplify(event))
	if a.Neighboring() != accounting.AddOrRemoveOne && selection.Selects(event) {
		return nil, accounting.RelationError("auto", event, a.Neighboring(), accounting.AddOrRemoveOne)
	}
	return event, nil
}

// unwrapped takes off what changes nothing: a composition of one event, and a sample of all.
func unwrapped(event accounting.Event) accounting.Event {
	for {
		switch e := event.(type) {
		case accounting.PoissonSampled:
			if e.SamplingRate < 1 {
				return event
			}
		}
		inner, count := selection.Within(event)
		if len(inner) != 1 || count != 1 {
			return event
		}
		event = inner[0]
	}
}

// price is PriceAt of an event that is prepared.
func (a Accountant) price(event accounting.Event, delta float64) (accounting.Price, error) {
	if !selection.Selects(event) {
		return a.plain(event, delta)
	}
	switch e := event.(type) {
	case selection.Event:
		return selection.EventAt(e, delta, a.OfOneRun()...)
	case firstabove.Search:
		return firstabove.PriceAt(e, delta, a.OfOneRun()...)
	case subsample.TuneThenTrain:
		return subsample.PriceAt(e, delta, a.OfOneRun()...)
	case threshold.Search:
		return a.threshold(e, nil, delta)
	case accounting.Parallel:
		return a.dearest(e.Events, delta)
	case accounting.WorstCase:
		return a.dearest(e.Events, delta)
	}
	return a.composition(event, delta)
}

// plain prices an event in which nothing is selected.
func (a Accountant) plain(event accounting.Event, delta float64) (accounting.Price, error) {
	g, answers, err := a.one().Ask(event, delta)
	if err != nil {
		return accounting.NoPrice(), err
	}
	price := accounting.Price{Guarantee: g}
	for _, answer := range answers {
		price.Bounds = append(price.Bounds, accounting.Bound{
			Name: answer.Name, Theorem: answer.Theorem, Method: answer.Guarantee.Method, Epsilon: answer.Guarantee.Epsilon.Upper,
			Published: answer.Name != certified.DominatingPairs, Warnings: answer.Guarantee.Warnings,
		})
	}
	for _, b := range a.choiceBounds(event, delta) {
		if price.Bounds = append(price.Bounds, b); b.Epsilon < price.Guarantee.Epsilon.Upper {
			price.Guarantee.Epsilon, price.Guarantee.Method, price.Guarantee.Warnings = accounting.UpperBound(b.Epsilon), b.Method, b.Warnings
		}
	}
	accounting.LeastFirst(price.Bounds)
	return price, nil
}

// threshold prices a search by threshold tests, and what runs beside it if rest is not nil.
func (a Accountant) threshold(search threshold.Search, rest accounting.Event, delta float64) (accounting.Price, error) {
	return threshold.PriceAt(search, rest, delta, a.OfOneRun()...)
}

// dearest prices each event, and returns the price with the largest ε. The divergence of a
// Parallel or a WorstCase is at most the largest of its events' at each ε.
func (a Accountant) dearest(events []accounting.Event, delta float64) (accounting.Price, error) {
	var worst accounting.Price
	for i, event := range events {
		p, err := a.price(unwrapped(event), delta)
		if err != nil {
			return accounting.NoPrice(), err
		}
		if i == 0 || p.Guarantee.Epsilon.Upper > worst.Guarantee.Epsilon.Upper {
			worst = p
		}
	}
	worst.Guarantee.Epsilon = accounting.UpperBound(worst.Guarantee.Epsilon.Upper)
	return worst, nil
}
