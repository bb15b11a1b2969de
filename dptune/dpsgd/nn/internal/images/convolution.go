package images

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Convolution is that of nn.Conv2D.
type Convolution struct {
	Inputs, Outputs int
	Window          Window
	Bias            bool
}

// Forward returns the convolution of images x, [R or 1, B, rows, columns, inputs]. finite reports
// that no x is NaN or infinite.
func (l Convolution) Forward(weights []*graph.Node, x *graph.Node, finite bool) (*graph.Node, persample.Backward) {
	blocks := newUnfolding(l.Window, x.Shape().Dimensions[2:])
	u := blocks.forRows(x)
	replicas, batch := weights[0].Shape().Dim(0), x.Shape().Dim(1)
	places := u.places[0] * u.places[1]

	rows := kernel.RowsFor(u.rows(kernel.Images(x)), x.Shape().Dim(0), replicas) // [R or 1, B·places, width]
	tiled := l.tiled(x)
	var z *graph.Node
	if tiled {
		z = graph.Reshape(l.tiledForward(weights[0], x), replicas, batch*places, l.Outputs)
	} else {
		z = kernel.ProductOfRows(rows, u.kernels(weights[0], rows))
	}
	if l.Bias {
		z = graph.Add(z, kernel.ExpandLike(graph.InsertAxes(kernel.AfterKernel(z, weights[1]), 1), z))
	}
	z = graph.Reshape(z, replicas, batch, u.places[0], u.places[1], l.Outputs)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, persample.Gradients) {
		var atInput *graph.Node
		switch {
		case wantInput && tiled:
			atInput = l.tiledAtInput(weights[0], g)
		case wantInput:
			atInput = l.atInput(blocks, blocks.blockOrder(weights[0]), g)
		}
		return atInput, &convGradients{order: u, Products: persample.Products{
			Width: u.width(), Bias: l.Bias, Finite: finite,
			Rows: graph.Reshape(rows, rows.Shape().Dim(0)*batch, places, rows.Shape().Dim(2)),
			G:    graph.Reshape(g, replicas, batch, places, l.Outputs),
		}}
	}
	return z, backward
}

// atInput returns the gradient at the inputs. At each place within the window, it adds g times the
// weights there to the inputs that the window saw.
func (l Convolution) atInput(u unfolding, w, g *graph.Node) *graph.Node {
	replicas, batch, c := g.Shape().Dim(0), g.Shape().Dim(1), u.channels()
	flat := graph.Reshape(g, replicas, batch*u.places[0]*u.places[1], l.Outputs)
	sums := make([]*graph.Node, u.partsOfBlock(g))
	c /= len(sums)
	product := func(from, to int) *graph.Node {
		return kernel.BatchedProduct(flat, graph.Slice(w, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(from, to)))
	}
	if kernel.SharesMemory(g) { // one product is faster on the processor
		all := kernel.Kept(kernel.BatchedProduct(flat, w))
		product = func(from, to int) *graph.Node {
			return graph.Slice(all, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(from, to))
		}
	}
	from := 0
	u.each(func(at [2]int) {
		for i, sum := range sums {
			part := product(from, from+c)
			from += c
			part = u.unview(graph.Reshape(part, replicas*batch, u.places[0], u.places[1], c), at)
			if sum != nil {
				part = graph.Add(sum, part)
			}
			sums[i] = part
		}
	})
	return graph.Reshape(u.unblocks(sums), replicas, batch, u.input[0], u.input[1], u.input[2])
}

// convGradients are the products of a convolution, whose weights are in another order.
type convGradients struct {
	persample.Products
	order unfolding
}

func (c *convGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	sums := c.Sums(factors)
	sums[0] = c.order.pixelOrder(sums[0])
	return sums
}

func (c *convGradients) Each() []*graph.Node {
	each := []*graph.Node{c.order.pixelOrder(c.Product())}
	each[0] = graph.Reshape(each[0], append([]int{c.G.Shape().Dim(0), c.G.Shape().Dim(1)}, each[0].Shape().Dimensions[1:]...)...)
	if c.Bias {
		each = append(each, c.Biases())
	}
	return each
}

func (c *convGradients) OverPlaces(times int) persample.Gradients {
	return &convGradients{*c.Products.OverPlaces(times).(*persample.Products), c.order}
}
