package dpsgd

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// MaxPool returns the layer that takes the largest value that a window sees, in each
// channel of an image [rows, columns, channels]. Padding is not supported.
//
//	y[p, q, c] = max_{i, j} x[p·stride+i, q·stride+j, c]
//
// The gradient at y goes to one place where the maximum is: the first along rows, and then
// along columns. A max-pooling and an activation that does not decrease can change places;
// the activation costs less after the pooling.
func MaxPool(window Window) Layer { return maxPool{window} }

type maxPool struct{ window Window }

func (l maxPool) String() string { return fmt.Sprintf("MaxPool(%v)", l.window) }

func (l maxPool) OutputShape(input []int) ([]int, error) { return poolShape(l, l.window, input) }

func (l maxPool) Weights([]int) []Weight { return nil }

func (l maxPool) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	shape := in.Values.Shape().Dimensions
	// The largest in a row of the window, and then the largest of those rows.
	byColumn, columns := maxAlong(images(in.Values), 2, l.window)
	byRow, rows := maxAlong(byColumn, 1, l.window)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		return graph.Reshape(columns(rows(images(g))), shape...), nil
	}
	y := graph.Reshape(byRow, append([]int{shape[0], shape[1]}, byRow.Shape().Dimensions[1:]...)...)
	return in.selected(y), backward
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

// maxAlong returns the maximum over a window along one axis of images, and its adjoint.
func maxAlong(x *graph.Node, axis int, w Window) (y *graph.Node, backward func(g *graph.Node) *graph.Node) {
	v := newViews(x, axis, w)
	y = v.at(0)
	later := make([]*graph.Node, v.kernel) // whether the maximum up to a place is new there
	for i := 1; i < v.kernel; i++ {
		next := v.at(i)
		later[i] = graph.GreaterThan(next, y)
		y = graph.Max(y, next)
	}
	return y, func(g *graph.Node) *graph.Node {
		parts := make([]*graph.Node, v.kernel)
		for i := v.kernel - 1; i > 0; i-- {
			parts[i] = onlyWhere(later[i], g)
			g = graph.Sub(g, parts[i])
		}
		parts[0] = g
		return v.adjoint(parts)
	}
}
