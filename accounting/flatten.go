package accounting

import (
	"fmt"
	"iter"

	"github.com/dplab/dplab/accounting/check"
)

// Shape is how an event is made of others.
type Shape int

// The shapes of a Node.
const (
	Mechanism       Shape = iota // an event that is made of no others as far as this package knows
	PoissonSample                // Children[0] on a Poisson sample at Rate
	FixedSizeSample              // Children[0] on a sample of fixed size
	Repetition                   // Children[0], Count times
	Sequence                     // Children, one after the other
	Either                       // one of Children: a Parallel or a WorstCase
)

// Node is an event taken apart, in its simplest form: see [Flatten].
type Node struct {
	Event    Event   // what the node stands for, made of the Children's events
	Shape    Shape   // how it is made of Children
	Rate     float64 // q of a PoissonSample, in (0, 1); m/n of a FixedSizeSample, in (0, 1]
	Count    int     // of a Repetition, at least 2; 1 for all others
	Children []Node  // a Mechanism has those that it holds: see Holder
}

// Holder is an event that is made of others in a way that only its own package knows, such as a
// selection. A walk sees what it holds: what its parts sample, and which relation they need. An
// accountant that does not know the Holder itself does not price it by its parts.
type Holder interface {
	Event
	// Holds returns the events that this one runs, each once.
	Holds() []Event
}

const (
	// mostRuns is how often one mechanism may run in an event: far from the overflow of a float64.
	mostRuns = 1e300
	// mostHolders is how many Holders may hold each other: one that holds itself is an error.
	mostHolders = 10_000
)

// Flatten takes event apart, once for everybody who asks about its parts. The simplest form has
// the same laws:
//
//   - a Poisson sample of a Poisson sample is one with the product of the rates, rounded up;
//   - a sample of fixed size of one is one: m' of the m of n is m' of n;
//   - a Poisson sample at rate 1, one repetition, and a composition of one event are taken off.
//
// A sample of n of n stays, because its relation does. Repetitions in each other and compositions
// in each other stay too: [Node.Runs] joins them. The order is that of the event.
//
// The error is that of an event which is nil or not valid. It is also that of a sample of fixed
// size whose population is not the outer sample, of a mechanism that runs more than 1e300 times, and
// of a Holder that holds nil or, more than 10,000 deep, itself. Cost: linear in the size of the
// event.
func Flatten(event Event) (Node, error) {
	if err := check.Given(event != nil, "accounting: event", "must be an event"); err != nil {
		return Node{}, err
	}
	if err := event.Validate(); err != nil {
		return Node{}, err
	}
	node, err := flatten(event, 1, 0)
	if err != nil {
		return Node{}, err
	}
	return node, nil
}

// flatten takes apart an event that runs the given number of times, in a number of Holders.
func flatten(event Event, runs float64, holders int) (Node, error) {
	node := Node{Event: event, Count: 1}
	var inside []Event
	switch e := event.(type) {
	case PoissonSampled:
		node.Shape, node.Rate, inside = PoissonSample, e.SamplingRate, []Event{e.Event}
	case SampledWithoutReplacement:
		node.Shape, node.Rate, inside = FixedSizeSample, e.SamplingRate(), []Event{e.Event}
	case SelfComposed:
		if runs *= float64(e.Count); runs > mostRuns {
			return Node{}, fmt.Errorf("accounting: SelfComposed.Count: %.3g runs of one event in all: must be at most %g", runs, float64(mostRuns))
		}
		node.Shape, node.Count, inside = Repetition, e.Count, []Event{e.Event}
	case Composed:
		node.Shape, inside = Sequence, e.Events
	case Parallel:
		node.Shape, inside = Either, e.Events
	case WorstCase:
		node.Shape, inside = Either, e.Events
	case Holder:
		if holders++; holders > mostHolders {
			return Node{}, fmt.Errorf("accounting: %T.Holds: events that hold each other: must be at most %d deep", event, mostHolders)
		}
		inside, runs = e.Holds(), 1
		for i, held := range inside {
			if err := check.Given(held != nil, fmt.Sprintf("accounting: %T.Holds()[%d]", event, i), "must be an event"); err != nil {
				return Node{}, err
			}
		}
	}
	for _, e := range inside {
		child, err := flatten(e, runs, holders)
		if err != nil {
			return Node{}, err
		}
		node.Children = append(node.Children, child)
	}
	if outer, ok := event.(SampledWithoutReplacement); ok && node.Children[0].Shape == FixedSizeSample {
		if inner := node.Children[0].Event.(SampledWithoutReplacement); inner.PopulationSize != outer.SampleSize {
			return Node{}, fmt.Errorf("accounting: SampledWithoutReplacement.Event.PopulationSize %d: must be the outer SampleSize, %d", inner.PopulationSize, outer.SampleSize)
		}
	}
	return node.With(node.Children...), nil
}

