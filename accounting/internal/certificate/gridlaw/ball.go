package gridlaw

import "math"

// ball is a disc of complex numbers: those within rad of re + i im. See package lineintegral.
type ball struct{ re, im, rad float64 }

// grown raises a radius that was computed from positive terms by fewer than ten operations.
func grown(r float64) float64 { return float64(r*(1+0x1p-48)) + 0x1p-1060 }

func (a ball) abs() float64 {
	return float64(math.Sqrt(a.re*a.re+a.im*a.im)*(1+0x1p-48)) + 0x1p-530
}

// mul returns a·b. A complex product errs by at most 5 units of the product of the sizes.
func (a ball) mul(b ball) ball {
	x, y := a.abs(), b.abs()
	return ball{
		re:  a.re*b.re - a.im*b.im,
		im:  a.re*b.im + a.im*b.re,
		rad: grown(x*b.rad + a.rad*(y+b.rad) + 5*unit*x*y),
	}
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
