package numeric

import "math"

// LogGammaRatio returns log Γ(x+a)/Γ(x) for x > 0 and a >= 0. Its absolute error is about 4 eps (1
// + a log(x+a)), however large x is. The difference of two values of log Γ would be wrong by eps x
// log x.
//
// For x >= 16 it is the difference of two Stirling series, without their large terms:
//
//	(x-1/2) log(1+a/x) + a (log(x+a) - 1) + s(x+a) - s(x)
//
// Reference: Abramowitz and Stegun, 6.1.41.
func LogGammaRatio(x, a float64) float64 {
	if x < 16 {
		sum, _ := math.Lgamma(x + a)
		one, _ := math.Lgamma(x)
		return sum - one
	}
	return (x-0.5)*math.Log1p(a/x) + a*(Log(x+a)-1) + stirling(x+a) - stirling(x)
}

// stirling returns log Γ(x) less its leading terms, Σ B_2k/(2k(2k-1) x^(2k-1)), for x >= 16. The
// omitted terms are below 2e-16.
func stirling(x float64) float64 {
	z := 1 / x
	y := z * z
	return z * (1./12 - y*(1./360-y*(1./1260-y*(1./1680-y/1188))))
}

// LogChoose returns log C(n, k) for 0 <= k <= n. Its absolute error is about
// 8 eps (1 + j log n), j = min(k, n-k).
func LogChoose(n, k float64) float64 {
	j := math.Min(k, n-k)
	factorial, _ := math.Lgamma(j + 1)
	return LogGammaRatio(n-j+1, j) - factorial
}

// ChanceRounding bounds the relative error of a chance that is the exponential of a few ln Γ of
// numbers up to n. Each ln Γ is wrong by some units in the last place of ln n!, and a chance that
// is not 0 adds at most 745.
func ChanceRounding(n int) float64 {
	logFactorial, _ := math.Lgamma(float64(n) + 2)
	return 1e-11 + 0x1p-48*(logFactorial+745)
}

// LogBinomialWeight returns ln( C(n,k) q^k (1-q)^(n-k) ), with 0^0 = 1.
func LogBinomialWeight(n, k int, q float64) float64 {
	return LogChoose(float64(n), float64(k)) + Times(k, Log(q)) + Times(n-k, math.Log1p(-q))
}

// LogBinomialExcess returns ln( Σ_{k=2..n} C(n,k) q^k (1-q)^(n-k) (e^x(k) - 1) ) for x(k) >= 0,
// without the cancellation of a sum that is close to 1.
func LogBinomialExcess(n int, q float64, x func(k int) float64) float64 {
	sum := NewSum()
	for k := 2; k <= n; k++ {
		sum.Add(LogBinomialWeight(n, k, q) + LogExpm1(x(k)))
	}
	return sum.Log()
}
