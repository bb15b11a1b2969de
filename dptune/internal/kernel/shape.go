package kernel

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// WantShape panics, as graph functions do, unless a node has a shape.
func WantShape(what string, x *graph.Node, want []int) {
	if x == nil {
		panic(fmt.Errorf("%s is missing (nil): must be of shape %v", what, want))
	}
	if !slices.Equal(x.Shape().Dimensions, want) {
		panic(fmt.Errorf("%s is of shape %v: must be %v", what, x.Shape().Dimensions, want))
	}
}

// WithDims returns a shape of the given sides in the type of x.
func WithDims(x *graph.Node, dims ...int) shapes.Shape { return shapes.Make(x.DType(), dims...) }

// Transposed swaps the last two axes of [R, m, n].
func Transposed(x *graph.Node) *graph.Node { return graph.TransposeAllAxes(x, 0, 2, 1) }

// FlatRows reshapes [R, B, ...] to [R, B, n].
func FlatRows(x *graph.Node) *graph.Node {
	r, b := x.Shape().Dim(0), x.Shape().Dim(1)
	return graph.Reshape(x, r, b, x.Shape().Size()/(r*b))
}

// Images joins the axes of replicas and examples.
func Images(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	return graph.Reshape(x, append([]int{d[0] * d[1]}, d[2:]...)...)
}

// FirstColumns returns the first columns of [R, m, n].
func FirstColumns(x *graph.Node, columns int) *graph.Node {
	if x.Shape().Dim(2) == columns {
		return x
	}
	return graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, columns))
}

// Column returns column i of [R, K] as [R, 1].
func Column(x *graph.Node, i int) *graph.Node {
	if x.Shape().Dim(1) == 1 {
		return x
	}
	return graph.Slice(x, graph.AxisRange(), graph.AxisRange(i, i+1))
}

// SizeOf returns the number of values in an array of a shape.
func SizeOf(shape []int) int {
	size := 1
	for _, side := range shape {
		size *= side
	}
	return size
}

// PadZeros adds zeros around the values of x, and between them.
func PadZeros(x *graph.Node, axes ...compute.PadAxis) *graph.Node {
	for _, a := range axes {
		if a != (compute.PadAxis{}) {
			return graph.Pad(x, graph.ScalarZero(x.Graph(), x.DType()), axes...)
		}
	}
	return x
}
