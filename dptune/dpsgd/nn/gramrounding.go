package nn

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
)

// gramRounding is how Σ (P Pᵀ) ∘ (g gᵀ) is rounded: P is [places, columns], g [places, outputs].
type gramRounding struct {
	dtype                    dtypes.DType
	columns, outputs, places int
}

// share is θ of the proof.
func share(dtype dtypes.DType) float64 {
	if dtype == dtypes.Float64 {
		return 0x1p-42
	}
	return 0x1p-20
}

// gramRoundings is the factor 1+θ and one sum as a number of roundings.
func gramRoundings(dtype dtypes.DType) int { return int(share(dtype)/kernel.UnitRoundoff(dtype)) + 2 }

// factor returns κ of the proof.
func (r gramRounding) factor() float64 {
	places, sides := float64(r.places), float64(r.columns+r.outputs)
	ofNorm := kernel.Gamma(r.dtype, sides+places*places+1)
	ofSum := kernel.Gamma(r.dtype, places+8)
	return (ofNorm + ofSum*ofSum*(1+1/share(r.dtype))) * (1 + kernel.Gamma(r.dtype, sides+2*places+10))
}

// valid reports whether the sum has digits at all.
func (r gramRounding) valid() bool { return r.factor() < 0.25 }

// margin returns what the sum may be too small by, from P Pᵀ and g gᵀ, [R, B, places²].
func (r gramRounding) margin(inputs, outputs *graph.Node) *graph.Node {
	tiny := kernel.Smallest(r.dtype)
	lengths := func(x *graph.Node) *graph.Node { // squared, of the rows: the diagonal
		x = graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, r.places*r.places).Stride(r.places+1))
		return graph.AddScalar(x, 2*tiny/kernel.UnitRoundoff(r.dtype))
	}
	sum := graph.ReduceSum(graph.Sqrt(graph.Mul(lengths(inputs), lengths(outputs))), 2)
	margin := graph.Square(graph.MulScalar(sum, math.Sqrt(r.factor())))
	return graph.AddScalar(margin, float64(2*r.places*r.places+3)*tiny)
}
