package nn

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
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
	shape := in.Values.Shape().Dimensions
	// The largest in each row of the window, and then the largest of these.
	byColumn, columns := maxAlong(kernel.Images(in.Values), 2, l.window)
	byRow, rows := maxAlong(byColumn, 1, l.window)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		return graph.Reshape(columns(rows(kernel.Images(g))), shape...), nil
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
	later := make([]*graph.Node, v.kernel) // whether a place is larger than all before it
	for i := 1; i < v.kernel; i++ {
		next := v.at(i)
		later[i] = graph.GreaterThan(next, y)
		y = graph.Max(y, next)
	}
	return y, func(g *graph.Node) *graph.Node {
		parts := make([]*graph.Node, v.kernel)
		for i := v.kernel - 1; i > 0; i-- {
			parts[i] = kernel.OnlyWhere(later[i], g)
			g = graph.Sub(g, parts[i])
		}
		parts[0] = g
		return v.adjoint(parts)
	}
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
	shape := in.Values.Shape().Dimensions
	scale := 1 / float64(l.window.Kernel[0]*l.window.Kernel[1])
	byColumn, columns := sumAlong(kernel.Images(in.Values), 2, l.window)
	byRow, rows := sumAlong(byColumn, 1, l.window)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		return graph.Reshape(columns(rows(graph.MulScalar(kernel.Images(g), scale))), shape...), nil
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

// views are slices along one axis of images [n, rows, columns, channels], one for each place of a
// window.
type views struct {
	x              *graph.Node
	axis           int
	kernel, stride int
	places         int
}

// newViews prepares the views along axis 1 (rows) or 2 (columns), without padding.
func newViews(x *graph.Node, axis int, w Window) views {
	kernel, stride := w.Kernel[axis-1], w.Stride[axis-1]
	return views{x, axis, kernel, stride, (x.Shape().Dim(axis)-kernel)/stride + 1}
}

// at returns the view of one place.
func (v views) at(place int) *graph.Node {
	axes := []graph.SliceAxisSpec{graph.AxisRange(), graph.AxisRange(), graph.AxisRange(), graph.AxisRange()}
	axes[v.axis] = graph.AxisRange(place, place+(v.places-1)*v.stride+1).Stride(v.stride)
	return graph.Slice(v.x, axes...)
}

// adjoint adds gradients at the views to their origin.
func (v views) adjoint(parts []*graph.Node) *graph.Node {
	var sum *graph.Node
	for i, part := range parts {
		axes := make([]compute.PadAxis, 4)
		span := (v.places-1)*v.stride + 1
		axes[v.axis] = compute.PadAxis{Start: i, End: v.x.Shape().Dim(v.axis) - i - span, Interior: v.stride - 1}
		part = padZeros(part, axes...)
		if sum == nil {
			sum = part
			continue
		}
		sum = graph.Add(sum, part)
	}
	return sum
}
