package gridlaw

import (
	"math"
	"math/bits"
)

const unit = 0x1p-53

// transform is the discrete Fourier transform of n = 2^t points, without a factor.
//
// Each value errs by at most ((1+k)^t - 1) Σ|x|, with k = µ + 6 units, for weights that err by at
// most µ.
//
// Proof. By induction over the t stages. A value of a stage depends on some of the x. Let s be
// the sum of their sizes. The value is at most s, and errs by at most ((1+k)^stage - 1) s. A
// value of the next stage is a ± wb, of disjoint sums s and s'. The product wb errs by µ|b|, and
// by at most 5 units of |b| by rounding. The sum errs by a unit of its size, which is at most s +
// s'. All this is relative to computed values, which are at most 1 + their relative error times s
// and s'. ∎
//
// Compare Higham, Accuracy and Stability of Numerical Algorithms (2002), Theorem 24.2, on the
// Euclidean norm. By Cauchy's inequality the bound here is the smaller one at each value.
type transform struct {
	n       int
	weights []complex128 // e^{-2πik/n}, k < n/2
}

// weightError is µ. Angles up to π/4 are products of three numbers, with a relative error below 3
// units. Sines and cosines err by less than 4 units in the last place (package interval). So each
// part of a weight errs by less than 3 π/4 + 8 units.
const weightError = 16 * unit

func newTransform(n int) transform {
	f := transform{n, make([]complex128, n/2)}
	for k := range f.weights {
		f.weights[k] = weight(k, n)
	}
	return f
}

// weight returns e^{-2πik/n} for k < n/2, from an angle of at most π/4.
func weight(k, n int) complex128 {
	switch {
	case 8*k <= n:
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		return complex(cos, -sin)
	case 8*k <= 3*n:
		sin, cos := math.Sincos(2 * math.Pi * float64(4*k-n) / float64(4*n)) // angle less π/2
		return complex(-sin, -cos)
	}
	sin, cos := math.Sincos(2 * math.Pi * float64(n-2*k) / float64(2*n)) // π less the angle
	return complex(-cos, -sin)
}

// relativeError returns (1+k)^t - 1, rounded up.
func (f transform) relativeError() float64 {
	t := float64(bits.Len(uint(f.n)) - 1)
	return t * (weightError + 6*unit) * (1 + 1e-9)
}

// forward transforms x in place.
func (f transform) forward(x []complex128) {
	shift := 64 - uint(bits.Len(uint(f.n))-1)
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> shift); f.n > 1 && i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for size := 2; size <= f.n; size *= 2 {
		stride := f.n / size
		for start := 0; start < f.n; start += size {
			for k := range size / 2 {
				a, b := x[start+k], x[start+k+size/2]*f.weights[k*stride]
				x[start+k], x[start+k+size/2] = a+b, a-b
			}
		}
	}
}
