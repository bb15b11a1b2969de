package dpsgd

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// Model is a chain of layers with a loss. It holds no weights.
type Model struct {
	Name   string
	Input  []int // shape of one example
	Layers []Layer
	Loss   Loss
}

// Layer is one part of a model: a forward pass and a per-sample backward pass, written
// out. Nodes have a leading axis of R replicas and a second axis of B examples.
//
// Rows must not mix: what a layer computes for one example depends on that example alone
// (no batch normalisation), or per-sample clipping means nothing. An example may hold any number,
// NaN and infinite ones too, unless the layer is an [InputLayer].
//
// A layer of your own returns [PerSample] gradients, unless it has better. [NewTrainer] tries it on
// a small random batch and refuses it by name if it breaks these rules, see [CheckLayer]; package
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

// Activations are the values between two layers for one microbatch. A layer returns values and
// nothing else; what the engine knows of them beforehand it keeps to itself.
type Activations struct {
	Values *graph.Node // [R, B, shape...]; [1, B, shape...] where all replicas share them

	facts   facts // about one node: see known
	columns bool  // Values are [R, n, B]; never so in what a Layer's Forward takes or returns
}

// Weight is one parameter array of a layer.
type Weight struct {
	Name  string
	Shape []int
	// Init fills in the initial values, row-major. Nil leaves zeros.
	Init func(rng *rand.Rand, values []float64)
}

// Loss is a function of one example's outputs and its label. Rows must not mix, as in a [Layer]:
// [NewTrainer] tries a loss of your own as well, see [CheckLoss].
type Loss interface {
	// String names the loss with all that tells it from others, as that of a layer does.
	String() string
	// Outputs returns how many outputs the last layer must have.
	Outputs(classes int) int
	// Values returns each example's loss, [R, B], from outputs [R, B, K] and labels [R, B], int32.
	Values(outputs, labels *graph.Node) *graph.Node
	// Gradient returns the gradient of each example's loss at its outputs, [R, B, K].
	Gradient(outputs, labels *graph.Node) *graph.Node
	// Classes returns the predicted class of each example, [R, B], int32.
	Classes(outputs *graph.Node) *graph.Node
}

// String names the model and its layers.
func (m Model) String() string {
	return fmt.Sprintf("%s: %v, %v", m.Name, sequence(m.Layers), m.Loss)
}

// Architecture says what the weights are weights of: the shape of an example and the layers.
func (m Model) Architecture() string { return fmt.Sprintf("%v: %v", m.Input, sequence(m.Layers)) }

// Validate returns an error unless the layers' shapes fit, one after the other.
func (m Model) Validate() error {
	if len(m.Layers) == 0 {
		return fmt.Errorf("dpsgd: model %q: Layers is empty: must hold at least one layer", m.Name)
	}
	if m.Loss == nil {
		return fmt.Errorf("dpsgd: model %q: Loss is nil: must be a loss", m.Name)
	}
	if size := sizeOf(m.Input); len(m.Input) == 0 || slices.Min(m.Input) < 1 || size < 1 {
		return fmt.Errorf("dpsgd: model %q: Input %v: must have sides >= 1", m.Name, m.Input)
	}
	_, err := m.shapes()
	return err
}

// validateFor returns an error unless the model is valid and fits examples of a shape.
func (m Model) validateFor(input []int, classes int) error {
	if err := m.Validate(); err != nil {
		return err
	}
	shapes, _ := m.shapes()
	var errs faults
	if sizeOf(input) != sizeOf(m.Input) {
		errs.unless(false, fmt.Sprintf("model %q: Input", m.Name), m.Input, fmt.Sprintf("must have as many values as an example, of shape %v", input))
	}
	if v, ok := m.Loss.(interface{ validateClasses(int) error }); ok {
		if err := v.validateClasses(classes); err != nil {
			return fmt.Errorf("dpsgd: model %q: %w", m.Name, err)
		}
	}
	want := []int{m.Loss.Outputs(classes)}
	errs.unless(slices.Equal(shapes[len(shapes)-1], want), fmt.Sprintf("model %q: output shape", m.Name), shapes[len(shapes)-1],
		fmt.Sprintf("must be %v (%v, %d classes)", want, m.Loss, classes))
	return errors.Join(errs...)
}

// shapes returns the shape of one example before each layer, and after the last.
func (m Model) shapes() ([][]int, error) {
	shapes := [][]int{m.Input}
	for i, layer := range m.Layers {
		if layer == nil {
			return nil, fmt.Errorf("dpsgd: model %q: Layers[%d] is nil: must be a layer", m.Name, i)
		}
		out, err := layer.OutputShape(shapes[i])
		if err == nil {
			err = validateFirst(layer, i)
		}
		if err != nil {
			return nil, fmt.Errorf("dpsgd: model %q: layer %d: %w", m.Name, i, err)
		}
		shapes = append(shapes, out)
	}
	return shapes, nil
}

// weights returns the weights of each layer. The model must be valid.
func (m Model) weights() [][]Weight {
	shapes, _ := m.shapes()
	all := make([][]Weight, len(m.Layers))
	for i, layer := range m.Layers {
		all[i] = layer.Weights(shapes[i])
	}
	return all
}

// trained returns the number of layers that have weights.
func (m Model) trained() int {
	count := 0
	for _, weights := range m.weights() {
		if len(weights) > 0 {
			count++
		}
	}
	return count
}

// layerSizes returns the number of weights of each layer that has some.
func (m Model) layerSizes() []int {
	var sizes []int
	for _, weights := range m.weights() {
		size := 0
		for _, w := range weights {
			size += sizeOf(w.Shape)
		}
		if len(weights) > 0 {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// Tensors returns the names and shapes of the model's parameters, in order; nil if the
// model is not valid.
func (m Model) Tensors() []Tensor {
	if m.Validate() != nil {
		return nil
	}
	var tensors []Tensor
	for i, weights := range m.weights() {
		for _, w := range weights {
			tensors = append(tensors, Tensor{Name: fmt.Sprintf("%d %v %s", i, m.Layers[i], w.Name), Shape: w.Shape})
		}
	}
	return tensors
}

// Size returns the number of parameters of one model; 0 if the model is not valid.
func (m Model) Size() int {
	size := 0
	for _, t := range m.Tensors() {
		size += t.Size()
	}
	return size
}

// Init returns initial weights, flat, drawn from rng. The model must be valid.
func (m Model) Init(rng *rand.Rand) []float64 {
	values := make([]float64, m.Size())
	at := 0
	for _, weights := range m.weights() {
		for _, w := range weights {
			size := sizeOf(w.Shape)
			if w.Init != nil {
				w.Init(rng, values[at:at+size:at+size])
			}
			at += size
		}
	}
	return values
}

func sizeOf(shape []int) int {
	size := 1
	for _, side := range shape {
		size *= side
	}
	return size
}
