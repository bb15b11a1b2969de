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

// mostRuns is how often one mechanism may run in an event: far from the overflow of a float64.
const mostRuns = 1e300

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
// size whose population is not the outer sample, and of a mechanism that runs more than 1e300
// times. Cost: linear in the size of the event.
func Flatten(event Event) (Node, error) {
	if err := check.Given(event != nil, "accounting: event", "must be an event"); err != nil {
		return Node{}, err
	}
	if err := event.Validate(); err != nil {
		return Node{}, err
	}
	node, err := flatten(event, 1)
	if err != nil {
		return Node{}, err
	}
	return node, nil
}

// flatten takes apart an event that runs the given number of times.
func flatten(event Event, runs float64) (Node, error) {
	switch e := event.(type) {
	case PoissonSampled:
		inner, err := flatten(e.Event, runs)
		if err != nil || e.SamplingRate == 1 {
			return inner, err // of all records
		}
		return poissonOf(e.SamplingRate, inner), nil
	case SampledWithoutReplacement:
		inner, err := flatten(e.Event, runs)
		if err != nil {
			return Node{}, err
		}
		return fixedSizeOf(e, inner)
	case SelfComposed:
		if runs *= float64(e.Count); runs > mostRuns {
			return Node{}, fmt.Errorf("accounting: SelfComposed.Count: %.3g runs of one event in all: must be at most %g", runs, float64(mostRuns))
		}
		inner, err := flatten(e.Event, runs)
		if err != nil || e.Count == 1 {
			return inner, err
		}
		return Node{Event: SelfComposed{Event: inner.Event, Count: e.Count}, Shape: Repetition, Count: e.Count, Children: []Node{inner}}, nil
	case Composed:
		children, events, err := flattenAll(e.Events, runs)
		if err != nil {
			return Node{}, err
		}
		if len(children) == 1 {
			return children[0], nil
		}
		return Node{Event: Composed{events}, Shape: Sequence, Count: 1, Children: children}, nil
	case Parallel:
		children, events, err := flattenAll(e.Events, runs)
		return Node{Event: Parallel{events}, Shape: Either, Count: 1, Children: children}, err
	case WorstCase:
		children, events, err := flattenAll(e.Events, runs)
		return Node{Event: WorstCase{events}, Shape: Either, Count: 1, Children: children}, err
	case Holder:
		children, _, err := flattenAll(e.Holds(), 1)
		return Node{Event: event, Count: 1, Children: children}, err
	}
	return Node{Event: event, Count: 1}, nil
}

// flattenAll takes several events apart; events has their simplest forms.
func flattenAll(all []Event, runs float64) (children []Node, events []Event, err error) {
	for _, e := range all {
		child, err := flatten(e, runs)
		if err != nil {
			return nil, nil, err
		}
		children, events = append(children, child), append(events, child.Event)
	}
	return children, events, nil
}

// poissonOf returns a Poisson sample of inner. Each record of a sample of a sample joins with the
// product of the chances, independently.
func poissonOf(rate float64, inner Node) Node {
	if inner.Shape == PoissonSample {
		rate, inner = productUp(rate, inner.Rate), inner.Children[0]
	}
	return Node{Event: PoissonSampled{SamplingRate: rate, Event: inner.Event}, Shape: PoissonSample, Rate: rate, Count: 1, Children: []Node{inner}}
}

// fixedSizeOf returns a sample of fixed size of inner. The population of an inner sample must be
// the outer sample.
func fixedSizeOf(e SampledWithoutReplacement, inner Node) (Node, error) {
	if inner.Shape == FixedSizeSample {
		second := inner.Event.(SampledWithoutReplacement)
		if second.PopulationSize != e.SampleSize {
			return Node{}, fmt.Errorf("accounting: SampledWithoutReplacement.Event.PopulationSize %d: must be the outer SampleSize, %d", second.PopulationSize, e.SampleSize)
		}
		e.SampleSize, inner = second.SampleSize, inner.Children[0]
	}
	e.Event = inner.Event
	return Node{Event: e, Shape: FixedSizeSample, Rate: e.SamplingRate(), Count: 1, Children: []Node{inner}}, nil
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
