package tails

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

const halfLog2Pi = 0.918938533204672741780329736405617639861

// stirlingError returns ln(n!) - [(n+1/2) ln n - n + ln(2π)/2] for real n > 0, the error of
// Stirling's formula. The series is the asymptotic one (Abramowitz and Stegun 6.1.41). From n = 16
// its error is below 1e-16.
func stirlingError(n float64) float64 {
	if n < 16 {
		lg, _ := math.Lgamma(n + 1)
		return lg - (n+0.5)*numeric.Log(n) + n - halfLog2Pi
	}
	nn := n * n
	return (1.0/12 - (1.0/360-(1.0/1260-(1.0/1680-(1.0/1188)/nn)/nn)/nn)/nn) / n
}

// deviance returns x ln(x/m) + m - x for x, m > 0, without cancellation near x = m.
//
// With d = (x-m)/(x+m), ln(x/m) = 2 atanh(d) = 2(d + d³/3 + ...), which gives
// (x-m)d + 2x(d³/3 + d⁵/5 + ...).
func deviance(x, m float64) float64 {
	if math.Abs(x-m) >= 0.1*(x+m) {
		return x*numeric.Log(x/m) + m - x
	}
	d := (x - m) / (x + m)
	sum, power := (x-m)*d, 2*x*d
	for j := 3.0; j < 1000; j += 2 {
		power *= d * d
		next := sum + power/j
		if next == sum {
			break
		}
		sum = next
	}
	return sum
}

// logBinomialTerm returns the logarithm of Γ(n+1)/(Γ(x+1)Γ(n-x+1)) p^x q^(n-x) for real
// 0 <= x <= n, with q = 1-p given apart.
//
// Reference: Loader (2000), "Fast and Accurate Computation of Binomial Probabilities".
func logBinomialTerm(x, n, p, q float64) float64 {
	switch {
	case x == 0:
		if p < q {
			return n * math.Log1p(-p)
		}
		return n * numeric.Log(q)
	case x == n:
		if q < p {
			return n * math.Log1p(-q)
		}
		return n * numeric.Log(p)
	case p == 0 || q == 0:
		return math.Inf(-1)
	}
	y := n - x
	exact := stirlingError(n) - stirlingError(x) - stirlingError(y) - deviance(x, n*p) - deviance(y, n*q)
	return exact + 0.5*(numeric.Log(n/y)-numeric.Log(x)) - halfLog2Pi
}

// BinomialPMF returns P[Bin(n, p) = k] for 0 <= k <= n.
func BinomialPMF(k, n int, p float64) float64 {
	return math.Exp(logBinomialTerm(float64(k), float64(n), p, 1-p))
}

// LogBetaDensity returns the logarithm of the Beta(a, b) density at x in (0, 1).
func LogBetaDensity(x, a, b float64) float64 {
	n := a + b
	return numeric.Log(a/n*b) - numeric.Log(x) - math.Log1p(-x) + logBinomialTerm(a, n, x, 1-x)
}
