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
	Mechanism       Shape = iota // an event that, to this package, is not made of others
	PoissonSample                // Children[0] on a Poisson sample at Rate
	FixedSizeSample              // Children[0] on a sample of fixed size
	Repetition                   // Children[0], Count times
	Sequence                     // Children, one after the other
	Either                       // one of Children: a Parallel or a WorstCase
)

// Node is an event taken apart, in its simplest form: see [Flatten].
type Node struct {
	Event    Event   // the event of the node, made of the Children's events
	Shape    Shape   // how it is made of Children
	Rate     float64 // q of a PoissonSample, in (0, 1); m/n of a FixedSizeSample, in (0, 1]
	Count    int     // of a Repetition, at least 2; 1 for all others
	Children []Node  // for a Mechanism, the events that it holds: see Holder
}

// Holder is an event that is made of others in a way that only its own package knows, such as a
// selection. A walk over the event finds the held events, with their samples and relations. An
// accountant that does not know the Holder itself does not price it by its parts.
type Holder interface {
	Event
	// Holds returns the events that this one runs, each once. One that it runs on a random sample
	// of the data is returned inside PoissonSampled: [Node.CheckRelation] must see the sample.
	Holds() []Event
}

const (
	// mostRuns is the largest number of runs of one mechanism in an event. It is far from the
	// overflow of a float64.
	mostRuns = 1e300
	// mostHolders is the largest depth of Holders inside each other. A Holder that holds itself
	// exceeds it.
	mostHolders = 10_000
	// mostSamples is the largest depth of Poisson samples inside each other. It bounds how far
	// rounding raises the product of their rates.
	mostSamples = 32
)

// Flatten returns the simplest form of event, taken apart into nodes. It has the same laws:
//
//   - A Poisson sample of a Poisson sample becomes one sample. Its rate is the product, rounded up.
//   - A sample of fixed size of another becomes one: m' of the m of n is m' of n.
//   - A Poisson sample at rate 1, one repetition, and a composition of one event are removed.
//
// A sample of n of n stays, because its relation does. Nested repetitions and nested compositions
// stay too. [Node.Runs] joins them. The order is that of the event.
//
// Flatten returns an error in these cases. The event is nil or not valid. An event on a sample of
// fixed size has a PopulationSize other than the SampleSize. A mechanism runs more than 1e300
// times. A Holder holds nil, or Holders are more than 10,000 deep. More than 32 Poisson samples are
// inside each other. Cost: linear in the size of the event.
func Flatten(event Event) (Node, error) {
	if err := check.Given(event != nil, "accounting: event", "must be an event"); err != nil {
		return Node{}, err
	}
	if err := event.Validate(); err != nil {
		return Node{}, err
	}
	node, err := flatten(event, 1, 0, 0, 0)
	if err != nil {
		return Node{}, err
	}
	return node, nil
}

