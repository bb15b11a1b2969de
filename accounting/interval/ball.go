package interval

import "math"

// Ball is a set of complex numbers: those within Rad of Re + i Im. Only the radius is rounded up.
type Ball struct{ Re, Im, Rad float64 }

// BallOf returns a ball with re + i im for all members of two intervals.
func BallOf(re, im I) Ball {
	x, r1 := re.center()
	y, r2 := im.center()
	return Ball{x, y, Radius(r1 + r2)}
}

// center returns the middle of an interval and a bound of the distance to its ends.
func (a I) center() (mid, rad float64) {
	mid = a.Lo + (a.Hi-a.Lo)/2
	return mid, max(Up(a.Hi-mid), Up(mid-a.Lo))
}

// Radius raises a radius that was computed from positive terms by fewer than ten operations.
// Underflow loses less than the constant.
func Radius(r float64) float64 { return float64(r*(1+0x1p-48)) + 0x1p-1060 }

// Abs returns a bound of the size of the center.
func (a Ball) Abs() float64 {
	// Squares below the least float64 are covered by the constant.
	return float64(math.Sqrt(a.Re*a.Re+a.Im*a.Im)*(1+0x1p-48)) + 0x1p-530
}

// Most returns a bound of the sizes of all members.
func (a Ball) Most() float64 { return Radius(a.Abs() + a.Rad) }

// ProductError bounds the rounding error of a complex product, relative to the product of the two
// sizes. Each part has two products and a sum, so it errs by at most 2.01 units of the sum of the
// two products' sizes. The sum over both parts is at most twice the product of the sizes. It also
// holds if a product and the sum are fused. A unit is 2^-53.
const ProductError = 5 * 0x1p-53

// Mul returns a·b.
func (a Ball) Mul(b Ball) Ball {
	x, y := a.Abs(), b.Abs()
	return Ball{
		Re:  a.Re*b.Re - a.Im*b.Im,
		Im:  a.Re*b.Im + a.Im*b.Re,
		Rad: Radius(x*b.Rad + a.Rad*(y+b.Rad) + ProductError*x*y),
	}
}

// Add returns a + b.
func (a Ball) Add(b Ball) Ball {
	re, im := a.Re+b.Re, a.Im+b.Im
	return Ball{re, im, Radius(a.Rad + b.Rad + 0x1p-53*(math.Abs(re)+math.Abs(im)))}
}

// Pow returns a^n for n >= 1 by repeated squaring.
func (a Ball) Pow(n int64) Ball {
	out, started := Ball{}, false
	for ; ; a = a.Mul(a) {
		if n&1 == 1 {
			if started {
				out = out.Mul(a)
			} else {
				out, started = a, true
			}
		}
		if n >>= 1; n == 0 {
			return out
		}
	}
}
