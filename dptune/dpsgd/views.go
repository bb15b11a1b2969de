package dpsgd

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// views are what the places of a window see along one axis of images [n, rows, columns,
// channels], one view for each place.
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

// adjoint adds gradients at the views where they came from.
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
