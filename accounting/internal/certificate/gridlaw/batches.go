package gridlaw

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/batchpairs"
	"github.com/dplab/dplab/accounting/interval"
)

// batches returns an upper bound of δ(l) of a batchpairs.Profile, at l >= 0.
func (m Mechanism) batches(l float64, mirrored bool) I {
	side := m.Profile.With
	if mirrored {
		side = m.Profile.Without
	}
	total := side.Rest
	for _, t := range side.Terms {
		// A term that is far below the others counts at its chance.
		chance := t.Weight * t.Most() * (1 + 16*unit)
		if chance < 1e-16*total {
			total = interval.Up(total + chance)
			continue
		}
		total = interval.Up(total + interval.Of(t.Weight).Mul(m.term(t, l)).Hi)
	}
	return I{Hi: total}
}

// few widens a chance that was rounded.
func few(chance float64) I {
	return I{Lo: chance * (1 - 4*unit), Hi: chance * (1 + 4*unit)}
}

// term bounds sup_τ P(y > τ) - cQ(y > τ), c = e^l. The density of P - cQ changes its sign once,
// upward, at the best τ. A bracket of τ is found by the signs at its ends. The masses rise as τ
// falls, so P is taken from the lower end of the bracket, and Q from the upper one. The parts at
// mean 0 are taken together.
func (m Mechanism) term(t batchpairs.Term, l float64) I {
	sigma, at := m.Profile.NoiseMultiplier, interval.Of(l)
	zeroPart := widened(t.Gap).Sub(few(t.Zero).Mul(at.Expm1()))
	top := interval.Of(math.Min(1, t.Most()*(1+16*unit)))
	root := t.Root(sigma, l, math.Inf(-1))
	if math.IsInf(root, 1) { // P <= cQ everywhere, or up to where the tails underflow
		if !(zeroPart.Hi > 0) && len(t.First) == 0 {
			return I{}
		}
		return top
	}
	if math.IsInf(root, -1) {
		return top
	}
	far := l > farLoss
	mean := 0.0
	for _, c := range append(t.P(), t.Second...) {
		mean = math.Max(mean, math.Abs(c.Mean))
	}
	for width := 1e-14 * (math.Abs(root) + mean + sigma*sigma/mean*(1+l)); ; width *= 8 {
		if !(width < 1e-3*sigma) {
			return top
		}
		lo, hi := root-width, root+width
		if !(sign(t, zeroPart, sigma, l, lo).Hi <= 0) || !(sign(t, zeroPart, sigma, l, hi).Lo >= 0) {
			continue
		}
		inside := I{Lo: lo, Hi: hi}
		s := interval.Of(sigma)
		over := func(mean float64) I { return interval.Of(mean).Sub(inside).Div(s).NormalCDF() }
		value := zeroPart.Mul(over(0))
		if far {
			value = widened(t.Zero + t.Gap).Mul(over(0))
		}
		for _, c := range t.First {
			value = value.Add(few(c.Chance).Mul(over(c.Mean)))
		}
		switch {
		case far:
			for _, c := range t.Q() {
				z := inside.Sub(interval.Of(c.Mean)).Div(s)
				value = value.Sub(few(c.Chance).Mul(scaledTail(l, z)))
			}
		default:
			for _, c := range t.Second {
				value = value.Sub(at.Exp().Mul(few(c.Chance)).Mul(over(c.Mean)))
			}
		}
		value = value.Positive()
		value.Hi = math.Min(value.Hi, top.Hi)
		return value
	}
}

// farLoss is a loss above which e^l times a mass of Q is computed in logarithms. The mass would
// underflow there, and e^l overflow.
const farLoss = 500

// scaledTail returns a lower bound of e^l Φ(-z). With φ the normal density,
//
//	Φ(-z) >= φ(z) (1/z - 1/z³ + 3/z⁵ - 15/z⁷),  z > 0
//
// as the series is alternating. It returns 0 below a z of 8, as if Q had no mass there.
func scaledTail(l float64, z I) I {
	if !(z.Hi > 8) {
		return I{}
	}
	x := interval.Of(z.Hi) // the tail falls in z
	square := x.Mul(x)
	s := one.Div(square)
	series := one.Sub(s.Mul(one.Sub(s.Mul(interval.Of(3).Sub(s.Mul(interval.Of(15)))))))
	density := interval.Of(l).Sub(square.Mul(half)).Exp().Div(interval.Of(2).Mul(interval.Pi()).Sqrt())
	return interval.Of(math.Max(0, density.Mul(series).Div(x).Lo))
}

// widened is few for a number of any sign.
func widened(x float64) I {
	if x < 0 {
		return few(-x).Neg()
	}
	return few(x)
}

// sign returns the density of P - cQ at y, over one of the largest parts.
func sign(t batchpairs.Term, zeroPart I, sigma, l, y float64) I {
	s := interval.Of(sigma)
	double := s.Mul(s).Mul(interval.Of(2))
	exponent := func(mean, shift float64) I {
		m := interval.Of(mean)
		return m.Mul(interval.Of(y).Mul(interval.Of(2)).Sub(m)).Div(double).Add(interval.Of(shift))
	}
	top := 0.0
	for _, c := range t.First {
		top = math.Max(top, exponent(c.Mean, 0).Hi)
	}
	for _, c := range t.Second {
		top = math.Max(top, exponent(c.Mean, l).Hi)
	}
	value := zeroPart.Mul(interval.Of(-top).Exp())
	if l > 1 { // zeroPart loses its digits, and overflows
		scaled := func(shift float64) I { return interval.Of(shift).Sub(interval.Of(top)).Exp() }
		value = widened(t.Zero + t.Gap).Mul(scaled(0)).Sub(few(t.Zero).Mul(scaled(l)))
	}
	for _, c := range t.First {
		value = value.Add(few(c.Chance).Mul(exponent(c.Mean, 0).Sub(interval.Of(top)).Exp()))
	}
	for _, c := range t.Second {
		value = value.Sub(few(c.Chance).Mul(exponent(c.Mean, l).Sub(interval.Of(top)).Exp()))
	}
	return value
}
