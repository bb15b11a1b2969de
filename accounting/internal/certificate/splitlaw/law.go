package splitlaw

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

type I = interval.I

func of(x float64) I { return interval.Of(x) }

var one = of(1)

// law is a measure on the points e^{shift + step (first+k)} and on 0. It is above a likelihood
// ratio Z = dP/dQ under Q: for every convex f >= 0 on [0, ∞) that rises or falls,
//
//	E f(Z) <= Σ mass[k] f(z_k) + zero f(0) + infinite f'(∞).
//
// All masses are rounded up, which keeps the inequality. The points are exact, and their logarithms
// have intervals. The masses are times scale, because a product of two small ones would underflow.
type law struct {
	step           float64
	shift          I
	first          int
	mass           []float64
	zero, infinite float64
}

const (
	scale = 0x1p1000
	half  = 0x1p-500 // of the scale: masses of two factors are multiplied by it first
)

// at returns ln z_k.
func (l law) at(k int) I {
	return l.shift.Add(of(l.step).Mul(of(float64(l.first + k))))
}

// weigh bounds m e^x. It does not overflow on the way for |x| <= 2000.
func weigh(m float64, x I) float64 {
	e := x.Mul(of(0.25)).Exp()
	e = e.Mul(e)
	return of(m).Mul(e).Mul(e).Hi
}

// inflated bounds a sum of products >= 0 from its float64 value, in any order. Each product has at
// most three factors. The roundings are at most terms+3 factors of 1-2^-53 or more on a term.
// terms must be at least 4.
func inflated(sum float64, terms int) float64 {
	return interval.Up(interval.Up(sum) * (1 + float64(terms)*0x1p-52))
}

// total bounds the mass under Q, without the scale.
func (l law) total() float64 {
	sum := l.zero
	for _, m := range l.mass {
		sum += m
	}
	return inflated(sum, len(l.mass)+4) / scale
}

// mean bounds Σ mass z, without the scale.
func (l law) mean() float64 {
	sum := 0.0
	for k, m := range l.mass {
		if m != 0 {
			sum += weigh(m, l.at(k))
		}
	}
	return inflated(sum, len(l.mass)+4) / scale
}

// halved bounds the masses times half: products of two of them have one scale.
func (l law) halved() []float64 {
	out := make([]float64, len(l.mass))
	for k, m := range l.mass {
		if m != 0 { // NaN stays, and shows nothing
			out[k] = interval.Up(m * half)
		}
	}
	return out
}

// charged adds what underflow may take from products of pairs of masses. Each loses at most a few
// times 2^-1074, of a mass on a point z up to the last one. There a rising f is at most f(0) + z
// f'(∞), and a falling one f(0).
func (l law) charged(pairs float64) law {
	lost := pairs * 0x1p-1070
	l.zero = interval.Up(l.zero + lost)
	l.infinite = interval.Up(l.infinite + weigh(lost, l.at(len(l.mass)-1)))
	return l
}

// trimmed moves the lowest points with mass at most e^logTau under Q, and the highest with at most
// that under P. Mass below the first point is split between it and 0. Mass above the last one
// stays there, and its distance under P is moved to ∞.
func (l law) trimmed(logTau float64) law {
	tau := math.Exp(logTau + 1000*math.Ln2) // times scale
	a, b := 0, len(l.mass)
	for sum := 0.0; a < b-2; a++ {
		if sum += l.mass[a]; sum > tau {
			break
		}
	}
	for sum := 0.0; b > a+2; b-- {
		if m := l.mass[b-1]; m > 0 {
			if sum += weigh(m, l.at(b-1)); sum > tau {
				break
			}
		}
	}
	out := l
	out.first, out.mass = l.first+a, append([]float64{}, l.mass[a:b]...)
	for k, m := range l.mass {
		if m == 0 || k >= a && k < b {
			continue
		}
		if k < a {
			apart := of(l.step).Mul(of(float64(k - a)))
			out.mass[0] = interval.Up(out.mass[0] + of(m).Mul(apart.Exp()).Hi)
			out.zero = interval.Up(out.zero + of(m).Mul(apart.Expm1().Neg()).Hi)
			continue
		}
		out.mass[b-a-1] = interval.Up(out.mass[b-a-1] + m)
		beyond := of(l.step).Mul(of(float64(b - 1 - k))).Expm1().Neg()
		out.infinite = interval.Up(out.infinite + of(weigh(m, l.at(k))).Mul(beyond).Hi)
	}
	return out
}

// coarser returns the law on every second point, with the others split between their neighbors.
func (l law) coarser() law {
	up := one.Div(of(l.step).Exp().Add(one)) // (e^h - 1)/(e^{2h} - 1)
	middle := place{wide: 1, low: one.Sub(up).Hi, high: up.Hi}
	point := place{wide: 1, low: 1}
	out := l
	out.step, out.first = 2*l.step, l.first>>1
	out.mass = make([]float64, (l.first+len(l.mass))>>1-out.first+2)
	for k, m := range l.mass {
		if m == 0 {
			continue
		}
		p := point
		if (l.first+k)&1 == 1 {
			p = middle
		}
		p.k = (l.first + k) >> 1
		out.put(m, p)
	}
	return out
}

// put adds an atom of mass m.
func (l law) put(m float64, p place) {
	k := p.k - l.first
	l.mass[k] = interval.Up(l.mass[k] + of(m).Mul(of(p.low)).Hi)
	l.mass[k+p.wide] = interval.Up(l.mass[k+p.wide] + of(m).Mul(of(p.high)).Hi)
}

// place is how an atom at e^y, y >= 0, is split between e^{step k} and e^{step (k+wide)}, with
// upper ends of the two shares.
type place struct {
	k, wide   int
	low, high float64
}

// placeOf returns the place of e^y on a grid. If it is not known on which side of a point that is,
// the two neighbors of the point take the atom.
func placeOf(y I, step float64) place {
	h := of(step)
	at := y.Positive().Div(h)
	k := math.Floor(max(0, at.Lo))
	p := place{k: int(k), wide: 1}
	switch math.Floor(at.Hi) {
	case k:
	case k + 1:
		p.wide = 2
	default: // nothing is known of the place
		p.low, p.high = math.Inf(1), math.Inf(1)
		return p
	}
	share := y.Positive().Sub(h.Mul(of(k))).Expm1().Div(h.Mul(of(float64(p.wide))).Expm1())
	p.high = max(0, min(1, share.Hi))
	p.low = max(0, min(1, one.Sub(share).Hi))
	return p
}
