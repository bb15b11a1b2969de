package nn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// sequence is a list of layers that run one after the other.
type sequence []Layer

// shapes returns the shape of one example before each layer, and after the last. place is the index
// of the first layer in the model.
func (s sequence) shapes(input []int, place int) ([][]int, error) {
	shapes := [][]int{input}
	for i, layer := range s {
		if layer == nil {
			return nil, fmt.Errorf("layer %d is nil: must be a layer", i)
		}
		out, err := layer.OutputShape(shapes[i])
		if err == nil {
			err = validateFirst(layer, place+i)
		}
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", i, err)
		}
		shapes = append(shapes, out)
	}
	return shapes, nil
}

// outputShape returns the output shape of the last layer, for layers inside another one.
func (s sequence) outputShape(input []int) ([]int, error) {
	shapes, err := s.shapes(input, 1)
	if err != nil {
		return nil, err
	}
	return shapes[len(s)], nil
}

// each returns the weights of each layer. The shapes must fit.
func (s sequence) each(input []int) [][]Weight {
	list := make([][]Weight, len(s))
	for i, l := range s {
		list[i] = l.Weights(input)
		input, _ = l.OutputShape(input)
	}
	return list
}

// weights returns all weights in order, named by their layers.
func (s sequence) weights(prefix string, input []int) []Weight {
	var all []Weight
	for i, list := range s.each(input) {
		for _, w := range list {
			w.Name = fmt.Sprintf("%s%d %v %s", prefix, i, s[i], w.Name)
			all = append(all, w)
		}
	}
	return all
}

// Scratcher is a [Layer] that holds more values for each example than its inputs and outputs, such
// as the patches of a convolution. Only estimates of memory use the count. Your own layer that is
// not a Scratcher is assumed to form [PerSample] gradients, see [Model.PerSampleWeights].
type Scratcher interface {
	Layer
	// Scratch returns the number of these values for the shape of one input.
	Scratch(input []int) int
}

// scratch counts the values of the layers: outputs, slopes, gradients, and those of each Scratcher.
func (s sequence) scratch(input []int) int {
	total := 0
	for _, l := range s {
		if own, ok := l.(Scratcher); ok {
			total += own.Scratch(input)
		}
		input, _ = l.OutputShape(input)
		total += 3 * kernel.SizeOf(input)
	}
	return total
}

// perSampleWeights counts the weights with per-sample gradients under every clip method.
func (s sequence) perSampleWeights(input []int) int {
	total := 0
	for _, l := range s {
		_, says := l.(Scratcher)
		switch l := l.(type) {
		case residual:
			total += l.block.perSampleWeights(input) + l.projection.perSampleWeights(input)
		case perPlace: // the gradient of each place is formed
			total += input[0] * l.layers.perSampleWeights(input[1:])
		case frozen:
			if inner, is := l.layer.(auto); is { // Auto copies its weights for each example
				total += sizeOf(inner.weights)
			}
		case weightStandardized:
			total += sizeOf(l.Weights(input))
		case auto:
			total += sizeOf(l.weights)
		default:
			if !isOwn(l) && !says {
				total += sizeOf(l.Weights(input))
			}
		}
		input, _ = l.OutputShape(input)
	}
	return total
}

func sizeOf(weights []Weight) int {
	size := 0
	for _, w := range weights {
		size += kernel.SizeOf(w.Shape)
	}
	return size
}

// forward runs the layers. weights are in the order of method weights.
func (s sequence) forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	lists := s.each(in.Values.Shape().Dimensions[2:])
	tape := make(tape, len(s))
	for i, l := range fused(s) {
		count := len(lists[i])
		in, tape[i] = l.Forward(weights[:count:count], in)
		weights = weights[count:]
	}
	return in, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInput, layers := tape.back(g, firstTrained(lists), wantInput)
		return atInput, persample.Joint(layers).OrNil()
	}
}
