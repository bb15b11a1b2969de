package selection

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
)

// split prices a composition that contains an Event in two steps: half of δ is shared out
// among the tunings, each is priced at its share, and a composition in which they are
// replaced by mechanisms of which that is all that is known is asked at δ. known is false if
// there is no Event in it, too many, or none of the accountants composes the rest.
func (a Accountant) split(event accounting.Event, delta float64) (least accounting.Guarantee, known bool) {
	count := tunings(event)
	if count == 0 || count > 1000 {
		return least, false
	}
	share := delta / 2 / count
	replaced, err := a.replaced(event, share)
	if err != nil {
		return least, false
	}
	for _, accountant := range a.Accountants {
		g, err := accountant.EpsilonAt(replaced, delta)
		if err != nil || known && !(g.Epsilon.Upper < least.Epsilon.Upper) {
			continue
		}
		least, known = g, true
	}
	least.Epsilon = accounting.UpperBound(least.Epsilon.Upper)
	least.Method = fmt.Sprintf("each tuning as an (ε, δ)-private mechanism at δ = %.3g; %s", share, least.Method)
	return least, known
}

// tunings counts the Events in a composition.
func tunings(event accounting.Event) float64 {
	switch e := event.(type) {
	case Event:
		return 1
	case accounting.SelfComposed:
		return tunings(e.Event) * float64(e.Count)
	case accounting.Composed:
		sum := 0.0
		for _, inner := range e.Events {
			sum += tunings(inner)
		}
		return sum
	}
	return 0
}

// replaced returns the event with each Event as what its price at share is.
func (a Accountant) replaced(event accounting.Event, share float64) (accounting.Event, error) {
	switch e := event.(type) {
	case Event:
		price, err := EventAt(e, share, a.Accountants...)
		if err != nil {
			return nil, err
		}
		out := accounting.ApproxDP{Epsilon: price.Guarantee.Epsilon.Upper, Delta: share}
		return out, out.Validate()
	case accounting.SelfComposed:
		inner, err := a.replaced(e.Event, share)
		return accounting.SelfComposed{Event: inner, Count: e.Count}, err
	case accounting.Composed:
		out := accounting.Composed{}
		for _, inner := range e.Events {
			r, err := a.replaced(inner, share)
			if err != nil {
				return nil, err
			}
			out.Events = append(out.Events, r)
		}
		return out, nil
	}
	return event, nil
}
