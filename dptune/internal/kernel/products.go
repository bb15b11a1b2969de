package kernel

import "github.com/gomlx/gomlx/core/graph"

// BatchedProduct returns the products of R pairs of matrices, [R, m, k] by [R, k, n].
//
// This is the layout of the go backend's vector kernels: the left operand contracts its last axis,
// the right its first. There other layouts were measured to be up to ten times slower. Numbers of
// columns that are not a multiple of 8 were five times slower, and rows beyond a multiple of 4 ten
// times.
func BatchedProduct(lhs, rhs *graph.Node) *graph.Node {
	return corner(plainProduct(padRows(lhs), padColumns(rhs)), lhs.Shape().Dim(1), rhs.Shape().Dim(2))
}

// plainProduct is one batched product. It is several if the backend's choice of a kernel, and so
// the rounding, would otherwise depend on the number of replicas.
func plainProduct(lhs, rhs *graph.Node) *graph.Node { return plainProducts(1, lhs, rhs) }

// plainProducts is plainProduct for [R·each, m, k] by [R·each, k, n].
func plainProducts(each int, lhs, rhs *graph.Node) *graph.Node {
	return inGroups(each*sameKernel(each, lhs, rhs), lhs, rhs, func(lhs, rhs *graph.Node) *graph.Node {
		return graph.DotGeneral(lhs, []int{2}, []int{0}, rhs, []int{1}, []int{0})
	})
}

// InnerProducts returns all inner products of rows, [R, m, k] by [R, n, k], as [R, m, n].
// That is fast for few pairs of long rows.
func InnerProducts(lhs, rhs *graph.Node) *graph.Node {
	return inGroups(sameInnerKernel(lhs, rhs), lhs, rhs, innerProduct)
}

func innerProduct(lhs, rhs *graph.Node) *graph.Node {
	return graph.DotGeneral(lhs, []int{2}, []int{0}, rhs, []int{2}, []int{0})
}

// inGroups applies a product to groups of matrices. rhs is nil if all share one.
func inGroups(group int, lhs, rhs *graph.Node, product func(lhs, rhs *graph.Node) *graph.Node) *graph.Node {
	count := lhs.Shape().Dim(0)
	if group >= count {
		return product(lhs, rhs)
	}
	var products []*graph.Node
	for first := 0; first < count; first += group {
		part := graph.AxisRange(first, min(first+group, count))
		own := rhs
		if rhs != nil {
			own = graph.Slice(rhs, part)
		}
		products = append(products, product(graph.Slice(lhs, part), own))
	}
	return graph.Concatenate(products, 0)
}

// Times returns lhs [R, m, k] times rhs, [R, k, n] or [1, k, n] if all replicas share it.
func Times(lhs, rhs *graph.Node) *graph.Node {
	switch {
	case rhs.Shape().Dim(0) == lhs.Shape().Dim(0):
		return BatchedProduct(lhs, rhs)
	case !IsGo(lhs):
		return wideProduct(lhs, rhs, 0)
	case kernelsCountReplicas || padColumns(rhs) != rhs:
		return BatchedProduct(lhs, ExpandReplicas(rhs, lhs))
	default:
		return inGroups(sameWideKernel(lhs, rhs), lhs, nil, func(lhs, _ *graph.Node) *graph.Node {
			return wideProduct(lhs, rhs, 0)
		})
	}
}

// TimesTransposed returns lhs [R, m, k] times the transposed of rhs, [R or 1, n, k].
//
// On the go backend the cheaper operand is transposed first, unless there are few inner products of
// long rows.
func TimesTransposed(lhs, rhs *graph.Node) *graph.Node {
	m, n, k := lhs.Shape().Dim(1), rhs.Shape().Dim(1), lhs.Shape().Dim(2)
	const few, long = 24, 64
	switch {
	case !IsGo(lhs) && rhs.Shape().Dim(0) != lhs.Shape().Dim(0):
		return wideProduct(lhs, rhs, 1)
	case !IsGo(lhs) || m < few && k >= long:
		return InnerProducts(lhs, ExpandReplicas(rhs, lhs))
	case m >= few && m*(k+n) < n*k:
		return Transposed(BatchedProduct(ExpandReplicas(rhs, lhs), Transposed(lhs)))
	default:
		return Times(lhs, Transposed(rhs))
	}
}

// wideProduct returns all replicas' lhs [R, m, k] times one rhs [1, ...] as one product. axis is
// the axis that rhs contracts, without the first.
func wideProduct(lhs, rhs *graph.Node, axis int) *graph.Node {
	r, m, k := lhs.Shape().Dim(0), lhs.Shape().Dim(1), lhs.Shape().Dim(2)
	wide := graph.DotGeneral(graph.Reshape(lhs, r*m, k), []int{1}, nil, graph.Squeeze(rhs, 0), []int{axis}, nil)
	return graph.Reshape(wide, r, m, wide.Shape().Dim(1))
}

// ProductOfRows returns rows [R or 1, m, k] times [R, k, n], as [R, m, n]. On the go backend rows
// must be [R, m, k], as RowsFor makes them. With shared rows the rounding would depend on the
// number of replicas.
func ProductOfRows(rows, w *graph.Node) *graph.Node {
	if rows.Shape().Dim(0) == w.Shape().Dim(0) {
		return BatchedProduct(rows, w)
	}
	wide := graph.DotGeneral(graph.Squeeze(rows, 0), []int{1}, nil, w, []int{1}, nil) // [m, R, n]
	return graph.TransposeAllAxes(wide, 1, 0, 2)
}

// PerSampleProduct multiplies each example's matrices, [R·B, m, k] by [R·B, k, n]. The rounding
// does not depend on R.
func PerSampleProduct(lhs, rhs *graph.Node, replicas int) *graph.Node {
	product := plainProducts(lhs.Shape().Dim(0)/replicas, lhs, padColumns(rhs))
	return FirstColumns(product, rhs.Shape().Dim(2))
}
