package auto

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// selected is a selection with the functions of its package.
type selected interface {
	price(delta float64) (accounting.Price, error)
	curve() (rdp.Curve, error)
	// pair returns a pair of laws that dominates it, finest at delta.
	pair(delta float64) (pld.DiscretePair, error)
}

// selected returns event as a selection, if it is one. This is the only list of all selections. It
// compares exact types, so an event of another module never counts as one, even with the same
// methods or one of these events inside.
func (a Accountant) selected(event accounting.Event) (selected, bool) {
	switch e := event.(type) {
	case selection.BestOf:
		return bestOf{a, e}, true
	case firstabove.Event:
		return firstAbove{a, e}, true
	case subsample.Event:
		return tuneThenTrain{a, e}, true
	case threshold.Event:
		return tests{a, e}, true
	}
	return nil, false
}

// HasSelection reports whether event is a selection or is made of selections. Selections are the
// best of K runs, the first above a threshold, a tuning on a sample, and a search by threshold
// tests. An invalid event has none.
func HasSelection(event accounting.Event) bool {
	node, err := accounting.Flatten(event)
	return err == nil && selects(node)
}

// selects is HasSelection of a node. Events that a mechanism holds do not count.
func selects(event accounting.Node) bool {
	if event.Shape == accounting.Mechanism {
		_, ok := Accountant{}.selected(event.Event)
		return ok
	}
	for _, child := range event.Children {
		if selects(child) {
			return true
		}
	}
	return false
}

// oneSelection prices a selection by all bounds of its package.
type oneSelection struct{}

func (oneSelection) knows(q question) bool {
	_, ok := q.a.selected(q.event.Event)
	return ok
}

func (oneSelection) price(q question) (accounting.Price, error) {
	s, _ := q.a.selected(q.event.Event)
	return s.price(q.delta)
}

type bestOf struct {
	a     Accountant
	event selection.BestOf
}

func (s bestOf) price(delta float64) (accounting.Price, error) {
	return selection.EventAt(s.event, delta, s.a)
}
func (s bestOf) curve() (rdp.Curve, error) { return selection.CurveOf(s.event, s.a) }
func (s bestOf) pair(delta float64) (pld.DiscretePair, error) {
	return selection.DominatingPair(s.event, delta, s.a)
}

type firstAbove struct {
	a     Accountant
	event firstabove.Event
}

func (s firstAbove) price(delta float64) (accounting.Price, error) {
	return firstabove.PriceAt(s.event, delta, s.a)
}
func (s firstAbove) curve() (rdp.Curve, error) { return firstabove.CurveOf(s.event, s.a) }
func (s firstAbove) pair(delta float64) (pld.DiscretePair, error) {
	return firstabove.DominatingPair(s.event, delta, s.a)
}

type tuneThenTrain struct {
	a     Accountant
	event subsample.Event
}

func (s tuneThenTrain) price(delta float64) (accounting.Price, error) {
	return subsample.PriceAt(s.event, delta, s.a)
}
func (s tuneThenTrain) curve() (rdp.Curve, error) { return subsample.CurveOf(s.event, s.a) }
func (s tuneThenTrain) pair(delta float64) (pld.DiscretePair, error) {
	return subsample.DominatingPair(s.event, delta, s.a)
}

type tests struct {
	a     Accountant
	event threshold.Event
}

func (s tests) price(delta float64) (accounting.Price, error) {
	return threshold.PriceAt(s.event, nil, delta, s.a)
}
func (s tests) curve() (rdp.Curve, error) { return s.event.Curve(), nil }
func (s tests) pair(float64) (pld.DiscretePair, error) {
	return pld.DiscretePair{}, fmt.Errorf("auto: a pair of laws for %v: %w", s.event, accounting.ErrUnsupportedEvent)
}

// besideTests prices one search by threshold tests together with other events that have no
// selection.
type besideTests struct{}

func (besideTests) knows(q question) bool {
	_, _, ok := splitTests(q.event)
	return ok
}

func (besideTests) price(q question) (accounting.Price, error) {
	search, rest, _ := splitTests(q.event)
	return threshold.PriceAt(search, rest.Event, q.delta, q.a)
}

// splitTests takes such a composition apart. Its order does not matter.
func splitTests(event accounting.Node) (search threshold.Event, rest accounting.Node, ok bool) {
	if event.Shape != accounting.Sequence {
		return search, rest, false
	}
	var others []accounting.Node
	for _, inner := range steps(event) {
		if s, is := inner.Event.(threshold.Event); is && !ok {
			search, ok = s, true
		} else if selects(inner) {
			return search, rest, false
		} else {
			others = append(others, inner)
		}
	}
	return search, event.With(others...), ok
}

// steps lists the events of nested compositions, in their order.
func steps(event accounting.Node) []accounting.Node {
	if event.Shape != accounting.Sequence {
		return []accounting.Node{event}
	}
	var all []accounting.Node
	for _, inner := range event.Children {
		all = append(all, steps(inner)...)
	}
	return all
}
