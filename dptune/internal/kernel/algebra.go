package kernel

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// ExpandReplicas gives x [R or 1, ...] the replicas of another node.
func ExpandReplicas(x, other *graph.Node) *graph.Node {
	return Expand(x, append([]int{other.Shape().Dim(0)}, x.Shape().Dimensions[1:]...)...)
}

// SquaredNorms returns Σ x² over all axes but the first two, [R, B]. On the go backend it is each
// row's inner product with itself, which is many times faster than a reduction.
//
// Long sums are cut into blocks, and the sums of the blocks are added. That reduces rounding.
func SquaredNorms(x *graph.Node) *graph.Node {
	x = FlatRows(x)
	r, b, n := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	switch count, each := squareBlocks(x, n); {
	case !IsGo(x) && count == 1:
		return graph.ReduceSum(graph.Square(x), 2)
	case count*each == n && IsGo(x):
		rows := graph.Reshape(x, r*b*count, 1, each)
		group := sameInnerKernel(rows, rows)
		sums := graph.Reshape(inGroups(group, rows, rows, innerProduct), r, b, count)
		if count == 1 {
			return graph.Reshape(sums, r, b)
		}
		return graph.ReduceSum(sums, 2)
	default:
		var sum *graph.Node
		for from := 0; from < n; from += each {
			part := SquaredNorms(graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(from, min(from+each, n))))
			if sum != nil {
				part = graph.Add(sum, part)
			}
			sum = part
		}
		return sum
	}
}

// squareBlocks returns how many blocks the sum of n squares is cut into, and the size of all but
// the last. On the go backend equal blocks cost nothing. XLA would add all of an array in one sum,
// so blocks are separate arrays there.
func squareBlocks(x *graph.Node, n int) (count, each int) {
	const block, blocks, whole = 1 << 13, 1 << 8, 1 << 16
	if IsGo(x) {
		for count := (n + block - 1) / block; count <= blocks; count++ {
			if count > 0 && n%count == 0 {
				return count, n / count
			}
		}
	}
	return (n + whole - 1) / whole, min(n, whole)
}

// SquareRoundings returns the number of successive roundings in SquaredNorms of n values.
func SquareRoundings(x *graph.Node, n int) int {
	count, each := squareBlocks(x, n)
	return each + count
}

// WeightedRows returns Σ_b factors[r, b] x[r, b, i], [R, n]. Rows of factor 0 add exactly
// zero, even if they hold NaN.
func WeightedRows(factors, x *graph.Node) *graph.Node {
	row := graph.InsertAxes(factors, 1) // [R, 1, B]
	return graph.Reshape(BatchedProduct(row, ZeroWhere(factors, x)), x.Shape().Dim(0), x.Shape().Dim(2))
}

// SumMiddle returns Σ_i x[r, i, b], [R, B].
func SumMiddle(x *graph.Node) *graph.Node {
	const few = 4
	if !IsGo(x) || x.Shape().Dim(1) < few {
		return graph.ReduceSum(x, 1)
	}
	sums := plainProduct(ones(x, x.Shape().Dim(0), rowBlock, x.Shape().Dim(1)), padColumns(x))
	return graph.Reshape(corner(sums, 1, x.Shape().Dim(2)), x.Shape().Dim(0), x.Shape().Dim(2))
}

// SumLast returns Σ_b x[r, i, b], [R, n].
func SumLast(x *graph.Node) *graph.Node {
	if !IsGo(x) {
		return graph.ReduceSum(x, 2)
	}
	sums := InnerProducts(x, ones(x, x.Shape().Dim(0), 1, x.Shape().Dim(2)))
	return graph.Reshape(sums, x.Shape().Dim(0), x.Shape().Dim(1))
}

// Weighted returns factors[r, b] · x[r, b, ...], exactly 0 where the factor is 0.
func Weighted(factors, x *graph.Node) *graph.Node {
	return keepNonzero(broadcastRows(factors, x), x, true)
}

// ZeroWhere returns x with exact zeros in the rows with factor 0, even if they held NaN.
func ZeroWhere(factors, x *graph.Node) *graph.Node {
	return keepNonzero(broadcastRows(factors, x), x, false)
}

// WeightedColumns is Weighted for columns, factors[r, b] · x[r, i, b].
func WeightedColumns(factors, x *graph.Node) *graph.Node {
	return keepNonzero(graph.InsertAxes(factors, 1), x, true)
}

// ZeroColumns is ZeroWhere for columns.
func ZeroColumns(factors, x *graph.Node) *graph.Node {
	return keepNonzero(graph.InsertAxes(factors, 1), x, false)
}

// keepNonzero returns x with exact zeros where the factors are 0. If multiply is set, x is
// multiplied by the factors.
func keepNonzero(factors, x *graph.Node, multiply bool) *graph.Node {
	x = ExpandReplicas(x, factors)
	zero := graph.ScalarZero(x.Graph(), x.DType())
	keep := ExpandLike(graph.NotEqual(factors, zero), x)
	if multiply {
		x = graph.Mul(x, ExpandLike(factors, x))
	}
	return graph.Where(keep, x, zero)
}

// OnlyWhere returns g where a mask is true, and zero elsewhere, for masks that are true about half
// of the time. On the go backend it is a product, which is faster than a choice that the processor
// cannot predict. There NaN and infinite values become NaN where the mask is false.
func OnlyWhere(mask, g *graph.Node) *graph.Node {
	if !IsGo(g) {
		return graph.Where(mask, g, graph.ScalarZero(g.Graph(), g.DType()))
	}
	return graph.Mul(g, NumbersOf(mask, g))
}

// NumbersOf returns 1 where a mask is true and 0 elsewhere, in the type of x, without a choice for
// each value.
func NumbersOf(mask, x *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.Bitcast(mask, dtypes.Uint8), x.DType())
}

// Scaled returns x [R, n] with row r multiplied by factors[r], [R, 1].
func Scaled(x, factors *graph.Node) *graph.Node { return graph.Mul(x, ExpandLike(factors, x)) }

// broadcastRows gives factors [R, B] the rank of x [R, B, ...], with sides 1.
func broadcastRows(factors, x *graph.Node) *graph.Node {
	dims := []int{factors.Shape().Dim(0), factors.Shape().Dim(1)}
	for range x.Rank() - 2 {
		dims = append(dims, 1)
	}
	return graph.Reshape(factors, dims...)
}

// Logistic returns 1 / (1 + exp(-x)) = (1 + tanh(x/2)) / 2, which cannot overflow.
func Logistic(x *graph.Node) *graph.Node {
	return graph.MulScalar(graph.OnePlus(graph.Tanh(graph.MulScalar(x, 0.5))), 0.5)
}
