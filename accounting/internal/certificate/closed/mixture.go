package closed

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Mixture is the pair of laws P = Σ w_j N(s_j, σ²) and Q = N(0, σ²) of a mixture of Gaussians
// (package pld, mixture.go). Distances begins with 0 and rises.
type Mixture struct {
	Chances, Distances []float64
	Noise              float64
}

// Above returns bounds of E(P - xQ)₊, or of E(Q - xP)₊ if mirrored, for x = e^epsilon and any real
// epsilon. P/Q rises along the line. So with the point τ where it is x, or 1/x,
//
//	E(P - xQ)₊ = Σ w_j Φ((s_j-τ)/σ) - x Φ(-τ/σ),   E(Q - xP)₊ = Φ(τ/σ) - x Σ w_j Φ((τ-s_j)/σ).
//
// Both fall as x rises, so the upper end is that of the least x. The lower end is 0.
func (m Mixture) Above(epsilon I, mirrored bool) I {
	at := of(epsilon.Lo)
	x := at.Exp()
	if mirrored {
		at = at.Neg()
	}
	tau, ok := m.point(at)
	if !ok { // x, or 1/x, is at most w_0 or next to it; P >= w_0 Q
		least := of(m.Chances[0])
		if mirrored {
			return I{Lo: 0, Hi: one.Sub(x.Mul(least)).Positive().Hi}
		}
		return I{Lo: 0, Hi: one.Sub(x).Add(x.Sub(least).Positive()).Hi} // P - xQ is at least -(x-w_0)₊ Q
	}
	sigma := of(m.Noise)
	var mixed interval.Sum
	for j, s := range m.Distances {
		z := of(s).Sub(tau).Div(sigma)
		if mirrored {
			z = z.Neg()
		}
		mixed.Add(of(m.Chances[j]).Mul(normalCDF(z)))
	}
	zero := tau.Div(sigma)
	if mirrored {
		return I{Lo: 0, Hi: normalCDF(zero).Sub(x.Mul(mixed.I())).Positive().Hi}
	}
	return I{Lo: 0, Hi: mixed.I().Sub(x.Mul(normalCDF(zero.Neg()))).Positive().Hi}
}

// point returns an interval that holds the τ where log P/Q is l. It is found by bisection, and then
// widened until the ends have been checked. ok is false if l is at most ln w_0, or too near it.
func (m Mixture) point(l I) (tau I, ok bool) {
	if !(l.Exp().Lo > m.Chances[0]) {
		return I{}, false
	}
	rough := func(x float64) float64 { // log P/Q, without rounding
		top := 0.0
		for _, s := range m.Distances {
			top = math.Max(top, s/m.Noise*((x-s/2)/m.Noise))
		}
		var sum float64
		for j, s := range m.Distances {
			sum += m.Chances[j] * math.Exp(s/m.Noise*((x-s/2)/m.Noise)-top)
		}
		return top + numeric.Log(sum)
	}
	lo, hi := -m.Noise, m.Noise
	for range 200 {
		if rough(lo) < l.Lo {
			break
		}
		lo *= 2
	}
	for range 200 {
		if rough(hi) > l.Hi {
			break
		}
		hi *= 2
	}
	middle := l.Lo + (l.Hi-l.Lo)/2
	for hi-lo > 1e-14*(math.Abs(lo)+m.Noise) {
		x := lo + (hi-lo)/2
		if rough(x) < middle {
			lo = x
		} else {
			hi = x
		}
	}
	for width := 3e-14 * (math.Abs(lo) + m.Noise); width < m.Noise; width *= 4 {
		tau = I{Lo: lo - width, Hi: hi + width}
		if m.logRatio(tau.Lo).Hi <= l.Lo && m.logRatio(tau.Hi).Lo >= l.Hi {
			return tau, true
		}
	}
	return I{}, false
}

// logRatio returns log P/Q at x.
func (m Mixture) logRatio(x float64) I {
	sigma := of(m.Noise)
	exponents, top := make([]I, len(m.Distances)), 0.0
	for j, s := range m.Distances {
		exponents[j] = of(s).Mul(of(x).Sub(of(s).Mul(half))).Div(sigma).Div(sigma)
		top = math.Max(top, exponents[j].Hi)
	}
	var sum interval.Sum
	for j, e := range exponents {
		sum.Add(of(m.Chances[j]).Mul(e.Sub(of(top)).Exp()))
	}
	return sum.I().Log().Add(of(top))
}
