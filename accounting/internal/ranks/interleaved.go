package ranks

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// interleaved is a bound on the privacy profile of the best of K runs that counts, at each output that tells the data sets apart, the ranks that
// the others like it take. It depends on law and profile, and on ε only by where it is fine.
//
// Theorem. Let g(s) be the least mass that Q' can give to outputs of mass s under Q, and P(w) the largest to outputs of mass w, by the profile of
// one run; g is convex. Then for ε >= 0
//
//	δ_A(ε) <= ∫_0^1 m(s) ds,    m(s) = max over w in [0, 1-s] of (f'(1-s-w) - e^ε g'(s) f'(1-g(s)-P(w)))₊.
//
// Proof. As in the proof of [PointwiseAt] the order is strict, the laws have no atoms, and an output wins with the densities A = Q f'(1-p) and A' = Q' f'(1-p').
// Let G be the outputs with A > e^ε A', so that δ_A(ε) = A(G) - e^ε A'(G). Go through G from the best rank on. Where G had the mass s under Q so far, and c(s) under Q', let
// what ranks better and is not in G have the mass w(s) under Q: p = s + w(s), and p' <= c(s) + h(s), h(s) = P(w(s)); w and h do not fall. So
//
//	A(G) = ∫ f'(1-s-w(s)) ds,    A'(G) >= ∫ f'(1-c-h) dc = [F(c+h)] - ∫ f'(1-c-h) dh,    F' (u) = f'(1-u),
//
// s from 0 to Q(G), with f' constant below 0. c(s) >= g(s), F does not fall and f' does not either: the right side is not larger with g in the place of c, and is then
// ∫ f'(1-g-h) g' ds. Under the integrals stands at most m(s). ∎
//
// Whatever [PointwiseAt] allows, r = 1/g'(s) and p = s + w, this allows less: P is concave, with g(s) = 1 - P(1-s), so that P(s+w) >= g(s) + P(w). And where the w of the maximum
// does not fall as s grows, as in all cases that were looked at, the bound is the price: the order that goes so through G by falling and through the rest by rising r attains it. In
// general the worst order is of this form with some w that does not fall; package worstorder finds it.
//
// m does not rise: at a given p = s + w, p' = g(s) + P(p-s) falls as g'(s) <= P'(p-s) = g'(1-(p-s)), and g' does not fall.
//
// Computing it. As a list of lines is known, g and P are piecewise linear. At a place s1, with the place s2 behind it, let
//
//	a(w) = f'(1-s1-w),    b(w) = f'(1-g(s2)-P(w)) + (g(s2)-g(s1)) f''(1-g(s2)-P(w)),    M1(c) = max over w of a(w) - c b(w),
//
// the support function of a hull as in pointwise; with s2 and what is behind it, M2. f' is convex, g too: for s = (1-λ) s1 + λ s2, a chord of f' is above it and a tangent
// below, so that m(s) <= (1-λ) M1(e^ε g'(s)) + λ M2(e^ε g'(s)). The curve of a hull has there a slope db/da from P' f”(1-g(s2)-P)/f”(1-s1-w) to P' f”(1-g(s1)-P)/f”(1-s1-w), as f” is
// convex. Where g(s2)+P(w) is 1, b falls to f'(0), and stays behind. Below the first place s counts as 0, behind the last one as that: m does not rise. Rounding: a hull has its a raised by 1e-8, far more than what a - c b loses.
type interleaved struct {
	law    law.Derivatives
	lines  rankLines // P, coarse where w does not matter
	look   []piece   // P, coarse
	scale  float64   // e^ε about which it is made
	whole  supported // of s = 0
	rises  []rise    // g
	places []taken   // rising
	w      float64   // where M was at the last place
	delta  float64   // that is asked for
}

