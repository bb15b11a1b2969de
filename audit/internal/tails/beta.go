package tails

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// Beta returns P[B <= x] and P[B > x] for B ~ Beta(a, b) with a, b > 0. The smaller of the
// two has full relative accuracy. x outside [0, 1] is clamped.
//
// Cost grows like the root of max(a, b): 0.3 µs at 1000, 10 µs at a million.
func Beta(x, a, b float64) (lower, upper float64) {
	switch {
	case x <= 0:
		return 0, 1
	case x >= 1:
		return 1, 0
	}
	front := math.Exp(logBinomialTerm(a, a+b, x, 1-x)) // x^a (1-x)^b Γ(a+b+1)/(Γ(a+1)Γ(b+1))
	if x <= (a+1)/(a+b+2) {
		lower = math.Min(1, front*b/(a+b)*betaFraction(x, a, b))
		return lower, 1 - lower
	}
	upper = math.Min(1, front*a/(a+b)*betaFraction(1-x, b, a))
	return 1 - upper, upper
}

// betaFraction evaluates the continued fraction of the incomplete beta function
// (DLMF 8.17.22) by the modified Lentz algorithm. It converges fast for x < (a+1)/(a+b+2).
func betaFraction(x, a, b float64) float64 {
	const tiny = 1e-300
	limit := 1000 + int(20*math.Sqrt(math.Max(a, b)))
	c, d := 1.0, 1/guard(1-(a+b)*x/(a+1), tiny)
	h := d
	for i := 1; i <= limit; i++ {
		m := float64(i)
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / guard(1+even*d, tiny)
		c = guard(1+even/c, tiny)
		h *= c * d
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / guard(1+odd*d, tiny)
		c = guard(1+odd/c, tiny)
		step := c * d
		h *= step
		if math.Abs(step-1) < 2e-16 {
			break
		}
	}
	return h
}

func guard(x, tiny float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}

// BinomialUpper returns P[Bin(n, p) >= k].
func BinomialUpper(k, n int, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	lower, _ := Beta(p, float64(k), float64(n-k+1))
	return lower
}

// BinomialLower returns P[Bin(n, p) <= k].
func BinomialLower(k, n int, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	case k <= 16 && p >= 0 && p < 1 && -float64(n)*math.Log1p(-p) < 600:
		return fewSuccesses(k, n, p)
	}
	_, upper := Beta(p, float64(k+1), float64(n-k))
	return upper
}

// fewSuccesses sums (1-p)^n Σ_{j<=k} C(n, j) (p/(1-p))^j: all terms are positive.
func fewSuccesses(k, n int, p float64) float64 {
	term, sum, odds := 1.0, 1.0, p/(1-p)
	for j := 1; j <= k; j++ {
		term *= float64(n-j+1) / float64(j) * odds
		sum += term
	}
	return math.Min(1, math.Exp(float64(n)*math.Log1p(-p))*sum)
}

// BetaUpperQuantile returns the x with P[B > x] = q for B ~ Beta(a, b), q in (0, 1),
// to a relative error of about 1e-13 in x/(1-x), rounded up: P[B > x] <= q.
func BetaUpperQuantile(q, a, b float64) float64 {
	// f falls in y = logit x; Newton steps on ln P[B > x] inside a bracket.
	tail := func(y float64) float64 {
		_, upper := Beta(logistic(y), a, b)
		return upper
	}
	return logistic(fallingRoot(tail, q, a, b))
}

// BetaLowerQuantile returns the x with P[B <= x] = q, rounded down: P[B <= x] <= q.
func BetaLowerQuantile(q, a, b float64) float64 {
	// 1-B ~ Beta(b, a): the same root, from the other side and with x small kept exact.
	tail := func(y float64) float64 {
		lower, _ := Beta(logistic(-y), a, b)
		return lower
	}
	return logistic(-fallingRoot(tail, q, b, a))
}

// fallingRoot returns y with tail(y) = q, tail(y) <= q, where tail(y) = P[B' > logistic(y)] for B'
// ~ Beta(a, b). It takes Newton steps on ln tail inside a bracket, from a normal start, until a
// step is tiny. Then it takes the first point on the safe side, rootStep at a time.
func fallingRoot(tail func(float64) float64, q, a, b float64) float64 {
	y := numeric.Log(a/b) - NormalQuantile(q)*math.Sqrt(1/a+1/b)
	lo, hi := math.Inf(-1), math.Inf(1) // tail(lo) > q >= tail(hi)
	logQ := numeric.Log(q)
	for range 200 {
		t := tail(y)
		if t > q {
			lo = y
		} else {
			hi = y
		}
		next := y - 8
		if t > 0 {
			x := logistic(y)
			slope := -math.Exp(LogBetaDensity(x, a, b)+numeric.Log(x)+math.Log1p(-x)) / t // d ln tail/dy
			next = y + math.Max(-8, math.Min(8, (logQ-numeric.Log(t))/slope))
		}
		if math.Abs(next-y) <= rootStep*math.Max(1, math.Abs(y)) {
			break
		}
		if !(next > lo && next < hi) {
			next = bisect(lo, hi, y)
		}
		y = next
	}
	for tail(y) > q {
		y += rootStep * math.Max(1, math.Abs(y))
	}
	return y
}

// rootStep is the relative error of a quantile's logit.
const rootStep = 1e-13

func bisect(lo, hi, y float64) float64 {
	switch {
	case math.IsInf(lo, -1):
		return math.Min(y, hi) - 8
	case math.IsInf(hi, 1):
		return math.Max(y, lo) + 8
	}
	return lo + (hi-lo)/2
}

// logistic returns 1/(1+e^-y), to full relative accuracy for very negative y.
func logistic(y float64) float64 {
	if y < 0 {
		e := math.Exp(y)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-y))
}

// Logit returns ln(x/(1-x)).
func Logit(x float64) float64 { return numeric.Log(x) - math.Log1p(-x) }

// Logistic returns 1/(1+e^-y).
func Logistic(y float64) float64 { return logistic(y) }
