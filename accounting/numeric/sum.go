// Package numeric holds the numerics that the accountants share: sums and differences of
// probabilities given by their logarithms, binomial coefficients, normal tails.
//
// It promises nothing to other modules.
//
// The logarithm of zero is -Inf and is an ordinary value here. Each function states its error
// bound, in units of eps = 2^-53.
package numeric

import "math"

// Sum accumulates log(Σ exp(x_i)) of terms given by their logarithms. The zero value is not ready
// for use; NewSum returns an empty sum.
//
// The sum is kept as scaled = Σ exp(x_i - shift) with shift the largest x_i so far. So it can
// neither overflow nor underflow as a whole. The relative error of the sum is about (n+1) eps for n
// terms, plus the error of each exp.
type Sum struct {
	shift  float64
	scaled float64
}

// NewSum returns the empty sum, whose logarithm is -Inf.
func NewSum() Sum { return Sum{shift: math.Inf(-1)} }

// Add adds exp(x) to the sum. x = -Inf adds nothing; x = +Inf makes the sum +Inf.
func (s *Sum) Add(x float64) {
	switch {
	case math.IsInf(x, -1):
	case math.IsInf(x, 1):
		s.shift, s.scaled = x, 1
	case math.IsInf(s.shift, 1):
	case x > s.shift:
		s.scaled = s.scaled*math.Exp(s.shift-x) + 1
		s.shift = x
	default:
		s.scaled += math.Exp(x - s.shift)
	}
}

// Log returns the logarithm of the sum; -Inf if nothing was added.
func (s *Sum) Log() float64 {
	if math.IsInf(s.shift, 0) {
		return s.shift
	}
	return s.shift + Log(s.scaled)
}

// Log returns log x. It is math.Log except for subnormal x. For all of these math.Log returns about
// -709 on amd64, while the true value falls to -744.44. A probability below 2.2e-308 would be taken
// for a larger one. accounting and audit use no other logarithm (.ci/lint). The compiler can inline
// this form.
func Log(x float64) (scale float64) {
	if x < 0x1p-1022 {
		x *= 0x1p54
		scale = 54 * math.Ln2
	}
	return math.Log(x) - scale
}

// ExpBelow returns a lower bound on e^x, by some units in the last place, and the largest float64
// if e^x is above it. On amd64 math.Exp is +Inf from 709.44 on, though e^709.78 is finite. An
// infinite e^ε would turn the upper bound 1 - e^ε q into 0 for a q below 1e-308.
func ExpBelow(x float64) float64 {
	if x > 709 {
		return math.Min(math.MaxFloat64, math.Exp(x-1)*math.E*(1-8*0x1p-53))
	}
	return math.Exp(x) * (1 - 4*0x1p-53)
}

// Add returns log(e^x + e^y). Relative error of the sum: a few eps, plus eps*|result|.
func Add(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	if math.IsInf(x, 0) || math.IsInf(y, -1) {
		return x
	}
	return x + math.Log1p(math.Exp(y-x))
}

// Sub returns log(e^x - e^y) for x >= y; -Inf if they are equal, NaN if x < y. The relative error
// of the difference is eps times (|x|+|y|) e^y/(e^x - e^y), from the cancellation of the inputs'
// rounding.
func Sub(x, y float64) float64 {
	if x == y {
		return math.Inf(-1)
	}
	if math.IsInf(y, -1) {
		return x
	}
	return x + Log1mExp(y-x)
}

// Log1mExp returns log(1 - e^x) for x <= 0, to a relative error of a few eps. It is -Inf at 0 and 0
// at -Inf.
func Log1mExp(x float64) float64 {
	// The accurate form changes at -ln 2 (Mächler 2012).
	if x > -math.Ln2 {
		return Log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}

// Log1pExp returns log(1 + e^x) for every x, to a relative error of a few eps.
func Log1pExp(x float64) float64 {
	if x > 40 { // e^-40 is below eps/40
		return x + math.Exp(-x)
	}
	return math.Log1p(math.Exp(x))
}

// Log1pExpUp is Log1pExp, but never 0 if e^x > 0: a cost that underflows is rounded up.
func Log1pExpUp(x float64) float64 {
	value := Log1pExp(x)
	if value == 0 && !math.IsInf(x, -1) {
		return math.SmallestNonzeroFloat64
	}
	return value
}

// LogExpm1 returns log(e^x - 1) for x >= 0, with an error of a few eps relative to e^x - 1. It is
// -Inf at 0.
func LogExpm1(x float64) float64 {
	if x > 40 {
		return x + math.Log1p(-math.Exp(-x))
	}
	return Log(math.Expm1(x))
}

// Times returns k x. It is 0 for k = 0 and any x.
func Times(k int, x float64) float64 {
	if k == 0 {
		return 0
	}
	return float64(k) * x
}

// Lesser returns the lesser of two upper bounds. NaN is not a bound.
func Lesser(x, y float64) float64 {
	switch {
	case math.IsNaN(x) && math.IsNaN(y):
		return math.Inf(1)
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Min(x, y)
}
