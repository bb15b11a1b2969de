package images

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// MaxPool returns the pooling of images x, [R, B, rows, columns, channels], and its adjoint.
func MaxPool(x *graph.Node, w Window) (y *graph.Node, adjoint func(g *graph.Node) *graph.Node) {
	shape := x.Shape().Dimensions
	// The largest in each row of the window, and then the largest of these.
	byColumn, columns := maxAlong(kernel.Images(x), 2, w)
	byRow, rows := maxAlong(byColumn, 1, w)
	adjoint = func(g *graph.Node) *graph.Node { return graph.Reshape(columns(rows(kernel.Images(g))), shape...) }
	y = graph.Reshape(byRow, append([]int{shape[0], shape[1]}, byRow.Shape().Dimensions[1:]...)...)
	return y, adjoint
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

// AvgPool returns the pooling of images x, [R, B, rows, columns, channels], and its adjoint.
func AvgPool(x *graph.Node, w Window) (y *graph.Node, adjoint func(g *graph.Node) *graph.Node) {
	shape := x.Shape().Dimensions
	scale := 1 / float64(w.Kernel[0]*w.Kernel[1])
	byColumn, columns := sumAlong(kernel.Images(x), 2, w)
	byRow, rows := sumAlong(byColumn, 1, w)
	adjoint = func(g *graph.Node) *graph.Node {
		return graph.Reshape(columns(rows(graph.MulScalar(kernel.Images(g), scale))), shape...)
	}
	y = graph.MulScalar(byRow, scale)
	return graph.Reshape(y, append([]int{shape[0], shape[1]}, y.Shape().Dimensions[1:]...)...), adjoint
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
		part = kernel.PadZeros(part, axes...)
		if sum == nil {
			sum = part
			continue
		}
		sum = graph.Add(sum, part)
	}
	return sum
}
