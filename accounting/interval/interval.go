// Package interval computes with closed intervals of float64 whose ends are rounded outward. For
// any members of the arguments, the real result of an operation is a member of its interval.
//
// No rounding model is left to a comment. IEEE 754 rounds sums, differences, products, quotients
// and square roots correctly, so one step outward is enough. Results of package math are widened by
// a number of units in the last place that TestUlps checks against 60-digit values.
//
// Lgamma and Pow are left out. Lgamma is off by 22 units near 1.19, and Pow was not measured.
//
// It promises nothing to other modules.
package interval

import "math"

// I is [Lo, Hi] with Lo <= Hi. An end that is not known is -Inf or +Inf.
type I struct{ Lo, Hi float64 }

// Of returns the interval that holds only x.
func Of(x float64) I { return I{x, x} }

// Up returns a number above x: at least the next float64, and at most two further ones. Up(+Inf) is
// +Inf, and Up(-Inf) is near -MaxFloat64. It has no call and no branch, and is inlined.
func Up(x float64) float64 {
	// Proof. Let u be the unit in the last place of a normal x, so 2^52 u <= |x| < 2^53 u. The
	// rounded product is in [u, 2u]. x+u and x+2u are float64 numbers, or overflow to +Inf, so the
	// rounded sum lies between them. These are one and two steps from x. Up to a negative power of
	// two, and past it, the product is u, and u is at most two steps. 2^-1074 never lowers the sum.
	// It is at most one more step, and none for |x| above 2^-1020. A subnormal x is raised by 0 or
	// one step and then by one, without rounding. ∎
	x = max(x, -math.MaxFloat64)
	// The explicit conversion forbids a fused product and sum.
	return x + float64(math.Abs(x)*0x1p-52) + 0x1p-1074
}

// Down returns a number below x. It is -Up(-x).
func Down(x float64) float64 { return -Up(-x) }

// Neg returns -a.
func (a I) Neg() I { return I{-a.Hi, -a.Lo} }

// Add returns a + b.
func (a I) Add(b I) I { return I{Down(a.Lo + b.Lo), Up(a.Hi + b.Hi)} }

// Sub returns a - b.
func (a I) Sub(b I) I { return I{Down(a.Lo - b.Hi), Up(a.Hi - b.Lo)} }

// Positive returns max(0, a).
func (a I) Positive() I { return I{max(0, a.Lo), max(0, a.Hi)} }

// Mul returns a·b.
func (a I) Mul(b I) I {
	if a.Lo >= 0 && b.Lo >= 0 {
		return I{max(0, Down(product(a.Lo, b.Lo))), Up(product(a.Hi, b.Hi))}
	}
	p, q, r, s := product(a.Lo, b.Lo), product(a.Lo, b.Hi), product(a.Hi, b.Lo), product(a.Hi, b.Hi)
	return I{Down(min(min(p, q), min(r, s))), Up(max(max(p, q), max(r, s)))}
}

// product is x·y. An infinite end is a bound on finite numbers, so 0·Inf is 0.
func product(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return float64(x * y)
}

// Div returns a/b. If b may be 0 or negative, nothing is known of it.
func (a I) Div(b I) I {
	if !(b.Lo > 0) {
		return I{math.Inf(-1), math.Inf(1)}
	}
	lo, hi := quotient(a.Lo, b.Hi), quotient(a.Hi, b.Lo)
	if a.Lo < 0 {
		lo = quotient(a.Lo, b.Lo)
	}
	if a.Hi < 0 {
		hi = quotient(a.Hi, b.Hi)
	}
	return I{Down(lo), Up(hi)}
}

// quotient is x/y for y > 0. An infinite end is a bound on finite numbers, so Inf/Inf is Inf.
func quotient(x, y float64) float64 {
	if math.IsInf(x, 0) {
		return x
	}
	return x / y
}

// Sqrt returns the square root of a, for a >= 0.
func (a I) Sqrt() I {
	return I{max(0, Down(math.Sqrt(max(0, a.Lo)))), Up(math.Sqrt(max(0, a.Hi)))}
}
