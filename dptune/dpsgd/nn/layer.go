package nn

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
)

// Layer is one part of a model: a forward pass and a per-sample backward pass, written
// out. Nodes have a leading axis of R replicas and a second axis of B examples.
//
// Rows must not mix: what a layer computes for one example depends on that example alone
// (no batch normalisation), or per-sample clipping means nothing. An example may hold any number,
// NaN and infinite ones too, unless the layer is an [InputLayer].
//
// A layer of your own returns [PerSample] gradients, unless it has better. dpsgd.NewTrainer tries it on
// a small random batch and refuses it by name if it breaks these rules, see dpsgd.CheckLayer; package
// dpsgdtest tests it further, its gradients against differences too.
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
	// The engine raises it by what the rounding of a sum of so many squares can take away. What
	// is computed from terms that cancel must be raised further by who does so: it must not be
	// less than the squared norm of what WeightedSum adds for this example alone and a factor of
	// 1, see sensitivity.go.
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
