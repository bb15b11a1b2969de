package nn

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

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
		return atInput, jointGradients(layers).orNil()
	}
}

// Joint returns the gradients of several weights, or of several layers, as those of one layer. The
// weights are in the order of the parts. Norms are added, and raised by as much as the part that
// is rounded most. There must be at least one part.
func Joint(parts ...Gradients) Gradients {
	if len(parts) == 0 {
		panic(errors.New("Joint of no gradients: must have at least one part (a layer without weights returns nil)"))
	}
	for i, part := range parts {
		if part == nil {
			panic(fmt.Errorf("Joint: part %d is nil: must be gradients", i))
		}
	}
	return jointGradients(slices.Clone(parts))
}

// jointGradients are the gradients of several layers, combined into those of one.
type jointGradients []Gradients

func (j jointGradients) orNil() Gradients {
	if len(j) == 0 {
		return nil
	}
	return j
}

func (j jointGradients) SquaredNorms() *graph.Node {
	sum := j[0].SquaredNorms()
	for _, g := range j[1:] {
		sum = graph.Add(sum, g.SquaredNorms())
	}
	return sum
}

// roundings counts those of the worst part, and one sum for each part.
func (j jointGradients) roundings(weights int) int {
	most := 0
	for _, g := range j {
		most = max(most, roundingsOf(g, weights))
	}
	return most + len(j)
}

func (j jointGradients) overPlaces(times int) Gradients {
	joint := make(jointGradients, len(j))
	for i, g := range j {
		joint[i] = overPlaces(g, times)
	}
	return joint
}

func (j jointGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	var all []*graph.Node
	for _, g := range j {
		all = append(all, g.WeightedSum(factors)...)
	}
	return all
}

func (j jointGradients) Each() []*graph.Node {
	var all []*graph.Node
	for _, g := range j {
		all = append(all, g.Each()...)
	}
	return all
}
