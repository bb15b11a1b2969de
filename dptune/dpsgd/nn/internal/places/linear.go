// Package places computes layers over the places of examples, such as tokens: linear maps,
// attention, recurrences, and tables of vectors. It knows no models.
package places

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Linear returns W x + b at each place, [R, B, T, outputs]. x is [R or 1, B, T, inputs], W is [R,
// outputs, inputs], and b is [R, outputs], or nil for none. finite reports that no x is NaN or
// infinite.
func Linear(x *graph.Node, finite bool, w, b *graph.Node) (*graph.Node, persample.Backward) {
	d, replicas, outputs := x.Shape().Dimensions, w.Shape().Dim(0), w.Shape().Dim(1)
	batch, places, inputs := d[1], d[2], d[3]
	rows := kernel.RowsFor(kernel.Images(x), d[0], replicas) // [R or 1, B·T, inputs]
	z := kernel.ProductOfRows(rows, kernel.Transposed(w))
	if b != nil {
		z = graph.Add(z, kernel.ExpandLike(graph.InsertAxes(kernel.AfterKernel(z, b), 1), z))
	}
	return graph.Reshape(z, replicas, batch, places, outputs), func(g *graph.Node, wantInput bool) (*graph.Node, persample.Gradients) {
		var atInput *graph.Node
		if wantInput {
			back := kernel.BatchedProduct(graph.Reshape(g, replicas, batch*places, outputs), w)
			atInput = graph.Reshape(back, replicas, batch, places, inputs)
		}
		return atInput, &persample.Products{
			Width: inputs, Bias: b != nil, Finite: finite,
			Rows: graph.Reshape(rows, rows.Shape().Dim(0)*batch, places, inputs),
			G:    graph.Reshape(g, replicas, batch, places, outputs),
		}
	}
}
