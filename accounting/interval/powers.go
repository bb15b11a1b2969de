package interval

import "math"

// PowInt returns a^n, with a^0 = 1, by repeated squaring. A negative n needs a > 0, as in [I.Div].
func (a I) PowInt(n int) I {
	switch {
	case n == math.MinInt: // -n overflows
		return I{math.Inf(-1), math.Inf(1)}
	case n < 0:
		return Of(1).Div(a.PowInt(-n))
	case n == 0:
		return Of(1)
	case a.Lo >= 0:
		return a.power(n)
	case a.Hi <= 0 && n%2 == 0:
		return a.Neg().power(n)
	case a.Hi <= 0:
		return a.Neg().power(n).Neg()
	case n%2 == 0: // 0 is inside
		return I{0, Of(max(-a.Lo, a.Hi)).power(n).Hi}
	}
	return I{-Of(-a.Lo).power(n).Hi, Of(a.Hi).power(n).Hi}
}

// power is PowInt for a >= 0 and n >= 1.
func (a I) power(n int) I {
	if n == 1 {
		return a
	}
	half := a.power(n / 2)
	square := half.Mul(half)
	if n%2 == 0 {
		return square
	}
	return square.Mul(a)
}

// Sum adds intervals. Its width grows by about 2^-104 of the partial sums for each term, next to
// the widths of the terms. The zero value is an empty sum.
type Sum struct{ lo, hi partial }

// Add adds a to the sum.
func (s *Sum) Add(a I) {
	s.lo.add(-a.Lo)
	s.hi.add(a.Hi)
}

// I returns the sum of all terms.
func (s *Sum) I() I { return I{-s.lo.above(), s.hi.above()} }

// partial is a sum rounded up, sum + rest. The lower end of a Sum is minus that of the negated
// ends.
type partial struct{ sum, rest float64 }

// add adds x. The rounding error of sum + x is a float64, and is computed exactly (Knuth, The Art
// of Computer Programming, volume 2, section 4.2.2, Theorem B). The errors are added upward. A sum
// near the largest float64 becomes +Inf, so nothing below overflows.
func (p *partial) add(x float64) {
	next := p.sum + x
	if !(math.Abs(next) <= math.MaxFloat64/4) {
		p.sum, p.rest = math.Inf(1), 0
		return
	}
	part := next - p.sum
	lost := (p.sum - (next - part)) + (x - part)
	p.sum = next
	if lost != 0 {
		p.rest = Up(p.rest + lost)
	}
}

func (p *partial) above() float64 {
	if p.rest == 0 {
		return p.sum
	}
	return Up(p.sum + p.rest)
}
