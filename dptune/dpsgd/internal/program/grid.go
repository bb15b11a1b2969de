package program

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// A step on a grid adds integer vectors. B units are the clip norm C. Example b adds
//
//	v_b = trunc(B/C c_b g_b), toward 0 in each coordinate, or 0 unless ‖v_b‖ <= B.
//
// Proof that one example adds at most B. v_b is a vector of whole numbers, whatever g_b and c_b
// are. The squared norm is computed in float64. Its terms are whole numbers >= 0, in any order of
// additions. If their sum is at most 2^53, all partial sums are exact. Otherwise the computed sum
// is at least 2^53, because rounding is monotone. B is at most 2^16. So the comparison with B² is
// exact, and nothing about floating-point gradients is assumed. It also refuses NaN and infinity.
// The barrier makes sure that the vector that is checked is the one that is added.
//
// The sum of m examples is exact if m B is at most 2^24 (2^53 in float64): each partial sum of an
// entry is a whole number of at most that size. Several microbatches are added in float64.
//
// Truncation toward 0 only shrinks a vector. So the check fails only if the rounding of c_b g_b
// makes its norm larger than C.

// gridNumbers are the last numbers of the clipping rule of a grid: B/C and B.
const gridNumbers = 2

// withoutGrid returns the numbers of the rule itself.
func withoutGrid(clip *graph.Node) *graph.Node {
	return graph.Slice(clip, graph.AxisRange(), graph.AxisRange(0, clip.Shape().Dim(1)-gridNumbers))
}

// gridSum returns Σ_b v_b [R, P], and how many examples failed the check [R], in float64.
func gridSum(layers []nn.LayerGradients, factors []*graph.Node, clip *graph.Node) (sum, failed *graph.Node) {
	last := clip.Shape().Dim(1)
	perUnit, most := kernel.Column(clip, last-2), kernel.Column(clip, last-1)
	var list []*graph.Node // of whole numbers, [R, B, n]
	for i, layer := range layers {
		scaled := graph.Mul(factors[i], Like(perUnit, factors[i]))
		for _, g := range layer.Each() {
			list = append(list, truncated(kernel.FlatRows(kernel.Weighted(scaled, g))))
		}
	}
	list = graph.OptimizationBarriers(list...)
	var norm *graph.Node // squared, [R, B]
	for _, v := range list {
		square := graph.ReduceSum(graph.Square(graph.ConvertDType(v, dtypes.Float64)), 2)
		if norm == nil {
			norm = square
		} else {
			norm = graph.Add(norm, square)
		}
	}
	bound := Like(graph.Square(graph.ConvertDType(most, dtypes.Float64)), norm)
	within := graph.LessOrEqual(norm, bound)
	joins := graph.ConvertDType(within, factors[0].DType())
	flat := make([]*graph.Node, len(list))
	for i, v := range list {
		flat[i] = graph.ReduceSum(kernel.ZeroWhere(joins, v), 1)
	}
	failed = graph.ReduceSum(graph.ConvertDType(graph.LogicalNot(within), dtypes.Float64), 1)
	return graph.Concatenate(flat, 1), failed
}

// truncated returns x rounded toward 0.
func truncated(x *graph.Node) *graph.Node {
	return graph.Mul(graph.Sign(x), graph.Floor(graph.Abs(x)))
}

// gridUnits returns a sum on the grid in the unit of gradients. numbers end with C/B.
func gridUnits(sum, numbers *graph.Node) *graph.Node {
	unit := kernel.Column(numbers, numbers.Shape().Dim(1)-1)
	return kernel.Scaled(sum, graph.ConvertDType(unit, dtypes.Float64))
}
