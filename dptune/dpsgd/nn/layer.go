package nn

import (
	"math/rand/v2"
	"reflect"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/loss"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Layer is one part of a model: an explicit forward pass and per-sample backward pass. Nodes have a
// leading axis of R replicas and a second axis of B examples.
//
// Rows must not mix: the result for one example must depend on that example only (no batch
// normalization). Otherwise per-sample clipping is meaningless. An example may hold any number,
// including NaN and infinity, unless the layer is an [InputLayer].
//
// Your own layer can return [PerSample] gradients, or faster ones: [Products], and [Joint] of
// several. engine.NewTrainer tests it on a small random batch and returns an error with its name if
// it breaks these rules, see engine.CheckLayer. Package dpsgdtest tests it further, and compares
// its gradients with finite differences.
type Layer interface {
	// String returns the name of the layer with its sizes and all other parameters, for instance
	// "Dense(784, 120)". Checkpoints distinguish models by it.
	String() string
	// OutputShape returns the shape of one output from that of one input, or an error with the
	// expected and the found shape.
	OutputShape(input []int) ([]int, error)
	// Weights lists the layer's parameters for the shape of one input, nil without parameters.
	Weights(input []int) []Weight
	// Forward maps inputs to outputs. weights are [R, shape...], in the order of Weights. Inputs
	// may be [1, B, shape...], shared by all replicas. A layer with weights then returns [R, B,
	// ...], and one without weights returns [1, B, ...].
	Forward(weights []*graph.Node, in Activations) (out Activations, backward Backward)
}

// Backward takes the gradient of each example's loss at a layer's outputs,
// [R, B, out...]. It returns that at the inputs, [R, B, in...], or nil if it is not
// wanted, and the gradients at the layer's weights, nil if it has none.
type Backward func(gradient *graph.Node, wantInput bool) (atInput *graph.Node, atWeights Gradients)

// pass returns a backward pass of an internal package as one of a layer.
func pass(backward persample.Backward) Backward {
	return func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) { return backward(g, wantInput) }
}

// Gradients are the per-sample gradients of one layer's weights, in a form that makes their norms
// and sums cheap.
type Gradients interface {
	// SquaredNorms returns each example's squared L2 norm over all weights of the layer, [R, B]. It
	// must not be less than the squared norm that WeightedSum has for this single example and a
	// factor of 1, see sensitivity.go. The engine raises it by the most that rounding takes from a
	// sum of that many squares. If terms cancel, your layer must raise it further. [PerSample]
	// gradients do not cancel. Sums over pairs of places, such as tokens, do: without a raise, one
	// example can add 3.8 times the clip norm. [Products] has these sums with a raise. The tests
	// search for such examples and refuse the layer.
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

// Activations are the values between two layers for one microbatch. A layer sets Values, and
// Present if its outputs have the same places as its inputs. The other fields are for the engine.
type Activations struct {
	Values *graph.Node // [R, B, shape...]; [1, B, shape...] if all replicas share them

	// Present is 1 for the places of an example that are not padding and 0 for the others, [R or 1,
	// B, T], in the type of Values. Nil means without padding. [Embedding] sets it, and
	// [Attention], [Conv1D], [GRU], [LSTM], [LastPlace] and [MeanPlaces] leave out the other
	// places. What Values hold there is not defined. So outputs do not depend on how far a text is
	// filled up behind its last token.
	Present *graph.Node

	facts   facts // about one node: see known
	columns bool  // Values are [R, n, B]; never in the arguments and results of a Layer's Forward
}

// presentValues returns x [R, B, T, ...] with zeros where present, [R or 1, B, T], is 0.
func presentValues(present, x *graph.Node) *graph.Node {
	zero := graph.ScalarZero(x.Graph(), x.DType())
	on := graph.GreaterThan(kernel.ExpandReplicas(present, x), zero)
	for range x.Rank() - 3 {
		on = graph.InsertAxes(on, -1)
	}
	return graph.Where(kernel.ExpandLike(on, x), x, zero)
}

// facts are properties of values that are known before a program runs, which saves work. They name
// the node that they are about, and nodes do not change. So if a layer puts another node into
// Values, its facts are void. Only this package makes facts, about values that it computes, so no
// layer can state a false one.
type facts struct {
	about        *graph.Node
	squaredNorms *graph.Node // [R or 1, B], each example's squared L2 norm; nil if not known
	finite       bool        // no value can be NaN or infinite
}

// known returns the facts about the values.
func (a Activations) known() facts {
	if a.facts.about != a.Values {
		return facts{}
	}
	return a.facts
}

// inputRows returns a microbatch of examples. Data sets hold finite numbers only. norms may be nil.
func inputRows(rows, norms *graph.Node) Activations {
	return Activations{Values: rows, facts: facts{about: rows, squaredNorms: norms, finite: true}}
}

// rearranged returns values, the same numbers of each example in another shape or order, with the
// same facts.
func (a Activations) rearranged(values *graph.Node) Activations {
	known := a.known()
	known.about, a.Values = values, values
	a.facts = known
	return a
}

// selected returns values that are each one of the example's values or a constant. They are finite
// if the example's are.
func (a Activations) selected(values *graph.Node) Activations {
	return Activations{Values: values, Present: a.Present, facts: facts{about: values, finite: a.known().finite}, columns: a.columns}
}

// isOwn reports whether a value's type is of this package or of internal/loss. It is false for nil.
func isOwn(value any) bool {
	if value == nil {
		return false
	}
	path := reflect.TypeOf(value).PkgPath()
	return path == reflect.TypeFor[Weight]().PkgPath() || path == reflect.TypeFor[loss.Hinge]().PkgPath()
}
