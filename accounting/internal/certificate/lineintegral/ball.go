package lineintegral

import "github.com/dplab/dplab/accounting/interval"

const unit = 0x1p-53 // relative error of one rounded operation

type ball = interval.Ball

// center returns the middle of an interval and a bound of the distance to its ends.
func center(a I) (mid, rad float64) {
	b := interval.BallOf(a, I{})
	return b.Re, b.Rad
}

// turn returns e^{i phase}. The derivative has size 1.
func turn(phase I) ball {
	mid, width := center(phase)
	at := interval.Of(mid)
	b := interval.BallOf(at.Cos(), at.Sin())
	b.Rad = interval.Radius(b.Rad + width)
	return b
}

// polar returns e^{log + i phase}.
func polar(log, phase I) ball { return turn(phase).Mul(interval.BallOf(log.Exp(), I{})) }

// turnLess1 returns e^{log + i phase} - 1, for log <= 0 up to rounding. With s and c the sine and
// cosine of phase/2 it is e^log - 1 - 2 e^log s² + 2i e^log s c. In the phase its derivative has
// size e^log.
func turnLess1(log, phase I) ball {
	mid, width := center(phase)
	s, c := interval.Of(mid/2).Sin(), interval.Of(mid/2).Cos()
	less := log.Expm1()
	twice := less.Add(one).Mul(interval.Of(2)).Mul(s)
	b := interval.BallOf(less.Sub(twice.Mul(s)), twice.Mul(c))
	b.Rad = interval.Radius(b.Rad + width*max(1, less.Hi+1))
	return b
}

// onePlusToThe returns (1+a)^n for whole n >= 1, without a loss of digits at small a and large n.
func onePlusToThe(a ball, n float64) ball {
	x, y := interval.Of(a.Re).Add(I{Lo: -a.Rad, Hi: a.Rad}), interval.Of(a.Im).Add(I{Lo: -a.Rad, Hi: a.Rad})
	if x.Lo > -0.7 {
		size := x.Mul(x.Add(interval.Of(2))).Add(y.Mul(y))
		if size.Lo > -0.95 {
			count := interval.Of(n)
			return polar(count.Mul(size.Log1p().Mul(half)), count.Mul(argument(one.Add(x), y)))
		}
	}
	return a.Add(ball{Re: 1}).Pow(int64(n))
}

// over returns a/x for x > 0.
func over(a ball, x I) ball { return a.Mul(interval.BallOf(one.Div(x), I{})) }
