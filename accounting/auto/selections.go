package auto

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	checks "github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// selected is a selection with the functions of its package.
type selected struct {
	price func(delta float64) (accounting.Price, error)
	curve func() (rdp.Curve, error)
	pair  func(delta float64) (shownPair, error) // dominates it, finest at delta
}

// shownPair is a pair of laws. shown returns what shows values of a profile that the pair is above,
// or nil, and may be nil itself.
type shownPair struct {
	pld.DiscretePair
	shown selection.Shown
}

// selected returns event as a selection, if it is one. This is the only list of all selections. It
// compares exact types, so an event of another module never counts as one, even with the same
// methods or one of these events inside.
func (a Accountant) selected(event accounting.Event) (selected, bool) {
	switch e := event.(type) {
	case selection.BestOf:
		return selectedBy(a, e, selection.EventAt, selection.CurveOf, selection.ShownPair), true
	case firstabove.Event:
		// The least profile of a search takes too long to show at every ε.
		return selectedBy(a, e, firstabove.PriceAt, firstabove.CurveOf, unshown(firstabove.DominatingPair)), true
	case adaptive.Event:
		return selectedBy(a, e, adaptive.PriceAt, adaptive.CurveOf, unshown(adaptive.DominatingPair)), true
	case subsample.Event:
		return selectedBy(a, e, subsample.PriceAt, subsample.CurveOf, subsample.ShownPair), true
	case threshold.Event:
		return selected{
			price: func(delta float64) (accounting.Price, error) { return threshold.PriceAt(e, nil, delta, a) },
			curve: func() (rdp.Curve, error) { return e.Curve(), nil },
			pair: func(delta float64) (shownPair, error) {
				pair, err := threshold.DominatingPair(e, delta)
				return shownPair{pair, func() *accounting.Proof {
					losses := certificate.Proof(checks.RuleSearch, checks.Witness{By: "losses"})
					return settle.Values(pair.With, pair.Without, losses)
				}}, err
			},
		}, true
	}
	return selected{}, false
}

// selectedBy returns the functions of a selection whose runs a prices.
func selectedBy[E any](
	a Accountant, event E,
	price func(E, float64, ...accounting.Accountant) (accounting.Price, error),
	curve func(E, ...accounting.Accountant) (rdp.Curve, error),
	pair func(E, float64, ...accounting.Accountant) (pld.DiscretePair, selection.Shown, error),
) selected {
	return selected{
		price: func(delta float64) (accounting.Price, error) { return price(event, delta, a) },
		curve: func() (rdp.Curve, error) { return curve(event, a) },
		pair: func(delta float64) (shownPair, error) {
			known, shown, err := pair(event, delta, a)
			return shownPair{known, shown}, err
		},
	}
}

// unshown returns a pair without what shows it.
func unshown[E any](pair func(E, float64, ...accounting.Accountant) (pld.DiscretePair, error)) func(E, float64, ...accounting.Accountant) (pld.DiscretePair, selection.Shown, error) {
	return func(event E, delta float64, by ...accounting.Accountant) (pld.DiscretePair, selection.Shown, error) {
		known, err := pair(event, delta, by...)
		return known, nil, err
	}
}

// HasSelection reports whether event is a selection or is made of selections. Selections are the
// best of K runs, with proposals or without, the first above a threshold, a tuning on a sample, and
// a search by threshold tests. An invalid event has none.
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
	_, ok := q.a.selected(q.Event())
	return ok
}

func (oneSelection) price(q question) (accounting.Price, error) {
	s, _ := q.a.selected(q.Event())
	return s.price(q.delta)
}

// besideTests prices one search by threshold tests together with other events that have no
// selection.
type besideTests struct{}

func (besideTests) knows(q question) bool {
	_, _, ok := splitTests(q.Node())
	return ok
}

func (besideTests) price(q question) (accounting.Price, error) {
	search, rest, _ := splitTests(q.Node())
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
