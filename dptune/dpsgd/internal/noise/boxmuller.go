package noise

import "math"

// The transform on the host.

const (
	angleBits = 1<<29 - 1
	swapBit   = 1 << 29
	halfWord  = 1 << 31
	angleUnit = math.Pi / 4 * 0x1p-29
)

// exactPair turns three words into two normals, to the last digits of float64.
func exactPair(h, l, a uint32) (float64, float64) {
	// The logarithm of a number near 1 is computed from its distance to 1.
	upper := h >= halfWord
	if upper {
		h, l = ^h, ^l
	}
	u := (float64(h) + (float64(l>>1)+0.5)*0x1p-31) * 0x1p-32
	logarithm := math.Log(u)
	if upper {
		logarithm = math.Log1p(-u)
	}
	r := math.Sqrt(-2 * logarithm)
	sin, cos := math.Sincos((float64(a&angleBits) + 0.5) * angleUnit)
	return arrange(r*sin, r*cos, a)
}

// fastPair is exactPair up to errors of 1e-8 of the radius, without branches: for float32.
//
// With u = m 2^e and s = (m-1)/(m+1), which is at most (√2-1)/(√2+1) = 0.172,
//
//	ln u = e ln 2 + 2 (s + s³/3 + s⁵/5 + s⁷/7 + s⁹/9 + ...)
//
// The terms left out are below 8e-10 s. The terms left out of the sine and the cosine are below
// (π/4)¹¹/11! = 2e-9 and (π/4)¹²/12! = 2e-10.
func fastPair(h, l, a uint32) (float64, float64) {
	const rootHalf = 0x3fe6a09e667f3bcd // the bits of √½: m is in [√½, √2)
	const one = 0x3ff0000000000000
	bits := math.Float64bits(float64((uint64(h)<<32|uint64(l))>>1)+0.5) + (one - rootHalf)
	e := int(bits>>52) - 1023 - 63
	m := math.Float64frombits(bits&(1<<52-1) + rootHalf)
	s := (m - 1) / (m + 1)
	q := s * s
	qq := q * q
	logarithm := s*((2+q*(2./3))+qq*((2./5+q*(2./7))+qq*(2./9))) + float64(e)*math.Ln2
	r := math.Sqrt(-2 * logarithm)

	p := (float64(int32(a&angleBits)) + 0.5) * angleUnit
	q = p * p
	qq = q * q
	sin := p * ((1 - q*(1./6)) + qq*((1./120-q*(1./5040))+qq*(1./362880)))
	cos := (1 - q*(1./2)) + qq*((1./24-q*(1./720))+qq*(1./40320-q*(1./3628800)))
	return arrange(r*sin, r*cos, a)
}

// arrange exchanges the two and sets their signs by the bits of a word.
func arrange(x, y float64, a uint32) (float64, float64) {
	first, second := math.Float64bits(x), math.Float64bits(y)
	swap := (first ^ second) & -uint64(a>>29&1)
	first, second = first^swap^uint64(a>>31)<<63, second^swap^uint64(a>>30&1)<<63
	return math.Float64frombits(first), math.Float64frombits(second)
}
