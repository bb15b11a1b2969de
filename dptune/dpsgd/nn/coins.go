package nn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/images"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/loss"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Drawing is a [Layer] that draws coins while it trains, such as [Dropout]. Coins are independent
// uniform numbers in [0, 1), new at every step and for every example. They are keyed by root, step
// and example. So the coins of one example do not depend on the others. They are the same in any
// order of the batch, in any microbatch, and after a resume. Forward is without coins, for
// evaluation.
//
// A layer of yours that holds others must be Drawing too if they are. Otherwise they train without
// coins.
//
// Coins do not change the guarantee. Given all coins, each example's gradient is a function of that
// example only, and it is clipped by itself. The noise is independent of the coins. So the
// guarantee holds for any values of the coins, and hence for random ones.
type Drawing interface {
	Layer
	// Coins returns the number of coins that one example takes, for the shape of one input.
	Coins(input []int) int
	// ForwardDrawn is Forward with coins [R, B, n], or [1, B, n] if the inputs are shared too.
	ForwardDrawn(weights []*graph.Node, in Activations, coins *graph.Node) (Activations, Backward)
}

// coinsOf returns the number of coins that a layer takes for one example.
func coinsOf(layer Layer, input []int) int {
	if l, draws := layer.(Drawing); draws {
		return l.Coins(input)
	}
	return 0
}

// coins returns the number of coins that the layers take for one example.
func (s sequence) coins(input []int) int {
	total := 0
	for _, layer := range s {
		total += coinsOf(layer, input)
		input, _ = layer.OutputShape(input)
	}
	return total
}

// drawn returns the layers with their coins, from coins [R or 1, B, n] of all of them.
func (s sequence) drawn(input []int, coins *graph.Node) sequence {
	list, at := make(sequence, len(s)), 0
	for i, layer := range s {
		list[i] = layer
		if count := coinsOf(layer, input); count > 0 {
			own := graph.Slice(coins, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(at, at+count))
			list[i] = withCoins{layer.(Drawing), own}
			at += count
		}
		input, _ = layer.OutputShape(input)
	}
	return list
}

// withCoins is a layer with its coins. Its Forward trains.
type withCoins struct {
	Drawing
	coins *graph.Node // [R or 1, B, n]
}

func (l withCoins) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	return l.ForwardDrawn(weights, in, kernel.RepeatShared(l.coins, in.Values.Shape().Dim(0)))
}

// Coins returns the number of coins that training takes for one example, those of all views. The
// model must be valid.
func (m Model) Coins() int { return max(1, m.Views) * sequence(m.Layers).coins(m.Input) }

// Dropout returns the layer that sets each value to 0 with the chance rate in [0, 1), and divides
// the others by 1-rate. It does nothing when the model is evaluated.
//
// Reference: Srivastava et al. (2014), JMLR 15.
func Dropout(rate float64) Layer { return dropout{rate, false} }

// StochasticDepth returns the layer that sets all values of an example to 0 with the chance rate in
// [0, 1), and otherwise divides them by 1-rate. As the last layer of the block of a [Residual], it
// skips the block for some examples. It does nothing when the model is evaluated.
//
// Reference: Huang et al. (2016), arXiv:1603.09382v3.
func StochasticDepth(rate float64) Layer { return dropout{rate, true} }

type dropout struct {
	rate  float64
	whole bool // one coin for all values of an example
}

func (l dropout) String() string {
	if l.whole {
		return fmt.Sprintf("StochasticDepth(%g)", l.rate)
	}
	return fmt.Sprintf("Dropout(%g)", l.rate)
}

// Fingerprint implements [Fingerprinter].
func (l dropout) Fingerprint() []byte { return loss.BytesOf([]float64{l.rate}) }

func (l dropout) OutputShape(input []int) ([]int, error) {
	if !(l.rate >= 0 && l.rate < 1) {
		return nil, fmt.Errorf("%v: rate must be in [0, 1)", l)
	}
	return input, nil
}

func (dropout) Weights([]int) []Weight { return nil }

func (l dropout) Coins(input []int) int {
	switch {
	case l.rate == 0:
		return 0
	case l.whole:
		return 1
	}
	return kernel.SizeOf(input)
}

func (dropout) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	return in, func(g *graph.Node, _ bool) (*graph.Node, Gradients) { return g, nil }
}

func (l dropout) ForwardDrawn(_ []*graph.Node, in Activations, coins *graph.Node) (Activations, Backward) {
	x := in.Values
	kept := graph.ConvertDType(graph.GreaterOrEqual(coins, graph.Scalar(x.Graph(), x.DType(), l.rate)), x.DType())
	factors := graph.MulScalar(kept, 1/(1-l.rate)) // [R or 1, B, n or 1]
	times := func(y *graph.Node) *graph.Node {
		own := kernel.ExpandReplicas(factors, y)
		return graph.Reshape(kernel.Scaled(kernel.FlatRows(y), own), y.Shape().Dimensions...)
	}
	return Activations{Values: times(x), Present: in.Present}, withoutWeights(times)
}

// Crops returns the layer that cuts a random window of the size of the image out of the image with
// padding zeros on each side. With flip, half of the windows are mirrored left to right. Inputs are
// images [rows, columns, channels]. The layer does nothing when the model is evaluated.
//
// With [Model.Views], each view of an example has its own crop.
func Crops(padding int, flip bool) Layer { return crops{padding, flip} }

type crops struct {
	padding int
	flip    bool
}

func (l crops) String() string {
	if l.flip {
		return fmt.Sprintf("Crops(%d, flip)", l.padding)
	}
	return fmt.Sprintf("Crops(%d)", l.padding)
}

func (l crops) OutputShape(input []int) ([]int, error) {
	if l.padding < 0 {
		return nil, fmt.Errorf("%v: padding must be >= 0", l)
	}
	if len(input) != 3 {
		return nil, fmt.Errorf("%v: input of shape %v: must be [rows, columns, channels]", l, input)
	}
	return input, nil
}

func (crops) Weights([]int) []Weight { return nil }

// Coins returns two for the place of the window, and one for the flip.
func (l crops) Coins([]int) int {
	switch {
	case l.flip:
		return 3
	case l.padding > 0:
		return 2
	}
	return 0
}

func (crops) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	return in, func(g *graph.Node, _ bool) (*graph.Node, Gradients) { return g, nil }
}

func (l crops) ForwardDrawn(_ []*graph.Node, in Activations, coins *graph.Node) (Activations, Backward) {
	y, adjoint := images.Crop(in.Values, coins, l.padding, l.flip)
	return in.selected(y), withoutWeights(adjoint)
}
