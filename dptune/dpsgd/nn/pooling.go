package nn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/images"
)

// MaxPool returns the layer that takes the largest value in a window, in each channel of an image
// [rows, columns, channels]. Padding is not supported.
//
//	y[p, q, c] = max_{i, j} x[p·stride+i, q·stride+j, c]
//
// The gradient at y goes to one place of the maximum: the first along rows, and then along columns.
// A max-pooling and a non-decreasing activation can be exchanged. The activation costs less after
// the pooling.
func MaxPool(window Window) Layer { return maxPool{window} }

type maxPool struct{ window Window }

func (l maxPool) String() string { return fmt.Sprintf("MaxPool(%v)", l.window) }

func (l maxPool) OutputShape(input []int) ([]int, error) { return poolShape(l, l.window, input) }

func (l maxPool) Weights([]int) []Weight { return nil }

func (l maxPool) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	y, adjoint := images.MaxPool(in.Values, images.Window(l.window))
	return in.selected(y), withoutWeights(adjoint)
}

// withoutWeights returns the backward pass of a layer without weights.
func withoutWeights(adjoint func(g *graph.Node) *graph.Node) Backward {
	return func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		return adjoint(g), nil
	}
}

// poolShape is the output shape of a pooling.
func poolShape(l Layer, w Window, input []int) ([]int, error) {
	places, err := w.outputs(input)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	if w.Padding != [2]int{} {
		return nil, fmt.Errorf("%v: padding must be 0", l)
	}
	return []int{places[0], places[1], input[2]}, nil
}

// AvgPool returns the layer that takes the mean over a window, in each channel of an image [rows,
// columns, channels]. Padding is not supported.
//
//	y[p, q, c] = 1/|window| Σ_{i, j} x[p·stride+i, q·stride+j, c]
func AvgPool(window Window) Layer { return avgPool{window} }

type avgPool struct{ window Window }

func (l avgPool) String() string { return fmt.Sprintf("AvgPool(%v)", l.window) }

func (l avgPool) OutputShape(input []int) ([]int, error) { return poolShape(l, l.window, input) }

func (l avgPool) Weights([]int) []Weight { return nil }

func (l avgPool) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	y, adjoint := images.AvgPool(in.Values, images.Window(l.window))
	return Activations{Values: y}, withoutWeights(adjoint)
}

// GlobalAvgPool returns the layer that takes the mean of each channel of an image [rows,
// columns, channels]: a vector [channels].
//
//	y[c] = 1/(rows·columns) Σ_{p, q} x[p, q, c]
func GlobalAvgPool() Layer { return globalAvgPool{} }

type globalAvgPool struct{}

func (globalAvgPool) String() string { return "GlobalAvgPool" }

func (l globalAvgPool) OutputShape(input []int) ([]int, error) {
	if len(input) != 3 {
		return nil, fmt.Errorf("%v: input of shape %v: must be [rows, columns, channels]", l, input)
	}
	return input[2:], nil
}

func (globalAvgPool) Weights([]int) []Weight { return nil }

func (globalAvgPool) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	shape := in.Values.Shape().Dimensions
	places := shape[2] * shape[3]
	y := graph.ReduceSum(graph.Reshape(in.Values, shape[0], shape[1], places, shape[4]), 2)
	backward := withoutWeights(func(g *graph.Node) *graph.Node {
		g = graph.InsertAxes(graph.MulScalar(g, 1/float64(places)), 2, 2)
		return graph.BroadcastToDims(g, shape[0], shape[1], shape[2], shape[3], shape[4])
	})
	return Activations{Values: graph.MulScalar(y, 1/float64(places))}, backward
}

// Window is the window of a convolution or a pooling over an image: sides, steps and zero padding,
// each for rows and then for columns. Padding is added on both sides.
type Window struct{ Kernel, Stride, Padding [2]int }

// Square returns the window with equal sides.
func Square(kernel, stride, padding int) Window {
	return Window{[2]int{kernel, kernel}, [2]int{stride, stride}, [2]int{padding, padding}}
}

// String returns, for instance, "3x3 stride 2x2 padding 1x1".
func (w Window) String() string {
	text := pair(w.Kernel)
	if w.Stride != [2]int{1, 1} {
		text += " stride " + pair(w.Stride)
	}
	if w.Padding != [2]int{} {
		text += " padding " + pair(w.Padding)
	}
	return text
}

func pair(p [2]int) string { return fmt.Sprintf("%dx%d", p[0], p[1]) }

// outputs returns how many places the window has on an image of shape [rows, columns, channels].
func (w Window) outputs(input []int) (places [2]int, err error) {
	return images.Window(w).Outputs(input)
}
