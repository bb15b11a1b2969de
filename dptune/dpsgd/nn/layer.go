package nn

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/gomlx/gomlx/core/graph"
)

// Layer is one part of a model: a forward pass and a per-sample backward pass, written
// out. Nodes have a leading axis of R replicas and a second axis of B examples.
//
// Rows must not mix: what a layer computes for one example depends on that example alone
// (no batch normalisation), or per-sample clipping means nothing. An example may hold any number,
// NaN and infinite ones too, unless the layer is an [InputLayer].
//
// A layer of your own returns [PerSample] gradients, unless it has better. engine.NewTrainer tries
// it on a small random batch and refuses it by name if it breaks these rules, see engine.CheckLayer;
// package dpsgdtest tests it further, its gradients against differences too.
type Layer interface {
	// String names the layer with its sizes and whatever else tells it from other layers, for
	// instance "Dense(784, 120)": checkpoints tell models apart by it.
	String() string
	// OutputShape returns the shape of one output given that of one input, or an error
	// that names the expected and the found shape.
	OutputShape(input []int) ([]int, error)
	// Weights lists the layer's parameters, given the shape of one input. None is nil.
	Weights(input []int) []Weight
	// Forward maps inputs to outputs. weights are [R, shape...], in the order of Weights.
	// Inputs may be [1, B, shape...], the same for all replicas: a layer with weights then
	// returns [R, B, ...], and one without maps what it is given.
	Forward(weights []*graph.Node, in Activations) (out Activations, backward Backward)
}

// Backward takes the gradient of each example's loss at a layer's outputs,
// [R, B, out...]. It returns that at the inputs, [R, B, in...], or nil if it is not
// wanted, and the gradients at the layer's weights, nil if it has none.
type Backward func(gradient *graph.Node, wantInput bool) (atInput *graph.Node, atWeights Gradients)

// Gradients are the per-sample gradients of one layer's weights, held in whatever form
// makes their norms and sums cheap.
type Gradients interface {
	// SquaredNorms returns each example's squared L2 norm over all weights of the layer, [R, B].
	// The engine raises it by what the rounding of a sum of so many squares can take away. What is
	// computed from terms that cancel must be raised further by who does so: it must not be less
	// than the squared norm of what WeightedSum adds for this example alone and a factor of 1, see
	// sensitivity.go. [PerSample] gradients do not cancel. A sum over pairs of places, such as
	// tokens, does: one such example has added 3.8 times the clip norm. Checks search for them and
	// refuse the layer.
	SquaredNorms() *graph.Node
	// WeightedSum returns Σ_b factors[r, b] · gradient[r, b], one [R, shape...] for each
	// weight. An example with factor 0 adds exactly zero, even if its gradient is NaN.
	WeightedSum(factors *graph.Node) []*graph.Node
	// Each returns the gradients themselves, one [R, B, shape...] for each weight.
	Each() []*graph.Node
}

// Weight is one parameter array of a layer.
type Weight struct {
	Name  string
	Shape []int
	// Init fills in the initial values, row-major. Nil leaves zeros.
	Init func(rng *rand.Rand, values []float64)
}

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

// inputRows returns a microbatch of examples, which data sets hold as finite numbers. norms may be
// nil.
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

// isOwn reports whether a value's type is of this package. Nil is of none.
func isOwn(value any) bool {
	return value != nil && reflect.TypeOf(value).PkgPath() == reflect.TypeFor[Weight]().PkgPath()
}

// validateFinite returns an error for the first of the numbers given to a layer that is not finite.
func validateFinite(name string, values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s[%d] is %g: must be finite", name, i, v)
		}
	}
	return nil
}

// bytesOf returns numbers in a fixed size.
func bytesOf(values []float64) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, values) // floats have a fixed size
	return b
}
