package closed

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

// I is an interval that is rounded outward.
type I = interval.I

func of(x float64) I { return interval.Of(x) }

var (
	one, two, half = of(1), of(2), of(0.5)

	rootTwo    = two.Sqrt()
	rootHalfPi = interval.Pi().Mul(half).Sqrt()
	logSqrt2Pi = interval.Pi().Mul(two).Sqrt().Log()
)

// fractionFrom is the least x at which the continued fraction replaces erfc.
const fractionFrom = 3

// mills returns the Mills ratio R(x) = (1-Φ(x))/φ(x).
func mills(x I) I {
	if x.Lo < fractionFrom {
		return rootHalfPi.Mul(x.Div(rootTwo).Erfc()).Mul(x.Mul(x).Mul(half).Exp())
	}
	return one.Div(x.Add(fraction(x)))
}

// LogNormalCDF returns ln Φ(x), with its digits where Φ(x) is near 0 or underflows.
func LogNormalCDF(x I) I {
	at := func(x float64) I {
		if x > -fractionFrom {
			return of(x).NormalCDF().Log()
		}
		t := of(-x)
		return t.Mul(t).Mul(half).Neg().Sub(logSqrt2Pi).Add(mills(t).Log())
	}
	return I{Lo: at(x.Lo).Lo, Hi: min(0, at(x.Hi).Hi)}
}

// slope returns -R'(x) = 1 - x R(x), which is positive and falls.
func slope(x I) I {
	if x.Lo < fractionFrom {
		return one.Sub(x.Mul(mills(x))).Positive()
	}
	k := fraction(x) // R = 1/(x+k)
	return k.Div(x.Add(k))
}

// fraction returns K(x) = 1/(x+2/(x+3/(x+...))) for x > 0, where R(x) = 1/(x+K(x)).
//
// Its tails n/(x+(n+1)/(x+...)) are positive, so each lies between 0 and n/x. It starts with such a
// tail.
//
// Reference: Abramowitz and Stegun, 26.2.14.
func fraction(x I) I {
	n := math.Floor(14 + 250/x.Lo/x.Lo)
	k := I{Lo: 0, Hi: of(n + 1).Div(x).Hi}
	for ; n >= 1; n-- {
		k = of(n).Div(x.Add(k))
	}
	return k
}

// fall returns R(x) - R(x+width) = ∫ -R' over [x, x+width], for numbers x and width > 0.
//
// R(x) = ∫_0^∞ e^(-xt-t²/2) dt is completely monotone. So all even derivatives of -R' are positive.
// Gauss's rule is then too small and Lobatto's too large, as the signs of their error terms show
// (Davis and Rabinowitz, Methods of Numerical Integration, section 2.7). ∎
//
// An end that e does not want is 0 or +Inf.
func fall(x, width I, e ends) I {
	if e == lower { // the difference is enough if it keeps its digits
		if gap := mills(x).Sub(mills(x.Add(width))); gap.Hi-gap.Lo <= 1e-13*gap.Lo {
			return I{Lo: gap.Lo, Hi: math.Inf(1)}
		}
	}
	panels := math.Ceil(width.Hi)
	if !(panels <= mostPanels) {
		return mills(x).Sub(mills(x.Add(width)))
	}
	h := width.Div(of(2 * panels))
	var gauss, lobatto interval.Sum
	for i := range int(panels) {
		middle := x.Add(h.Mul(of(float64(2*i + 1))))
		add := func(sum *interval.Sum, weight, node I) {
			sum.Add(weight.Mul(slope(middle.Sub(h.Mul(node))).Add(slope(middle.Add(h.Mul(node))))))
		}
		for k := range gaussNodes {
			if e.lower {
				add(&gauss, gaussWeights[k], gaussNodes[k])
			}
		}
		for k := range lobattoNodes {
			if e.upper {
				add(&lobatto, lobattoWeights[k], lobattoNodes[k])
			}
		}
	}
	out := I{Lo: gauss.I().Mul(h).Lo, Hi: math.Inf(1)}
	if e.upper {
		out.Hi = lobatto.I().Mul(h).Hi
	}
	return out.Positive()
}

// From this width on the difference of two ratios loses few digits.
const mostPanels = 16

// The positive nodes on [-1, 1] and their weights: Gauss's rule of 10 points and Lobatto's of 11.
// The middle one of Lobatto's has half its weight, as it is taken twice. They are the zeros of
// Legendre polynomials and of a derivative, computed with 50 digits by mpmath 1.4.1.
var (
	gaussNodes = around(0.148874338981631210884826, 0.4333953941292471907992659, 0.6794095682990244062343274,
		0.8650633666889845107320967, 0.973906528517171720077964)
	gaussWeights = around(0.295524224714752870173893, 0.2692667193099963550912269, 0.2190863625159820439955349,
		0.1494513491505805931457763, 0.06667134430868813759356881)
	lobattoNodes = around(0, 0.2957581355869393914319115, 0.565235326996205006470964, 0.7844834736631444186224178,
		0.9340014304080591343322741, 1)
	lobattoWeights = around(0.30021759545569069378593188/2, 0.2868791247790080886792224, 0.2480481042640283140400849,
		0.1871698817803052041081415, 0.1096122732669948644614034, 0.01818181818181818181818182)
)

// around returns intervals around decimal numbers that were rounded to float64.
func around(numbers ...float64) []I {
	out := make([]I, len(numbers))
	for i, x := range numbers {
		out[i] = I{Lo: interval.Down(x), Hi: interval.Up(x)}
	}
	return out
}
