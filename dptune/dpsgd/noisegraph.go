package dpsgd

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// normals is fillNoise in a graph: words [R, 3, pairs] of uint32 become [R, size] normals of
// standard deviations [R].
func normals(words, std *graph.Node, size int) *graph.Node {
	h, l, a := wordRow(words, 0), wordRow(words, 1), wordRow(words, 2)
	r := graph.Mul(radius(h, l, std.DType()), graph.InsertAxes(std, -1))
	sin, cos := sineAndCosine(a, std.DType())
	swap := hasBit(a, swapBit)
	first := signed(graph.Where(swap, cos, sin), hasBit(a, 1<<31))
	second := signed(graph.Where(swap, sin, cos), hasBit(a, 1<<30))
	all := graph.Concatenate([]*graph.Node{graph.Mul(r, first), graph.Mul(r, second)}, 1)
	return graph.Slice(all, graph.AxisRange(), graph.AxisRange(0, size))
}

// wordRow returns words[:, i, :].
func wordRow(words *graph.Node, i int) *graph.Node {
	row := graph.Slice(words, graph.AxisRange(), graph.AxisElem(i))
	return graph.Reshape(row, words.Shape().Dim(0), words.Shape().Dim(2))
}

// radius returns √(-2 ln u). Where u > ½, 1 - u is computed, which has more digits.
func radius(h, l *graph.Node, dtype dtypes.DType) *graph.Node {
	upper := hasBit(h, halfWord)
	h = graph.Where(upper, graph.BitwiseNot(h), h)
	l = graph.Where(upper, graph.BitwiseNot(l), l)
	fraction := graph.AddScalar(wordValue(graph.BitwiseShiftRightLogicalScalar(l, uint32(1)), dtype), 0.5)
	u := graph.MulScalar(graph.Add(wordValue(h, dtype), graph.MulScalar(fraction, 0x1p-31)), 0x1p-32)
	logarithm := graph.Where(upper, graph.Log1p(graph.Neg(u)), graph.Log(u))
	return graph.Sqrt(graph.MulScalar(logarithm, -2))
}

// sineAndCosine returns sin φ and cos φ, 0 < φ < π/4, by their series: the terms left out
// are below the rounding of the type.
func sineAndCosine(a *graph.Node, dtype dtypes.DType) (sin, cos *graph.Node) {
	terms := 5 // up to φ⁹/9! and φ⁸/8!, after which 2e-9 and 3e-8 are left out
	if dtype == dtypes.Float64 {
		terms = 10 // up to φ¹⁹/19! and φ¹⁸/18!
	}
	angle := graph.BitwiseAnd(a, graph.Const(a.Graph(), uint32(angleBits)))
	phi := graph.MulScalar(graph.AddScalar(wordValue(angle, dtype), 0.5), angleUnit)
	square := graph.Square(phi)
	series := func(first float64) *graph.Node { // 1 - x²/(f(f+1)) (1 - x²/((f+2)(f+3)) (1 - ...))
		sum := graph.OnesLike(phi)
		for i := terms - 2; i >= 0; i-- {
			k := first + 2*float64(i)
			sum = graph.AddScalar(graph.MulScalar(graph.Mul(square, sum), -1/(k*(k+1))), 1)
		}
		return sum
	}
	return graph.Mul(phi, series(2)), series(1)
}

// wordValue converts words below 2^31. As signed numbers: processors convert those at once.
func wordValue(words *graph.Node, dtype dtypes.DType) *graph.Node {
	return graph.ConvertDType(graph.Bitcast(words, dtypes.Int32), dtype)
}

// hasBit reports which words have a bit.
func hasBit(words *graph.Node, bit uint32) *graph.Node {
	return graph.NotEqual(graph.BitwiseAnd(words, graph.Const(words.Graph(), bit)), graph.Const(words.Graph(), uint32(0)))
}

// signed returns x, negated where minus is true.
func signed(x, minus *graph.Node) *graph.Node { return graph.Where(minus, graph.Neg(x), x) }