// newInterleaved returns the bound for a profile that is known at some e, made for ε near epsilon, where that of whole is delta. ok is false
// if the ranks that G takes do not matter: they lower δ by less than some thousandths.
func newInterleaved(k law.Distribution, known []baserun.Point, whole lowerHull, epsilon, delta float64) (b *interleaved, ok bool) {
	lines := newRankLines(known)
	b = &interleaved{law: k.Derivatives(), scale: math.Exp(epsilon), delta: delta, whole: whole.supported(), rises: risesOf(known), look: lines.thinned(0, 0, 8, 8).pieces()}
	if len(b.look) == 0 || math.IsInf(b.scale, 1) {
		return nil, false
	}
	least, most, lost, stride := 1.0, 0.0, 0.0, 1+len(b.rises)/50
	for i := 0; i < len(b.rises); i += stride {
		from, to := b.rises[i].from, b.rises[min(len(b.rises)-1, i+stride-1)].to
		s := from + (to-from)/2
		c := b.scale * b.riseAt(s).slope
		w, value := b.best(0, 0, c)
		if value == 0 {
			break
		}
		_, after := b.best(s, b.g(s), c)
		least, most = math.Min(least, w), math.Max(most, w)
		lost += (value - after) * (to - from)
	}
	b.lines, b.w = lines.thinned(least/1.3, math.Min(1, 1.2*most), 2, 16), least
	return b, lost > 3e-3*delta
}

// best looks for the maximum that M(s, γ; c) is, and its place w.
func (b *interleaved) best(s, gamma, c float64) (w, value float64) {
	for _, l := range b.look {
		up := gamma + l.offset + l.slope*l.from
		if up >= 1 || s+l.from >= 1 {
			continue
		}
		if v := math.Exp(b.law.First(s+l.from)) - c*math.Exp(b.law.First(up)); v > value {
			w, value = l.from, v
		}
	}
	return w, value
}

// epsilonAt returns an ε at which the bound is at most delta, near the least; at most most, where another says so. It looks along the line through the last two
// values of ln δ.
func (b *interleaved) epsilonAt(most float64) float64 {
	want, good, bad, slope := numeric.Log(b.delta), most, 0.0, 2.0
	at, value := most, numeric.Log(b.deltaAt(most))
	if !(value <= want) {
		return most
	}
	for range 30 {
		if value <= want {
			good = at
			if value > want-1e-6 {
				break
			}
		} else {
			bad = at
		}
		next := at + (value-want+5e-7)/slope
		if !(next > bad && next < good) {
			next = bad + (good-bad)/2
		}
		before, was := at, value
		at, value = next, numeric.Log(b.deltaAt(next))
		if s := (value - was) / (before - at); s > 0.01 {
			slope = s
		}
	}
	return good
}

// deltaAt returns the bound at ε >= 0.
func (b *interleaved) deltaAt(epsilon float64) float64 {
	x := numeric.ExpBelow(epsilon)
	b.reach(x)
	sum, at := 0.0, 0 // at places are at or below s
	for _, piece := range b.rises {
		for from := piece.from; from < piece.to; {
			for at < len(b.places) && b.places[at].s <= from {
				at++
			}
			to := piece.to
			if at < len(b.places) {
				to = math.Min(to, b.places[at].s)
			}
			m := b.between(at, from+(to-from)/2, x*piece.slope)
			if m == 0 && at == len(b.places) { // and so it is behind
				return math.Min(1, sum*(1+1e-9))
			}
			sum += m * (to - from)
			from = to
		}
	}
	return math.Min(1, sum*(1+1e-9))
}

// between bounds the mean of m on a part between two places with s in the middle, at c = e^ε g'(s).
func (b *interleaved) between(at int, s, c float64) float64 {
	switch {
	case at == 0:
		return b.whole.support(c)
	case at == len(b.places):
		return b.places[at-1].hull.support(c)
	}
	near, far := b.places[at-1], b.places[at]
	share := math.Max(0, math.Min(1, (s-near.s)/(far.s-near.s)))
	return (1-share)*near.hull.support(c) + share*far.hull.support(c)
}