// flatten takes apart an event that runs the given number of times, inside so many Holders and
// Poisson samples, on a sample of the given fixed size. A size of 0 is not known.
func flatten(event Event, runs float64, holders, samples, size int) (Node, error) {
	if population := populationOf(event); size > 0 && population > 0 && population != size {
		return Node{}, fmt.Errorf("accounting: %v: PopulationSize %d: must be the outer SampleSize, %d", event, population, size)
	}
	node := Node{Event: event, Count: 1}
	var inside []Event
	switch e := event.(type) {
	case PoissonSampled:
		node.Shape, node.Rate, inside = PoissonSample, e.SamplingRate, []Event{e.Event}
		if e.SamplingRate < 1 {
			size, samples = 0, samples+1
		}
		if samples > mostSamples {
			return Node{}, fmt.Errorf("accounting: Poisson samples inside each other: must be at most %d", mostSamples)
		}
	case SampledWithoutReplacement:
		node.Shape, node.Rate, inside, size = FixedSizeSample, e.SamplingRate(), []Event{e.Event}, e.SampleSize
	case SelfComposed:
		if runs *= float64(e.Count); runs > mostRuns {
			return Node{}, fmt.Errorf("accounting: SelfComposed.Count: %.3g runs of one event in all: must be at most %g", runs, float64(mostRuns))
		}
		node.Shape, node.Count, inside = Repetition, e.Count, []Event{e.Event}
	case Composed:
		node.Shape, inside = Sequence, e.Events
	case Parallel:
		node.Shape, inside, size = Either, e.Events, 0
	case WorstCase:
		node.Shape, inside = Either, e.Events
	case Holder:
		if holders++; holders > mostHolders {
			return Node{}, fmt.Errorf("accounting: %T.Holds: events that hold each other: must be at most %d deep", event, mostHolders)
		}
		inside, runs, samples = e.Holds(), 1, 0
		switch event.(type) {
		case RandomAllocation, Shuffled, TruncatedPoisson, SampledWithReplacement:
			size = 0 // the held event runs on a batch
		}
		for i, held := range inside {
			if err := check.Given(held != nil, fmt.Sprintf("accounting: %T.Holds()[%d]", event, i), "must be an event"); err != nil {
				return Node{}, err
			}
		}
	}
	for _, e := range inside {
		child, err := flatten(e, runs, holders, samples, size)
		if err != nil {
			return Node{}, err
		}
		node.Children = append(node.Children, child)
	}
	return node.With(node.Children...), nil
}

// With returns the node with other children, in its simplest form. A Mechanism stays as it is. The
// number of children must fit the shape. A sample of fixed size is joined with an inner one if the
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

// Runs yields the events that a composition runs, in order: each event that is neither a Sequence
// nor a Repetition, with its number of runs. The counts of nested repetitions are multiplied, the
// outer one first. An event in several places is yielded for each of them.
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

// Contains reports whether is is true for the node or for one inside. It also looks inside Holders.
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

// CheckRelation returns an error that wraps ErrUnsupportedEvent in these cases. The error starts
// with the name accountant.
//
//   - The event has a Parallel, and the relation is ReplaceOne. A replaced record may leave one
//     part and join another, and so change two of them.
//   - The event has a MixtureOfGaussians, and the relation is ReplaceOne. Its distances are those
//     of one added, removed or zeroed record.
//   - A Poisson sample has batches whose price needs the number of examples, also inside Holders.
//     That of a Poisson sample is random. Under AddOrRemoveOne a TruncatedPoisson has a price for
//     every number up to its PopulationSize, and a sample has no more.
func (n Node) CheckRelation(accountant string, relation Neighboring) (err error) {
	n.Contains(func(inside Node) bool {
		_, parallel := inside.Event.(Parallel)
		_, mixture := inside.Event.(MixtureOfGaussians)
		switch {
		case (parallel || mixture) && relation == ReplaceOne:
			err = RelationError(accountant, inside.Event, relation, AddOrRemoveOne)
		case inside.Shape == PoissonSample:
			inside.Children[0].Contains(func(batches Node) bool {
				if batches.counted(relation) {
					err = fmt.Errorf("%s: %v: %w: %v on a Poisson sample: the number of examples must be public, and that of a sample is not",
						accountant, n.Event, ErrUnsupportedEvent, batches.Event)
				}
				return err != nil
			})
		}
		return err != nil
	})
	return err
}

// counted reports whether the price of batches needs the number of examples.
func (n Node) counted(relation Neighboring) bool {
	switch n.Event.(type) {
	case SampledWithoutReplacement, SampledWithReplacement, Shuffled:
		return true
	case TruncatedPoisson:
		return relation != AddOrRemoveOne
	}
	return false
}

// populationOf returns the number of examples that event states, or 0.
func populationOf(event Event) int {
	switch e := event.(type) {
	case SampledWithoutReplacement:
		return e.PopulationSize
	case SampledWithReplacement:
		return e.PopulationSize
	case TruncatedPoisson:
		return e.PopulationSize
	}
	return 0
}
