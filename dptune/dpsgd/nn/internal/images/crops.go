package images

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Crop returns windows of images x [R, B, rows, columns, channels] with padding zeros on each side,
// and its adjoint. Coins [R or 1, B, 2] give the places of windows, and a third coin their flips.
func Crop(x, coins *graph.Node, padding int, flip bool) (y *graph.Node, adjoint func(g *graph.Node) *graph.Node) {
	// Pixel (y, x) of the window is pixel (y + down, m(x) + right) of the image, or 0 outside of it.
	// m mirrors columns if the window is flipped. So pixel (y, x) of the image is pixel (y - down,
	// m(x - right)) of the window.
	down, right, flipped := drawWindows(coins, padding, flip)
	cut := func(x *graph.Node, back bool) *graph.Node {
		d := x.Shape().Dimensions
		each := func(n *graph.Node) *graph.Node { return kernel.Expand(atPlaces(n, d[0]), d[:4]...) }
		row, column := iota4(x, 2), iota4(x, 3)
		mirror := func(column *graph.Node) *graph.Node {
			return graph.Where(each(flipped), graph.Sub(graph.Const(x.Graph(), int32(d[3]-1)), column), column)
		}
		if back {
			row, column = graph.Sub(row, each(down)), mirror(graph.Sub(column, each(right)))
		} else {
			row, column = graph.Add(row, each(down)), graph.Add(mirror(column), each(right))
		}
		return pixels(x, row, column)
	}
	return cut(x, false), func(g *graph.Node) *graph.Node { return cut(g, true) }
}

// drawWindows returns the place of each window, from -padding to padding, and whether it is
// flipped, [R, B].
func drawWindows(coins *graph.Node, padding int, flip bool) (down, right, flipped *graph.Node) {
	column := func(i int) *graph.Node {
		return graph.Reshape(graph.Slice(coins, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(i)), coins.Shape().Dim(0), coins.Shape().Dim(1))
	}
	place := func(coin *graph.Node) *graph.Node { // the product may round up to 2·padding+1
		drawn := graph.MinScalar(graph.Floor(graph.MulScalar(coin, float64(2*padding+1))), float64(2*padding))
		return graph.AddScalar(graph.ConvertDType(drawn, dtypes.Int32), float64(-padding))
	}
	down, right = place(column(0)), place(column(1))
	half := graph.Scalar(coins.Graph(), coins.DType(), 0.5)
	if flip {
		return down, right, graph.LessThan(column(2), half)
	}
	return down, right, graph.LessThan(graph.OnePlus(column(1)), half) // never
}

// atPlaces returns numbers [R or 1, B] for each of the replicas as [R, B, 1, 1].
func atPlaces(n *graph.Node, replicas int) *graph.Node {
	return graph.InsertAxes(kernel.RepeatShared(n, replicas), -1, -1)
}

// iota4 returns the place along an axis, [R, B, rows, columns], for images x.
func iota4(x *graph.Node, axis int) *graph.Node {
	return graph.Iota(x.Graph(), shapes.Make(dtypes.Int32, x.Shape().Dimensions[:4]...), axis)
}

// pixels returns the pixels of images x [R, B, rows, columns, channels] at some places [R, B, rows,
// columns], and zeros for places outside.
func pixels(x, row, column *graph.Node) *graph.Node {
	d, g := x.Shape().Dimensions, x.Graph()
	within := func(at *graph.Node, side int) (inside, clamped *graph.Node) {
		least, most := graph.Const(g, int32(0)), graph.Const(g, int32(side-1))
		inside = graph.LogicalAnd(graph.GreaterOrEqual(at, least), graph.LessOrEqual(at, most))
		return inside, graph.Min(graph.Max(at, least), most)
	}
	inRows, row := within(row, d[2])
	inColumns, column := within(column, d[3])
	at := graph.Stack([]*graph.Node{iota4(x, 0), iota4(x, 1), row, column}, -1)
	inside := kernel.Expand(graph.InsertAxes(graph.LogicalAnd(inRows, inColumns), -1), d...)
	return graph.Where(inside, graph.Gather(x, at), graph.ZerosLike(x))
}
