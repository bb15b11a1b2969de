package nn

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
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

// InputLayer is a [Layer] that takes examples of a kind only, such as lists of token ids. It
// must be the first of a model. Rows of zeros must do too, for padding.
type InputLayer interface {
	Layer
	// ValidateRow returns an error for an example that the layer cannot take, with its column.
	ValidateRow(row []float32) (column int, err error)
	// DrawRow fills in some example that the layer can take, for trials of the layer.
	DrawRow(rng *rand.Rand, row []float32)
}

// DrawRow fills in some example that the model takes, for tests: normal numbers, or what an
// [InputLayer] draws. It reports whether any other numbers would do. The model must be valid.
func (m Model) DrawRow(rng *rand.Rand, row []float32) (anyOther bool) {
	if l, ok := AsInputLayer(m.Layers[0]); ok {
		l.DrawRow(rng, row)
		return false
	}
	for i := range row {
		row[i] = float32(rng.NormFloat64())
	}
	return true
}

// ValidateRows returns an error with row and column for the first example that the first
// layer does not take.
func (m Model) ValidateRows(d data.Dataset) error {
	l, ok := AsInputLayer(m.Layers[0])
	if !ok {
		return nil
	}
	for i := range d.Len() {
		if column, err := l.ValidateRow(d.Row(i)); err != nil {
			return fmt.Errorf("nn: model %q: data set %q, row %d, column %d: %w", m.Name, d.Name, i, column, err)
		}
	}
	return nil
}

// validateFirst returns an error if a layer that takes examples as they are is not the first.
func validateFirst(layer Layer, at int) error {
	if _, ok := AsInputLayer(layer); ok && at > 0 {
		return fmt.Errorf("%v: must be the first layer: it takes examples as they are", layer)
	}
	return nil
}

// AsInputLayer returns a layer, or the one inside a frozen one, as what takes examples of a kind
// only.
func AsInputLayer(layer Layer) (InputLayer, bool) {
	if f, ok := layer.(frozen); ok {
		return AsInputLayer(f.layer)
	}
	l, ok := layer.(InputLayer)
	return l, ok
}
