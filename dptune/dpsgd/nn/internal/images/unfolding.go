package images

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// unfolding turns a convolution of an image into a product of matrices. It copies the values in the
// window at each place into one row.
//
// A stride s that divides the kernel k is removed first. The image is cut into blocks of s by s
// pixels, which become channels, and a window of k/s by k/s blocks moves in steps of one block.
// That needs s² times fewer copies.
type unfolding struct {
	window Window
	input  [3]int // rows, columns, channels of the image
	places [2]int // of the window
	strips bool   // rows are made of strips of the image, and no stride is removed
}

func newUnfolding(w Window, input []int) unfolding {
	return unfolding{window: w, input: [3]int(input), places: w.Places(input)}
}

// forRows returns the unfolding that computes the rows of x fastest.
func (u unfolding) forRows(x *graph.Node) unfolding {
	u.strips = kernel.IsGo(x) && u.hasStrips()
	return u
}

// block returns the stride that is removed, 1 if it does not divide the kernel.
func (u unfolding) block() [2]int {
	if u.strips {
		return [2]int{1, 1}
	}
	for i, s := range u.window.Stride {
		if u.window.Kernel[i]%s != 0 {
			return [2]int{1, 1}
		}
	}
	return u.window.Stride
}

// kernel returns the kernel on the image of blocks.
func (u unfolding) kernel() [2]int {
	b := u.block()
	return [2]int{u.window.Kernel[0] / b[0], u.window.Kernel[1] / b[1]}
}

func (u unfolding) stride() [2]int {
	b := u.block()
	return [2]int{u.window.Stride[0] / b[0], u.window.Stride[1] / b[1]}
}

// sides returns the sides of the image of blocks that the window covers.
func (u unfolding) sides() [2]int {
	k, s := u.kernel(), u.stride()
	return [2]int{(u.places[0]-1)*s[0] + k[0], (u.places[1]-1)*s[1] + k[1]}
}

// channels is the number of values in a block.
func (u unfolding) channels() int { b := u.block(); return b[0] * b[1] * u.input[2] }

// width is the number of values in the window.
func (u unfolding) width() int { return u.window.Kernel[0] * u.window.Kernel[1] * u.input[2] }

// blocks returns images [n, rows, columns, channels] padded, cut to what the window
// covers, and with blocks as channels.
func (u unfolding) blocks(x *graph.Node) *graph.Node {
	n, b, sides := x.Shape().Dim(0), u.block(), u.sides()
	var pads [2][2]int
	for i := range pads {
		pads[i][0] = u.window.Padding[i]
		pads[i][1] = sides[i]*b[i] - u.input[i] - pads[i][0] // negative if the window misses the last pixels
	}
	x = cropOrPad(x, pads)
	if b == [2]int{1, 1} {
		return x
	}
	x = graph.Reshape(x, n, sides[0], b[0], sides[1], b[1], u.input[2])
	return graph.Reshape(graph.TransposeAllAxes(x, 0, 1, 3, 2, 4, 5), n, sides[0], sides[1], u.channels())
}

// unblocks is the adjoint of blocks. It takes the channels of a block whole, or each row of
// pixels of the blocks by itself.
func (u unfolding) unblocks(parts []*graph.Node) *graph.Node {
	n, b, sides := parts[0].Shape().Dim(0), u.block(), u.sides()
	x := parts[0]
	switch {
	case len(parts) > 1:
		for i, part := range parts {
			parts[i] = graph.Reshape(part, n, sides[0], 1, sides[1]*b[1]*u.input[2])
		}
		x = graph.Concatenate(parts, 2)
	case b != [2]int{1, 1}:
		x = graph.Reshape(x, n, sides[0], sides[1], b[0], b[1], u.input[2])
		x = graph.TransposeAllAxes(x, 0, 1, 3, 2, 4, 5)
	}
	x = graph.Reshape(x, n, sides[0]*b[0], sides[1]*b[1], u.input[2])
	var pads [2][2]int
	for i := range pads {
		pads[i][0] = -u.window.Padding[i]
		pads[i][1] = u.input[i] - sides[i]*b[i] - pads[i][0]
	}
	return cropOrPad(x, pads)
}

// rows returns the values in the window, [n, places, width], from images [n, ...]. Columns of zeros
// may follow, if products with that number of columns are faster.
func (u unfolding) rows(x *graph.Node) *graph.Node {
	var views []*graph.Node
	if u.strips {
		views = u.stripViews(x)
	} else {
		blocks := kernel.Kept(u.blocks(x))
		u.each(func(at [2]int) { views = append(views, u.view(blocks, at)) })
	}
	joint, columns := views[0], u.width()
	if len(views) > 1 {
		if over := columns % kernel.VectorLane; over > 0 && kernel.VectorKernels(x) {
			views = append(views, graph.Zeros(x.Graph(), kernel.WithDims(x, x.Shape().Dim(0), u.places[0], u.places[1], kernel.VectorLane-over)))
			columns += kernel.VectorLane - over
		}
		joint = graph.Concatenate(views, 3)
	}
	return graph.Reshape(joint, x.Shape().Dim(0), u.places[0]*u.places[1], columns)
}

// each visits the places within the window in row-major order.
func (u unfolding) each(visit func(at [2]int)) {
	k := u.kernel()
	for y := range k[0] {
		for x := range k[1] {
			visit([2]int{y, x})
		}
	}
}

// view returns the blocks at one place within the window, as the window moves.
func (u unfolding) view(blocks *graph.Node, at [2]int) *graph.Node {
	s := u.stride()
	axis := func(i int) graph.SliceAxisSpec {
		return graph.AxisRange(at[i], at[i]+(u.places[i]-1)*s[i]+1).Stride(s[i])
	}
	return graph.Slice(blocks, graph.AxisRange(), axis(0), axis(1), graph.AxisRange())
}

