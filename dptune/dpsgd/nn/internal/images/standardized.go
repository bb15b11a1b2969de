package images

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// ForwardStandardized is Forward with the kernels of nn.WeightStandardized.
func (l Convolution) ForwardStandardized(weights []*graph.Node, x *graph.Node, finite bool) (*graph.Node, persample.Backward) {
	const epsilon = 1e-5
	dims := weights[0].Shape().Dimensions // [R, outputs, rows, columns, inputs]
	n := kernel.SizeOf(dims[2:])
	w := graph.Reshape(weights[0], dims[0], dims[1], n)
	sum := func(x *graph.Node) *graph.Node { // of each kernel, repeated along it
		s := kernel.SumLast(graph.Reshape(x, x.Shape().Dim(0), x.Shape().Size()/x.Shape().Dim(0)/n, n))
		return kernel.ExpandLike(graph.Reshape(s, append(x.Shape().Dimensions[:x.Rank()-1:x.Rank()-1], 1)...), x)
	}
	centered := func(x *graph.Node) *graph.Node { return graph.Sub(x, graph.MulScalar(sum(x), 1/float64(n))) }
	w = centered(w)
	scale := graph.Sqrt(graph.AddScalar(sum(graph.Square(w)), epsilon))
	w = graph.Div(w, scale)
	out, backward := l.Forward([]*graph.Node{graph.Reshape(w, dims...), weights[1]}, x, finite)
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, persample.Gradients) {
		atInput, atWeights := backward(g, wantInput)
		each := atWeights.Each()
		batch := each[0].Shape().Dim(1)
		like := func(x *graph.Node) *graph.Node { // repeated for each example
			return kernel.Expand(graph.InsertAxes(x, 1), dims[0], batch, dims[1], n)
		}
		at := graph.Reshape(each[0], dims[0], batch, dims[1], n)
		standard := like(w)
		at = graph.Sub(centered(at), graph.Mul(standard, sum(graph.Mul(standard, at))))
		each[0] = graph.Reshape(graph.Div(at, like(scale)), each[0].Shape().Dimensions...)
		return atInput, persample.Explicit(each)
	}
}
