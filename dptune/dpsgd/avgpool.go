package dpsgd

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// AvgPool returns the layer that takes the mean of what a window sees, in each channel of
// an image [rows, columns, channels]. Padding is not supported.
//
//	y[p, q, c] = 1/|window| Σ_{i, j} x[p·stride+i, q·stride+j, c]
func AvgPool(window Window) Layer { return avgPool{window} }

type avgPool struct{ window Window }

func (l avgPool) String() string { return fmt.Sprintf("AvgPool(%v)", l.window) }

func (l avgPool) OutputShape(input []int) ([]int, error) { return poolShape(l, l.window, input) }

func (l avgPool) Weights([]int) []Weight { return nil }

func (l avgPool) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	shape := in.Values.Shape().Dimensions
	scale := 1 / float64(l.window.Kernel[0]*l.window.Kernel[1])
	byColumn, columns := sumAlong(images(in.Values), 2, l.window)
	byRow, rows := sumAlong(byColumn, 1, l.window)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		return graph.Reshape(columns(rows(graph.MulScalar(images(g), scale))), shape...), nil
	}
	y := graph.MulScalar(byRow, scale)
	return Activations{Values: graph.Reshape(y, append([]int{shape[0], shape[1]}, y.Shape().Dimensions[1:]...)...)}, backward
}

// sumAlong returns the sum over a window along one axis of images, and its adjoint.
func sumAlong(x *graph.Node, axis int, w Window) (y *graph.Node, backward func(g *graph.Node) *graph.Node) {
	v := newViews(x, axis, w)
	y = v.at(0)
	for i := 1; i < v.kernel; i++ {
		y = graph.Add(y, v.at(i))
	}
	return y, func(g *graph.Node) *graph.Node {
		parts := make([]*graph.Node, v.kernel)
		for i := range parts {
			parts[i] = g
		}
		return v.adjoint(parts)
	}
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
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		g = graph.InsertAxes(graph.MulScalar(g, 1/float64(places)), 2, 2)
		return graph.BroadcastToDims(g, shape[0], shape[1], shape[2], shape[3], shape[4]), nil
	}
	return Activations{Values: graph.MulScalar(y, 1/float64(places))}, backward
}