// With returns the node with other children, in its simplest form; a Mechanism stays as it is. There
// must be as many as its shape needs. A sample of fixed size is joined with one inside if the
// population of that one is its sample.
func (n Node) With(children ...Node) Node {
	n.Children = children
	events := make([]Event, len(children))
	for i, child := range children {
		events[i] = child.Event
	}
	switch n.Shape {
	case PoissonSample:
		if n.Rate == 1 {
			return children[0] // of all records
		}
		// Each record of a sample of a sample joins with the product of the chances, independently.
		if inner := children[0]; inner.Shape == PoissonSample {
			n.Rate, n.Children, events = productUp(n.Rate, inner.Rate), inner.Children, []Event{inner.Children[0].Event}
		}
		n.Event = PoissonSampled{SamplingRate: n.Rate, Event: events[0]}
	case FixedSizeSample:
		outer := n.Event.(SampledWithoutReplacement)
		outer.Event = events[0]
		if inner, ok := outer.Event.(SampledWithoutReplacement); ok && inner.PopulationSize == outer.SampleSize {
			outer.SampleSize, outer.Event, n.Children = inner.SampleSize, inner.Event, children[0].Children
		}
		n.Event, n.Rate = outer, outer.SamplingRate()
	case Repetition:
		if n.Count == 1 {
			return children[0]
		}
		n.Event = SelfComposed{Event: events[0], Count: n.Count}
	case Sequence:
		if len(children) == 1 {
			return children[0]
		}
		n.Event = Composed{events}
	case Either:
		if _, parallel := n.Event.(Parallel); parallel {
			n.Event = Parallel{events}
		} else {
			n.Event = WorstCase{events}
		}
	}
	return n
}

// Runs yields what a composition runs, in order: each event that is neither a Sequence nor a
// Repetition, with how often it runs. The counts of repetitions in each other are multiplied from
// the outer one on; an event that stands in several places is yielded for each.
func (n Node) Runs() iter.Seq2[Node, float64] {
	return func(yield func(Node, float64) bool) { n.runs(1, yield) }
}

func (n Node) runs(count float64, yield func(Node, float64) bool) bool {
	switch n.Shape {
	case Repetition:
		return n.Children[0].runs(count*float64(n.Count), yield)
	case Sequence:
		for _, child := range n.Children {
			if !child.runs(count, yield) {
				return false
			}
		}
		return true
	}
	return yield(n, count)
}

// Contains reports whether is holds for the node or for one inside, what a Holder holds included.
func (n Node) Contains(is func(Node) bool) bool {
	if is(n) {
		return true
	}
	for _, child := range n.Children {
		if child.Contains(is) {
			return true
		}
	}
	return false
}

// CheckRelation refuses, by an error that wraps ErrUnsupportedEvent, a Parallel in the event under
// ReplaceOne: a replaced record may leave one part and join another, so that two members change.
// accountant is the name that the error starts with.
func (n Node) CheckRelation(accountant string, relation Neighboring) (err error) {
	if relation != ReplaceOne {
		return nil
	}
	n.Contains(func(inside Node) bool {
		if _, parallel := inside.Event.(Parallel); parallel {
			err = RelationError(accountant, inside.Event, relation, AddOrRemoveOne)
		}
		return err != nil
	})
	return err
}
