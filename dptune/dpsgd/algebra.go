package dpsgd

import (
	"github.com/gomlx/gomlx/core/graph"
)

// batchedProduct returns the products of R pairs of matrices, [R, m, k] by [R, k, n].
//
// This is the layout that the go backend's vector kernels are written for: the left
// operand contracts its last axis, the right its first. Other layouts were measured up to
// ten times slower there, and numbers of columns that are no multiple of 8 five times.
func batchedProduct(lhs, rhs *graph.Node) *graph.Node {
	columns := rhs.Shape().Dim(2)
	product := plainProduct(lhs, padColumns(rhs))
	if product.Shape().Dim(2) == columns {
		return product
	}
	return graph.Slice(product, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, columns))
}

// plainProduct is one batched product or, where the backend's choice of kernel (and so the
// rounding) depends on how many matrices there are, R single ones: R replicas then give
// the same bits as R single runs.
func plainProduct(lhs, rhs *graph.Node) *graph.Node {
	replicas := lhs.Shape().Dim(0)
	if replicas == 1 || !kernelDependsOnCount(lhs, rhs) {
		return graph.DotGeneral(lhs, []int{2}, []int{0}, rhs, []int{1}, []int{0})
	}
	products := make([]*graph.Node, replicas)
	for r := range replicas {
		one := graph.AxisElem(r)
		products[r] = graph.DotGeneral(graph.Slice(lhs, one), []int{2}, []int{0}, graph.Slice(rhs, one), []int{1}, []int{0})
	}
	return graph.Concatenate(products, 0)
}

// transposed swaps the last two axes of [R, m, n].
func transposed(x *graph.Node) *graph.Node { return graph.TransposeAllDims(x, 0, 2, 1) }

// squaredNorms returns Σ x² over all axes but the first two, [R, B].
func squaredNorms(x *graph.Node) *graph.Node {
	return graph.ReduceSum(graph.Square(flatRows(x)), 2)
}

// sumRows returns Σ_b x[r, b, i], [R, n], as a product, which is faster than a reduction
// over a middle axis.
func sumRows(x *graph.Node) *graph.Node {
	ones := graph.Ones(x.Graph(), withDims(x, x.Shape().Dim(0), 1, x.Shape().Dim(1)))
	return graph.Reshape(batchedProduct(ones, x), x.Shape().Dim(0), x.Shape().Dim(2))
}

// weighted returns factors[r, b] · x[r, b, ...], exactly 0 where the factor is 0.
func weighted(factors, x *graph.Node) *graph.Node {
	return zeroWhere(factors, graph.Mul(x, broadcastRows(factors, x)))
}

// zeroWhere returns x with exact zeros in the rows whose factor is 0, even if they held NaN.
func zeroWhere(factors, x *graph.Node) *graph.Node {
	keep := graph.NotEqual(factors, graph.ScalarZero(x.Graph(), x.DType()))
	return graph.Where(graph.BroadcastToShape(broadcastRows(keep, x), keepShape(keep, x)), x, graph.ZerosLike(x))
}

// broadcastRows gives factors [R, B] the rank of x [R, B, ...], with sides 1.
func broadcastRows(factors, x *graph.Node) *graph.Node {
	dims := []int{x.Shape().Dim(0), x.Shape().Dim(1)}
	for range x.Rank() - 2 {
		dims = append(dims, 1)
	}
	return graph.Reshape(factors, dims...)
}

// flatRows reshapes [R, B, ...] to [R, B, n].
func flatRows(x *graph.Node) *graph.Node {
	r, b := x.Shape().Dim(0), x.Shape().Dim(1)
	return graph.Reshape(x, r, b, x.Shape().Size()/(r*b))
}
