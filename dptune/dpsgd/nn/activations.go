package nn

import "github.com/gomlx/gomlx/core/graph"

// Activations are the values between two layers for one microbatch. A layer returns values and
// nothing else; what the engine knows of them beforehand it keeps to itself.
type Activations struct {
	Values *graph.Node // [R, B, shape...]; [1, B, shape...] where all replicas share them

	facts   facts // about one node: see known
	columns bool  // Values are [R, n, B]; never so in what a Layer's Forward takes or returns
}

// facts are what the engine knows of values before a program runs, which saves work. They name
// the node that they are about, and nodes do not change: a layer that puts other values in its
// place has no facts, whatever else it hands on. Only this package makes facts, of the values
// that it computes, so that no layer can say something false.
type facts struct {
	about        *graph.Node
	squaredNorms *graph.Node // [R or 1, B], each example's squared L2 norm; nil if it is not known
	finite       bool        // no value can be NaN or infinite
}

// known returns the facts about the values.
func (a Activations) known() facts {
	if a.facts.about != a.Values {
		return facts{}
	}
	return a.facts
}

// inputRows returns a microbatch of examples, which data sets hold as finite numbers. norms may be nil.
func inputRows(rows, norms *graph.Node) Activations {
	return Activations{Values: rows, facts: facts{about: rows, squaredNorms: norms, finite: true}}
}

// rearranged returns the same numbers of each example in another shape or order, values, of which
// the same is known.
func (a Activations) rearranged(values *graph.Node) Activations {
	known := a.known()
	known.about, a.Values = values, values
	a.facts = known
	return a
}

// selected returns values of which each is one of the example's or a constant, so that they are
// finite if those are.
func (a Activations) selected(values *graph.Node) Activations {
	return Activations{Values: values, facts: facts{about: values, finite: a.known().finite}, columns: a.columns}
}
