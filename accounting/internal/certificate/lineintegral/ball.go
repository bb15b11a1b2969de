package lineintegral

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

const unit = 0x1p-53 // relative error of one rounded operation

// ball is a set of complex numbers: those within rad of re + i im.
type ball struct{ re, im, rad float64 }

// grown raises a radius that was computed from positive terms by fewer than ten operations.
// Underflow loses less than the constant.
func grown(r float64) float64 { return float64(r*(1+0x1p-48)) + 0x1p-1060 }

// center returns the middle of an interval and a bound of the distance to its ends.
func center(a interval.I) (mid, rad float64) {
	mid = a.Lo + (a.Hi-a.Lo)/2
	return mid, math.Max(interval.Up(a.Hi-mid), interval.Up(mid-a.Lo))
}

// turn returns e^{i phase}. The derivative has size 1.
func turn(phase interval.I) ball {
	mid, width := center(phase)
	at := interval.Of(mid)
	re, r1 := center(at.Cos())
	im, r2 := center(at.Sin())
	return ball{re, im, grown(width + r1 + r2)}
}

// polar returns e^{log + i phase}.
func polar(log, phase interval.I) ball {
	size, r := center(log.Exp())
	return turn(phase).mul(ball{size, 0, r})
}

// turnLess1 returns e^{log + i phase} - 1, for log <= 0 up to rounding. With s and c the sine and
// cosine of phase/2 it is e^log - 1 - 2 e^log s² + 2i e^log s c. In the phase its derivative has
// size e^log.
func turnLess1(log, phase interval.I) ball {
	mid, width := center(phase)
	s, c := interval.Of(mid/2).Sin(), interval.Of(mid/2).Cos()
	less := log.Expm1()
	twice := less.Add(one).Mul(interval.Of(2)).Mul(s)
	re, r1 := center(less.Sub(twice.Mul(s)))
	im, r2 := center(twice.Mul(c))
	return ball{re, im, grown(r1 + r2 + width*math.Max(1, less.Hi+1))}
}

// onePlusToThe returns (1+a)^n for whole n >= 1, without a loss of digits at small a and large n.
func (a ball) onePlusToThe(n float64) ball {
	x, y := interval.Of(a.re).Add(I{Lo: -a.rad, Hi: a.rad}), interval.Of(a.im).Add(I{Lo: -a.rad, Hi: a.rad})
	if x.Lo > -0.7 {
		size := x.Mul(x.Add(interval.Of(2))).Add(y.Mul(y))
		if size.Lo > -0.95 {
			count := interval.Of(n)
			return polar(count.Mul(size.Log1p().Mul(half)), count.Mul(argument(one.Add(x), y)))
		}
	}
	return a.add(ball{re: 1}).pow(int64(n))
}

// abs returns a bound of the sizes of the center.
func (a ball) abs() float64 {
	// Squares below the least float64 are covered by the constant.
	return float64(math.Sqrt(a.re*a.re+a.im*a.im)*(1+0x1p-48)) + 0x1p-530
}

// most returns a bound of the sizes of all members.
func (a ball) most() float64 { return grown(a.abs() + a.rad) }

// productError bounds the rounding error of a complex product, relative to the product of the two
// sizes. Each part has two products and a sum, so it errs by at most 2.01 units of the sum of the
// two products' sizes. The sum over both parts is at most twice the product of the sizes. It also
// holds if a product and the sum are fused.
const productError = 5 * unit

func (a ball) mul(b ball) ball {
	x, y := a.abs(), b.abs()
	return ball{
		re:  a.re*b.re - a.im*b.im,
		im:  a.re*b.im + a.im*b.re,
		rad: grown(x*b.rad + a.rad*(y+b.rad) + productError*x*y),
	}
}

// over returns a/x for x > 0.
func (a ball) over(x interval.I) ball {
	mid, rad := center(one.Div(x))
	return a.mul(ball{mid, 0, rad})
}

func (a ball) add(b ball) ball {
	re, im := a.re+b.re, a.im+b.im
	return ball{re, im, grown(a.rad + b.rad + unit*(math.Abs(re)+math.Abs(im)))}
}

// pow returns a^n for n >= 1 by repeated squaring.
func (a ball) pow(n int64) ball {
	out, started := ball{}, false
	for ; ; a = a.mul(a) {
		if n&1 == 1 {
			if started {
				out = out.mul(a)
			} else {
				out, started = a, true
			}
		}
		if n >>= 1; n == 0 {
			return out
		}
	}
}
