package toeplitz

// Inverse returns the first n coefficients of 1/C(x), where C(x) = Σ c_j x^j: the first column of
// C⁻¹. c_0 must not be 0. The coefficients may overflow if C has a root inside the unit circle.
func Inverse(c []float64, n int) []float64 {
	one := make([]float64, n)
	one[0] = 1
	return divided(one, c)
}

// divided returns the coefficients of A(x)/C(x), as many as a has.
func divided(a, c []float64) []float64 {
	b := make([]float64, len(a))
	for t := range b {
		sum := a[t]
		for j := 1; j < len(c) && j <= t; j++ {
			sum -= c[j] * b[t-j]
		}
		b[t] = sum / c[0]
	}
	return b
}

// Root returns the n first coefficients of (1-x)^p for p = ½ or -½. The one with p = -½ is the
// square root of the matrix of prefix sums, C(2j, j)/4^j; the other is its inverse.
func Root(n int, p float64) []float64 {
	c := make([]float64, n)
	c[0] = 1
	for j := 1; j < n; j++ {
		c[j] = c[j-1] * (float64(j-1) - p) / float64(j)
	}
	return c
}

// MeanError returns the mean squared error of the n prefix sums of a step's noise, for noise of
// variance 1 in Z and ‖c‖ = 1:
//
//	‖c‖² Σ_t (n-t)/n B_t²,  B(x) = 1/((1-x) C(x))
//
// The weights after step t of plain SGD have the noise of prefix sum t. The value does not depend
// on the scale of c.
func MeanError(c []float64, n int) float64 {
	sum, square := 0.0, 0.0
	for t, b := range divided(ones(n), c) {
		sum += float64(n-t) / float64(n) * b * b
	}
	for _, v := range c {
		square += v * v
	}
	return square * sum
}

func ones(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}
