package toeplitz

import "math"

// Optimal returns the coefficients of b bands with the least [MeanError] over n steps, among those
// that do not rise: c_0 >= c_1 >= ... >= 0. Their norm is at most 1, and 1 up to rounding. n must
// be at least 1 and b in [1, n].
//
// The search is over x, with c_0 = 1 and c_j = c_(j-1)/(1+e^(-x_j)). All roots of such a C are on
// or outside the unit circle (Eneström and Kakeya), so no power series overflows. A search over c
// itself stops early: from the coefficients of [Root], its first line search overflows.
func Optimal(n, b int) []float64 {
	start := make([]float64, b-1)
	for j := range start {
		start[j] = math.Log(float64(2*j + 1)) // the ratio (2j+1)/(2j+2) of Root
	}
	return Normalized(falling(minimized(start, func(x []float64) (float64, []float64) {
		c := falling(x)
		return MeanError(c, n), inLogits(meanErrorGradient(c, n), c)
	})))
}

// Normalized returns c divided by its norm. [Norm] of the result is at most 1.
func Normalized(c []float64) []float64 {
	scaled := append([]float64(nil), c...)
	for norm := Norm(scaled); norm > 1 || norm < 1-1e-12; norm = Norm(scaled) {
		for j := range scaled {
			scaled[j] /= norm * (1 + 0x1p-50)
		}
	}
	return scaled
}

// falling returns the coefficients of a point x of the search.
func falling(x []float64) []float64 {
	c := make([]float64, len(x)+1)
	c[0] = 1
	for j, v := range x {
		c[j+1] = c[j] / (1 + math.Exp(-v))
	}
	return c
}

// inLogits turns a gradient in c into the one in x: dc_j/dx_i = c_j (1 - c_i/c_(i-1)) for i <= j.
func inLogits(inC, c []float64) []float64 {
	gradient, sum := make([]float64, len(c)-1), 0.0
	for i := len(gradient) - 1; i >= 0; i-- {
		sum += inC[i+1] * c[i+1]
		gradient[i] = sum * (1 - c[i+1]/c[i])
	}
	return gradient
}

// meanErrorGradient returns the gradient of MeanError. With w_t = (n-t)/n and E(x) = B(x)/C(x) its
// entry j is
//
//	2 c_j Σ_t w_t B_t² - 2 ‖c‖² Σ_(t>=j) w_t B_t E_(t-j)
func meanErrorGradient(c []float64, n int) []float64 {
	b := divided(ones(n), c)
	e := divided(b, c)
	sum, square := 0.0, 0.0
	for t, v := range b {
		b[t] = float64(n-t) / float64(n) * v
		sum += b[t] * v
	}
	for _, v := range c {
		square += v * v
	}
	gradient := make([]float64, len(c))
	for j, v := range c {
		product := 0.0
		for t := j; t < n; t++ {
			product += b[t] * e[t-j]
		}
		gradient[j] = 2*v*sum - 2*square*product
	}
	return gradient
}
