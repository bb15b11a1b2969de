package nn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Model is a chain of layers with a loss. It holds no weights.
type Model struct {
	Name   string
	Input  []int // shape of one example
	Layers []Layer
	Loss   Loss

	// Views is the number K of views of each example in a step, each with its own coins of the layers
	// that are [Drawing]. The gradient of an example is the mean over its views, and it is clipped as
	// one. A model is evaluated without views. 0 is 1.
	//
	// Reference: De et al. (2022), arXiv:2204.13650v2, Section 3.2.
	Views int
}

// String returns the name of the model and its layers.
func (m Model) String() string {
	views := ""
	if m.Views > 1 {
		views = fmt.Sprintf(", %d views", m.Views)
	}
	return fmt.Sprintf("%s: %v, %v%s", m.Name, sequence(m.Layers), m.Loss, views)
}

// Architecture returns the shape of an example and the layers, to identify the model of some
// weights.
func (m Model) Architecture() string { return fmt.Sprintf("%v: %v", m.Input, sequence(m.Layers)) }

// Validate returns an error unless each layer fits the shape of the one before.
func (m Model) Validate() error {
	if len(m.Layers) == 0 {
		return fmt.Errorf("nn: model %q: Layers is empty: must hold at least one layer", m.Name)
	}
	if m.Loss == nil {
		return fmt.Errorf("nn: model %q: Loss is nil: must be a loss", m.Name)
	}
	if size := kernel.SizeOf(m.Input); len(m.Input) == 0 || slices.Min(m.Input) < 1 || size < 1 {
		return fmt.Errorf("nn: model %q: Input %v: must have sides >= 1", m.Name, m.Input)
	}
	if _, err := m.shapes(); err != nil {
		return err
	}
	if m.Views < 0 {
		return fmt.Errorf("nn: model %q: Views %d: must be >= 1 (0 is 1)", m.Name, m.Views)
	}
	if m.Views > 1 && m.Coins() == 0 {
		return fmt.Errorf("nn: model %q: Views %d: must be 1 without layers that draw coins, since all views are equal", m.Name, m.Views)
	}
	return nil
}

// ValidateFor returns an error unless the model is valid and fits examples of a shape.
func (m Model) ValidateFor(input []int, classes int) error {
	if err := m.Validate(); err != nil {
		return err
	}
	shapes, _ := m.shapes()
	var errs []error
	if kernel.SizeOf(input) != kernel.SizeOf(m.Input) {
		errs = append(errs, fmt.Errorf("nn: model %q: Input %v: must have as many values as an example, of shape %v", m.Name, m.Input, input))
	}
	if v, ok := m.Loss.(interface{ ValidateClasses(int) error }); ok {
		if err := v.ValidateClasses(classes); err != nil {
			return fmt.Errorf("nn: model %q: %w", m.Name, err)
		}
	}
	want, got := []int{m.Loss.Outputs(classes)}, shapes[len(shapes)-1]
	if _, any := m.Loss.(TargetLoss); any && kernel.SizeOf(got) == want[0] {
		got = want // the loss takes them as one list
	}
	if !slices.Equal(got, want) {
		errs = append(errs, fmt.Errorf("nn: model %q: output shape %v: must be %v (%v, %d classes)", m.Name, got, want, m.Loss, classes))
	}
	return errors.Join(errs...)
}

// shapes returns the shape of one example before each layer, and after the last.
func (m Model) shapes() ([][]int, error) {
	shapes, err := sequence(m.Layers).shapes(m.Input, 0)
	if err != nil {
		return nil, fmt.Errorf("nn: model %q: %w", m.Name, err)
	}
	return shapes, nil
}

// weights returns the weights of each layer. The model must be valid.
func (m Model) weights() [][]Weight { return sequence(m.Layers).each(m.Input) }

// LayerSizes returns the number of weights of each layer with weights. The model must be valid.
func (m Model) LayerSizes() []int {
	var sizes []int
	for _, weights := range m.weights() {
		if len(weights) > 0 {
			sizes = append(sizes, sizeOf(weights))
		}
	}
	return sizes
}

// ValuesPerExample returns about how many numbers training holds for one example at a time. They
// are the outputs, slopes and output gradients of each layer, those of each [Scratcher], and coins.
// The model must be valid.
func (m Model) ValuesPerExample() int64 {
	if m.Views > 1 { // as PerPlace
		layers := sequence(m.Layers)
		return int64(m.Views)*int64(layers.scratch(m.Input)) + int64(layers.placesScratch(m.Views, m.Input)) + int64(m.Coins())
	}
	return int64(sequence(m.Layers).scratch(m.Input)) + int64(m.Coins())
}

// PerSampleWeights returns the number of weights with per-sample gradients even under book-keeping.
// They are the weights of [Auto], which also copies them, of [WeightStandardized], and of user
// layers that are not a [Scratcher]. The model must be valid.
func (m Model) PerSampleWeights() int64 {
	return int64(max(1, m.Views)) * int64(sequence(m.Layers).perSampleWeights(m.Input))
}

// HasLoop reports whether a program of the model holds a loop over places, as that of [GRU] does.
// Such a loop cannot be inside another one.
func (m Model) HasLoop() bool {
	return holds(m.Layers, func(l Layer) bool { _, is := l.(recurrent); return is })
}

// Tensor names one array of parameters of a model.
type Tensor struct {
	Name  string // layer and role, for instance "0 Dense(784, 120) weights"
	Shape []int
}

// Size returns the number of values, the product of Shape.
func (t Tensor) Size() int {
	size := 1
	for _, side := range t.Shape {
		size *= side
	}
	return size
}

// Tensors returns the names and shapes of the model's parameters, in order. It is nil if the model
// is not valid.
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
			size := kernel.SizeOf(w.Shape)
			if w.Init != nil {
				w.Init(rng, values[at:at+size:at+size])
			}
			at += size
		}
	}
	return values
}