// unview is the adjoint of view: zeros except at that place.
func (u unfolding) unview(x *graph.Node, at [2]int) *graph.Node {
	s, sides := u.stride(), u.sides()
	var axes [2]compute.PadAxis
	for i := range axes {
		span := (u.places[i]-1)*s[i] + 1
		axes[i] = compute.PadAxis{Start: at[i], End: sides[i] - at[i] - span, Interior: s[i] - 1}
	}
	return kernel.PadZeros(x, compute.PadAxis{}, axes[0], axes[1], compute.PadAxis{})
}

// blockOrder reorders weights [R, outputs, kernel rows, kernel columns, channels] into
// [R, outputs, width], the order of a row.
func (u unfolding) blockOrder(w *graph.Node) *graph.Node {
	r, out, k, b := w.Shape().Dim(0), w.Shape().Dim(1), u.kernel(), u.block()
	if b != [2]int{1, 1} {
		w = graph.Reshape(w, r, out, k[0], b[0], k[1], b[1], u.input[2])
		w = graph.TransposeAllAxes(w, 0, 1, 2, 4, 3, 5, 6)
	}
	return graph.Reshape(w, r, out, u.width())
}

// pixelOrder is the inverse of blockOrder, for [n, outputs, width] with any n. Columns that
// follow are dropped.
func (u unfolding) pixelOrder(g *graph.Node) *graph.Node {
	g = kernel.FirstColumns(g, u.width())
	n, out, k, b := g.Shape().Dim(0), g.Shape().Dim(1), u.kernel(), u.block()
	if b != [2]int{1, 1} {
		g = graph.Reshape(g, n, out, k[0], k[1], b[0], b[1], u.input[2])
		g = graph.TransposeAllAxes(g, 0, 1, 2, 4, 3, 5, 6)
	}
	return graph.Reshape(g, n, out, u.window.Kernel[0], u.window.Kernel[1], u.input[2])
}

// kernels turns weights [R, outputs, ...] into the matrix [R, width, outputs] that multiplies rows,
// with zeros for the columns of zeros.
func (u unfolding) kernels(w, rows *graph.Node) *graph.Node {
	k := kernel.Transposed(u.blockOrder(w))
	if over := rows.Shape().Dim(2) - u.width(); over > 0 {
		zeros := graph.Zeros(w.Graph(), kernel.WithDims(w, k.Shape().Dim(0), over, k.Shape().Dim(2)))
		k = graph.Concatenate([]*graph.Node{k, zeros}, 1)
	}
	return k
}

// partsOfBlock returns how many parts the gradient at a block is computed in. If products of few
// columns are fast, the go backend computes each row of pixels by itself, which avoids a
// transposition.
func (u unfolding) partsOfBlock(x *graph.Node) int {
	b := u.block()
	if kernel.IsGo(x) && b[1]*u.input[2]%kernel.VectorLane == 0 {
		return b[0]
	}
	return 1
}

// cropOrPad adds zeros to the ends of the rows and columns of [n, rows, columns, channels]. A
// negative pad removes values.
func cropOrPad(x *graph.Node, pads [2][2]int) *graph.Node {
	from, to := [2]int{}, [2]int{x.Shape().Dim(1), x.Shape().Dim(2)}
	var axes [2]compute.PadAxis
	crop := false
	for i, p := range pads {
		from[i], to[i] = max(0, -p[0]), to[i]-max(0, -p[1])
		axes[i] = compute.PadAxis{Start: max(0, p[0]), End: max(0, p[1])}
		crop = crop || from[i] > 0 || to[i] < x.Shape().Dim(1+i)
	}
	if crop {
		x = graph.Slice(x, graph.AxisRange(), graph.AxisRange(from[0], to[0]), graph.AxisRange(from[1], to[1]), graph.AxisRange())
	}
	return kernel.PadZeros(x, compute.PadAxis{}, axes[0], axes[1], compute.PadAxis{})
}

// The go backend copies value by value when it slices or transposes, and whole blocks when it
// concatenates. There, rows are made of strips. A strip is a run of pixels in a row of the image,
// as long as the window's step; the strips of all places follow each other in the image. Neither
// the image nor the gradients are transposed, because the columns are in the order of the weights.

// hasStrips reports whether rows can be made of strips. The step along columns must be one pixel,
// or divide the kernel and hold enough values for copying in blocks.
func (u unfolding) hasStrips() bool {
	const enough = 4
	kernel, stride := u.window.Kernel[1], u.window.Stride[1]
	return stride == 1 || kernel%stride == 0 && stride*u.input[2] >= enough
}

// stripViews returns the strips of images [n, rows, columns, channels], each
// [n, places, places, step·channels], in the order of the weights.
func (u unfolding) stripViews(x *graph.Node) []*graph.Node {
	n, channels, stride, sides := x.Shape().Dim(0), u.input[2], u.window.Stride, u.window.Kernel
	var pads [2]compute.PadAxis
	for i := range pads {
		seen := (u.places[i]-1)*stride[i] + sides[i]
		pads[i] = compute.PadAxis{Start: u.window.Padding[i], End: max(0, seen-u.input[i]-u.window.Padding[i])}
	}
	x = kernel.PadZeros(x, compute.PadAxis{}, pads[0], pads[1], compute.PadAxis{})
	x = graph.Reshape(x, n, x.Shape().Dim(1), x.Shape().Dim(2)*channels)
	step := stride[1] * channels
	var views []*graph.Node
	for row := range sides[0] {
		for column := 0; column < sides[1]*channels; column += step {
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
