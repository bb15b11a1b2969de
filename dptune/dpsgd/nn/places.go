package nn

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/images"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/places"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// PerPlace returns the layer that applies layers to each of the T places of an example, with the
// same weights: [T, in...] gives [T, out...]. Places are, for instance, the tokens of a text, the
// views of an image, or the records of a user.
//
// The gradient of an example is the sum over its places, Σ_t gradient_t, and it is clipped as one.
// For [Dense] and [Conv2D] it is the product gᵀ a over all places, as in [Products]. Other layers
// form the gradient of each place. An [InputLayer] cannot be inside.
func PerPlace(layers ...Layer) Layer { return perPlace{slices.Clone(layers)} }

type perPlace struct{ layers sequence }

func (l perPlace) String() string { return "PerPlace(" + l.layers.String() + ")" }

func (l perPlace) OutputShape(input []int) ([]int, error) {
	if len(l.layers) == 0 {
		return nil, errors.New("PerPlace: layers are empty: must hold at least one layer")
	}
	if len(input) < 2 {
		return nil, fmt.Errorf("%v: input of shape %v: must be [places, values...]", l, input)
	}
	out, err := l.layers.outputShape(input[1:])
	if err != nil {
		return nil, fmt.Errorf("PerPlace: %w", err)
	}
	return append([]int{input[0]}, out...), nil
}

func (l perPlace) Weights(input []int) []Weight { return l.layers.weights("", input[1:]) }

// Scratch counts the values of all places, and the gradients of one example.
func (l perPlace) Scratch(input []int) int {
	return input[0]*l.layers.scratch(input[1:]) + l.layers.placesScratch(input[0], input[1:])
}

// placesScratch counts what gradients over so many places hold for an example: norms of products,
// or the sum for each weight.
func (s sequence) placesScratch(places int, input []int) int {
	total := 0
	for _, l := range s {
		switch l := l.(type) {
		case dense:
			total += persample.ProductScratch(places, l.inputs, l.outputs)
		case conv2D:
			of := images.Window(l.window).Places(input)
			total += persample.ProductScratch(places*of[0]*of[1], l.window.Kernel[0]*l.window.Kernel[1]*l.inputs, l.outputs)
		case residual:
			total += l.block.placesScratch(places, input) + l.projection.placesScratch(places, input)
		default:
			total += sizeOf(l.Weights(input))
		}
		input, _ = l.OutputShape(input)
	}
	return total
}

// Coins implements [Drawing].
func (l perPlace) Coins(input []int) int { return input[0] * l.layers.coins(input[1:]) }

// ForwardDrawn gives each place its own coins.
func (l perPlace) ForwardDrawn(weights []*graph.Node, in Activations, coins *graph.Node) (Activations, Backward) {
	return perPlace{l.layers.drawnPlaces(in.Values.Shape().Dimensions[2:], coins)}.Forward(weights, in)
}

// drawnPlaces is drawn for layers that run on each place of inputs [T, in...], from coins of all
// places.
func (s sequence) drawnPlaces(input []int, coins *graph.Node) sequence {
	d := coins.Shape().Dimensions
	return s.drawn(input[1:], graph.Reshape(coins, d[0], d[1]*input[0], d[2]/input[0]))
}

func (l perPlace) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	lists := l.layers.each(in.Values.Shape().Dimensions[3:])
	x, tape := in, make(tape, len(l.layers))
	for i, layer := range fused(l.layers) {
		count := len(lists[i])
		x, tape[i] = forwardPlaces(layer, weights[:count:count], x)
		weights = weights[count:]
	}
	x.Present = in.Present
	return x, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInput, layers := tape.back(g, firstTrained(lists), wantInput)
		return atInput, persample.Joint(layers).OrNil()
	}
}

// placed is a layer that computes all places at once. Its inputs are [R or 1, B, T, in...], and its
// gradients are those of examples.
type placed interface {
	forwardPlaces(weights []*graph.Node, in Activations) (Activations, Backward)
}

// forwardPlaces runs a layer on each place of the examples. Layers that are not placed see each
// place as an example. If that example has places itself, as a view of tokens does, Present is
// [R or 1, B, T, T']. Present of the T places is not for the layer.
func forwardPlaces(layer Layer, weights []*graph.Node, in Activations) (Activations, Backward) {
	if l, ok := layer.(placed); ok {
		return l.forwardPlaces(weights, in)
	}
	d := in.Values.Shape().Dimensions
	places := d[2]
	apart := func(x *graph.Node) *graph.Node { // [R, B, T, ...] to [R, B·T, ...]
		d := x.Shape().Dimensions
		return graph.Reshape(x, append([]int{d[0], d[1] * d[2]}, d[3:]...)...)
	}
	together := func(x *graph.Node) *graph.Node {
		d := x.Shape().Dimensions
		return graph.Reshape(x, append([]int{d[0], d[1] / places, places}, d[2:]...)...)
	}
	each := Activations{Values: apart(in.Values)}
	each.facts = facts{about: each.Values, finite: in.known().finite}
	if in.Present != nil && in.Present.Rank() == 4 {
		each.Present = apart(in.Present)
	}
	out, backward := layer.Forward(weights, each)
	y := Activations{Values: together(out.Values)}
	if out.Present != nil {
		y.Present = together(out.Present)
	}
	y.facts = facts{about: y.Values, finite: out.known().finite}
	return y, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInput, atWeights := backward(apart(g), wantInput)
		if atInput != nil {
			atInput = together(atInput)
		}
		if atWeights != nil {
			atWeights = persample.OverPlaces(atWeights, places)
		}
		return atInput, atWeights
	}
}

// forwardPlaces is one product of all places with the weights.
func (l dense) forwardPlaces(weights []*graph.Node, in Activations) (Activations, Backward) {
	d := in.Values.Shape().Dimensions
	z, backward := places.Linear(graph.Reshape(in.Values, d[0], d[1], d[2], l.inputs), in.known().finite, weights[0], weights[1])
	return Activations{Values: z}, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInput, atWeights := backward(g, wantInput)
		if wantInput {
			atInput = graph.Reshape(atInput, append([]int{g.Shape().Dim(0)}, d[1:]...)...)
		}
		return atInput, atWeights
	}
}

func (l flatten) forwardPlaces(_ []*graph.Node, in Activations) (Activations, Backward) {
	d := in.Values.Shape().Dimensions
	in.Present = nil // as in Forward
	y := in.rearranged(graph.Reshape(in.Values, d[0], d[1], d[2], kernel.SizeOf(d[3:])))
	return y, withoutWeights(func(g *graph.Node) *graph.Node {
		return graph.Reshape(g, append([]int{g.Shape().Dim(0)}, d[1:]...)...)
	})
}

func (l elementwise) forwardPlaces(weights []*graph.Node, in Activations) (Activations, Backward) {
	return l.Forward(weights, in)
}

func (l relu) forwardPlaces(weights []*graph.Node, in Activations) (Activations, Backward) {
	return l.Forward(weights, in)
}
