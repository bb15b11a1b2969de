package noise

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// Normals is Fill in a graph: words [R, 3, pairs] of uint32 become [R, size] normals of
// standard deviations [R].
func Normals(words, std *graph.Node, size int) *graph.Node {
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
	return graph.Sqrt(graph.MulScalar(logarithm(u, upper), -2))
}

// logarithm returns ln(1-u) where upper is true, otherwise ln u, for 0 < u <= ½.
//
// In float32 both come from one series, without terms below 2e-8. With u = m 2^e as in fastPair,
//
//	ln u = e ln 2 + 2 (s + s³/3 + ... + s¹³/13), s = (m-1)/(m+1)
//	ln(1-u) =       2 (s + s³/3 + ... + s¹³/13), s = -u/(2-u), |s| <= 1/3
func logarithm(u, upper *graph.Node) *graph.Node {
	if u.DType() != dtypes.Float32 {
		return graph.Where(upper, graph.Log1p(graph.Neg(u)), graph.Log(u))
	}
	const one, rootHalf = 0x3f800000, 0x3f3504f3 // the bits of 1 and √½
	word := func(v uint32) *graph.Node { return graph.Const(u.Graph(), v) }
	bits := graph.Add(graph.Bitcast(u, dtypes.Uint32), word(one-rootHalf))
	exponent := graph.AddScalar(wordValue(graph.BitwiseShiftRightLogicalScalar(bits, uint32(23)), u.DType()), -127)
	m := graph.Bitcast(graph.Add(graph.BitwiseAnd(bits, word(1<<23-1)), word(rootHalf)), u.DType())
	s := graph.Div(
		graph.Where(upper, graph.Neg(u), graph.AddScalar(m, -1)),
		graph.Where(upper, graph.AddScalar(graph.Neg(u), 2), graph.AddScalar(m, 1)))
	square, sum := graph.Square(s), graph.MulScalar(graph.OnesLike(s), 1./13)
	for k := 11.; k >= 1; k -= 2 {
		sum = graph.AddScalar(graph.Mul(square, sum), 1/k)
	}
	exponent = graph.Where(upper, graph.ZerosLike(exponent), exponent)
	return graph.Add(graph.MulScalar(exponent, math.Ln2), graph.MulScalar(graph.Mul(s, sum), 2))
}

// sineAndCosine returns sin φ and cos φ, 0 < φ < π/4, by their series. The terms left out are below
// the rounding of the type.
func sineAndCosine(a *graph.Node, dtype dtypes.DType) (sin, cos *graph.Node) {
	terms := 5 // up to φ⁹/9! and φ⁸/8!; the rest is below 2e-9 and 3e-8
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

// wordValue converts words below 2^31 to numbers. It converts them as signed numbers, which
// processors do in one instruction.
func wordValue(words *graph.Node, dtype dtypes.DType) *graph.Node {
	return graph.ConvertDType(graph.Bitcast(words, dtypes.Int32), dtype)
}

// hasBit reports which words have a bit set.
func hasBit(words *graph.Node, bit uint32) *graph.Node {
	return graph.NotEqual(graph.BitwiseAnd(words, graph.Const(words.Graph(), bit)), graph.Const(words.Graph(), uint32(0)))
}

// signed returns x, negated where minus is true.
func signed(x, minus *graph.Node) *graph.Node { return graph.Where(minus, graph.Neg(x), x) }
