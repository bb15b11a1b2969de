// Package rounded draws the rounded Gaussian exactly: X = round(s G), where G is a standard normal
// and round goes to the nearest integer. So
//
//	P[X = k] = Φ((k+½)/s) - Φ((k-½)/s)
//
// for ideal random bits, without any error of floating point.
//
// An integer plus X is the rounded sum of that integer and s G, since round(n + a) = n + round(a).
// So a release of integers with this noise is post-processing of the Gaussian mechanism with
// standard deviation s. It costs no more, under every way to draw batches. The discrete Gaussian
// of Canonne, Kamath and Steinke (2020, arXiv:2004.00010) is another law, and can cost more than
// the Gaussian.
//
// The draw is by inversion. One bit is the sign. The bits that follow are the binary digits of a
// uniform number V in [0, 1). |X| is the k whose interval [Q((k+½)/s), Q((k-½)/s)] holds V/2, where
// Q = 1 - Φ is the upper tail. 63 digits of V and a quantile in float64 decide nearly always. If
// they do not, more digits and wide arithmetic do.
package rounded

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// WordsPerValue is the number of words of one value, unless it needs more.
const WordsPerValue = 2

// MaxDeviation is the largest standard deviation of Fill. A value beyond 2^53, which float64 could
// not hold, is then more than 2^29 standard deviations away.
const MaxDeviation = 1 << 24

const (
	// errorOfQuantile bounds the error of a normal quantile in float64. The measured errors are
	// below 1e-14.
	errorOfQuantile = 1e-12
	// leastDigits is the least value of the 63 digits that float64 may decide. The tail V/2 is then
	// at least 2^-30, and the digits after them move the quantile by less than
	// 2^-64 / φ(Φ⁻¹(2^-30)) < 1e-10.
	leastDigits = 1 << 34
	margin      = errorOfQuantile + 1e-10
)

// Fill writes independent values of the rounded Gaussian of standard deviation s in (0,
// MaxDeviation], from 2 words each: the high words of all values, then the low ones. Value i takes
// further words from more(i), which must be a new stream of random words for each i.
func Fill(words []uint32, s float64, more func(i int) func() uint64, values []float64) {
	high, low := words[:len(values)], words[len(values):]
	for i := range values {
		word := uint64(high[i])<<32 | uint64(low[i])
		k, ok := fast(word, s)
		if !ok {
			k = exact(word, s, more(i))
		}
		values[i] = k
	}
}

// fast returns the value of a word's bits, if float64 decides it.
func fast(word uint64, s float64) (k float64, ok bool) {
	digits := word & (1<<63 - 1)
	if digits < leastDigits {
		return 0, false
	}
	tail := (float64(digits) + 0.5) * 0x1p-64
	// The conversion rounds the tail by a factor of 1 ± 2^-53 at most, which moves the quantile by
	// less than errorOfQuantile.
	x := -s * mathext.NormalQuantile(tail)
	k = math.Round(x)
	if math.Abs(x-k) > 0.5-s*(margin+errorOfQuantile)-x*0x1p-50 {
		return 0, false
	}
	return math.Copysign(k, sign(word)), true
}

// sign returns -1 if the first bit of the word is set.
func sign(word uint64) float64 { return 1 - 2*float64(word>>63) }
