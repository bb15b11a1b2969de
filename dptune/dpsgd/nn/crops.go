package nn

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Crops returns the layer that cuts a random window of the size of the image out of the image with
// padding zeros on each side. With flip, half of the windows are mirrored left to right. Inputs are
// images [rows, columns, channels]. The layer does nothing when the model is evaluated.
//
// With [Model.Views], each view of an example has its own crop.
func Crops(padding int, flip bool) Layer { return crops{padding, flip} }

type crops struct {
	padding int
	flip    bool
}

func (l crops) String() string {
	if l.flip {
		return fmt.Sprintf("Crops(%d, flip)", l.padding)
	}
	return fmt.Sprintf("Crops(%d)", l.padding)
}

func (l crops) OutputShape(input []int) ([]int, error) {
	if l.padding < 0 {
		return nil, fmt.Errorf("%v: padding must be >= 0", l)
	}
	if len(input) != 3 {
		return nil, fmt.Errorf("%v: input of shape %v: must be [rows, columns, channels]", l, input)
	}
	return input, nil
}

func (crops) Weights([]int) []Weight { return nil }

// Coins returns two for the place of the window, and one for the flip.
func (l crops) Coins([]int) int {
	switch {
	case l.flip:
		return 3
	case l.padding > 0:
		return 2
	}
	return 0
}

func (crops) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	return in, func(g *graph.Node, _ bool) (*graph.Node, Gradients) { return g, nil }
}

func (l crops) ForwardDrawn(_ []*graph.Node, in Activations, coins *graph.Node) (Activations, Backward) {
	// Pixel (y, x) of the window is pixel (y + down, m(x) + right) of the image, or 0 outside of it.
	// m mirrors columns if the window is flipped. So pixel (y, x) of the image is pixel (y - down,
	// m(x - right)) of the window.
	down, right, flipped := l.draw(coins)
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
	return in.selected(cut(in.Values, false)), func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		return cut(g, true), nil
	}
}

// draw returns the place of each window, from -padding to padding, and whether it is flipped,
// [R, B].
func (l crops) draw(coins *graph.Node) (down, right, flipped *graph.Node) {
	column := func(i int) *graph.Node {
		return graph.Reshape(graph.Slice(coins, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(i)), coins.Shape().Dim(0), coins.Shape().Dim(1))
	}
	place := func(coin *graph.Node) *graph.Node { // the product may round up to 2·padding+1
		drawn := graph.MinScalar(graph.Floor(graph.MulScalar(coin, float64(2*l.padding+1))), float64(2*l.padding))
		return graph.AddScalar(graph.ConvertDType(drawn, dtypes.Int32), float64(-l.padding))
	}
	down, right = place(column(0)), place(column(1))
	half := graph.Scalar(coins.Graph(), coins.DType(), 0.5)
	if l.flip {
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
