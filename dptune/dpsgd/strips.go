package dpsgd

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// The go backend copies one value after the other when it slices or transposes, but blocks
// when it concatenates. There, rows are made of strips: from each row of pixels that the
// window sees, runs of as many pixels as the window moves by, one for each place, which
// lie one after the other in the image. Nothing is transposed, neither the image nor the
// gradients, for the columns are in the order of the weights.

// hasStrips reports whether strips can be had: the step along columns is one pixel, or
// divides the kernel and takes enough values for a block to be worth copying.
func (u unfolding) hasStrips() bool {
	const enough = 4
	kernel, stride := u.window.Kernel[1], u.window.Stride[1]
	return stride == 1 || kernel%stride == 0 && stride*u.input[2] >= enough
}

// stripViews returns the strips of images [n, rows, columns, channels], each
// [n, places, places, step·channels], in the order of the weights.
func (u unfolding) stripViews(x *graph.Node) []*graph.Node {
	n, channels, stride, kernel := x.Shape().Dim(0), u.input[2], u.window.Stride, u.window.Kernel
	var pads [2]compute.PadAxis
	for i := range pads {
		seen := (u.places[i]-1)*stride[i] + kernel[i]
		pads[i] = compute.PadAxis{Start: u.window.Padding[i], End: max(0, seen-u.input[i]-u.window.Padding[i])}
	}
	x = padZeros(x, compute.PadAxis{}, pads[0], pads[1], compute.PadAxis{})
	x = graph.Reshape(x, n, x.Shape().Dim(1), x.Shape().Dim(2)*channels)
	step := stride[1] * channels
	var views []*graph.Node
	for row := range kernel[0] {
		for column := 0; column < kernel[1]*channels; column += step {
			view := x
			if rows, columns := x.Shape().Dim(1), x.Shape().Dim(2); rows != u.places[0] || columns != u.places[1]*step {
				view = graph.Slice(x, graph.AxisRange(),
					graph.AxisRange(row, row+(u.places[0]-1)*stride[0]+1).Stride(stride[0]),
					graph.AxisRange(column, column+u.places[1]*step))
			}
			views = append(views, graph.Reshape(view, n, u.places[0], u.places[1], step))
		}
	}
	return views
}
