package ranks

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// interleaved is a bound on the privacy profile of the best of K runs. At each output that
// distinguishes the data sets it counts the ranks taken by the other such outputs. It depends on
// law and profile; ε only decides where it is fine.
//
// Theorem. Let g(s) be the least mass that Q' can give to outputs of mass s under Q, and P(w) the
// largest to outputs of mass w, by the profile of one run. g is convex. Then for ε >= 0
//
//	δ_A(ε) <= ∫_0^1 m(s) ds,
//	m(s)   =  max over w in [0, 1-s] of (f'(1-s-w) - e^ε g'(s) f'(1-g(s)-P(w)))₊.
//
// Proof. As in the proof in pointwise.go the order is strict, the laws have no atoms, and an output
// wins with the densities A = Q f'(1-p) and A' = Q' f'(1-p'). Let G be the outputs with A > e^ε A'.
// Then δ_A(ε) = A(G) - e^ε A'(G). Go through G from the best rank on. Let the part of G so far have
// the mass s under Q, and c(s) under Q'. Let the outputs outside of G that rank better have the
// mass w(s) under Q. Then p = s + w(s), and p' <= c(s) + h(s), h(s) = P(w(s)); w and h do not fall.
// So
//
//	A(G)  =  ∫ f'(1-s-w(s)) ds,
//	A'(G) >= ∫ f'(1-c-h) dc = [F(c+h)] - ∫ f'(1-c-h) dh,    F'(u) = f'(1-u),
//
// s from 0 to Q(G), with f' constant below 0. c(s) >= g(s), and neither F nor f' falls. So with g
// in the place of c the right side does not rise, and it is then ∫ f'(1-g-h) g' ds. The integrand
// of the difference is at most m(s). ∎
//
// The bound allows less than that of pointwise.go, which has r = 1/g'(s) and p = s + w. For P is
// concave, with g(s) = 1 - P(1-s), so P(s+w) >= g(s) + P(w).
//
// If the w of the maximum does not fall as s grows, as in all tested cases, the bound is the price.
// The order that goes through G by falling r, and through the rest by rising r, attains it. In
// general the worst order is of this form with some w that does not fall; package worstorder finds
// it.
//
// m does not rise. At a given p = s + w, p' = g(s) + P(p-s) falls as g'(s) <= P'(p-s) =
// g'(1-(p-s)), and g' does not fall.
//
// Computing it. For a list of lines, g and P are piecewise linear. At a place s1, with the next
// place s2, let
//
//	a(w)  = f'(1-s1-w),
//	b(w)  = f'(1-g(s2)-P(w)) + (g(s2)-g(s1)) f''(1-g(s2)-P(w)),
//	M1(c) = max over w of a(w) - c b(w),
//
// the support function of a hull as in pointwise.go. M2 is the same for s2 and the place after it.
// f' and g are convex. So for s = (1-λ) s1 + λ s2 a chord of f' is above it and a tangent below it:
//
//	m(s) <= (1-λ) M1(e^ε g'(s)) + λ M2(e^ε g'(s)).
//
// The second derivative of f is convex. So the curve of a hull has a slope db/da between
//
//	P' f''(1-g(s2)-P)/f''(1-s1-w)    and    P' f''(1-g(s1)-P)/f''(1-s1-w).
//
// Where g(s2)+P(w) is 1, b falls to f'(0), and stays there. Below the first place s counts as 0,
// above the last one as that place: m does not rise.
//
// Rounding. A hull has its a raised by 1e-8, far more than the rounding of a - c b.
type interleaved struct {
	law    law.Derivatives
	lines  rankLines  // P, coarse where w does not matter
	look   []piece    // P, coarse
	scale  float64    // e^ε around which it is made
	whole  supported  // the hull at s = 0
	rises  []rise     // g
	groups *[]group   // of rises
	places []taken    // increasing
	w      float64    // w of the maximum at the last place
	delta  float64    // the δ of the question
	asked  [2]float64 // the ε that are asked, about: the least and the largest
	slope  float64    // -d ln δ/dε there, about
	met    []float64  // w of the maxima at the last place, for the c that matter there

	everywhere bool // all ε are asked
}

// newInterleaved returns the bound for a profile that is known at some e. It is made for ε near
// epsilon, where the bound of whole is delta. ok is false if the ranks that G takes do not matter:
// they lower δ by less than some thousandths.
func newInterleaved(k law.Distribution, known []baserun.Point, whole lowerHull, epsilon, delta float64) (b *interleaved, ok bool) {
	lines := newRankLines(known)
	b = &interleaved{law: k.Derivatives(), scale: math.Exp(epsilon), delta: delta, whole: whole.supported(), rises: risesOf(known), groups: new([]group), look: lines.thinned(0, 0, 8, 8).pieces()}
	if len(b.look) == 0 || math.IsInf(b.scale, 1) {
		return nil, false
	}
	least, most, lost, left := 1.0, 0.0, 0.0, 0.0
	first := b.sights(0, 0)
	b.scan(func(g *group, c float64) bool {
		w, value := largest(first, c)
		if value == 0 {
			return false
		}
		_, after := largest(g.sights, c)
		least, most = math.Min(least, w), math.Max(most, w)
		lost += (value - after) * g.length
		left += after * g.length
		return true
	})
	b.lines, b.w = lines.thinned(least/1.3, math.Min(1, 1.2*most), 2, 16), least
	if ok = lost > 3e-3*delta; ok {
		b.estimate(epsilon, left)
	} else {
		b.askAll(epsilon)
	}
	return b, ok
}

// estimate looks for the ε at which the bound is δ. At epsilon it is about left. If it finds none,
// all ε are asked.
func (b *interleaved) estimate(epsilon, left float64) {
	const step, near = 0.05, 0.1 // of ε; of ln δ
	at, value, want := epsilon, numeric.Log(left), numeric.Log(b.delta)
	next := at - step*math.Min(1, epsilon)
	for range 8 {
		there := *b
		there.scale = math.Exp(next)
		before, was := at, value
		at, value = next, numeric.Log(there.integral())
		slope := (value - was) / (before - at)
		if !(slope > 0.01 && slope < 1e3) {
			break
		}
		b.slope = slope
		if math.Abs(value-want) < near {
			b.ask(at, epsilon)
			return
		}
		next = math.Max(at/2, math.Min(epsilon, at+(value-want)/slope))
	}
	b.askAll(epsilon)
}

// epsilonAt returns an ε at which the bound is at most delta, near the least such ε. most is a
// known such ε of another bound, and the result is at most that. The search follows the line
// through the last two values of ln δ.
func (b *interleaved) epsilonAt(most float64) float64 {
	want := numeric.Log(b.delta)
	bad, good, lnBad, lnGood, ok := b.bracket(most, want)
	if !ok {
		return most
	}
	at, value, slope := good, lnGood, 2.0
	if s := (lnBad - lnGood) / (good - bad); s > 0.01 {
		slope = s
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

// bracket returns ends of a range that has the answer, with ln δ there. If the answer is not in the
// range that is asked, it moves that once, then asks all ε. ok is false if the bound is above δ at
// most.
func (b *interleaved) bracket(most, want float64) (bad, good, lnBad, lnGood float64, ok bool) {
	for moved := false; ; moved = true {
		good = b.asked[1]
		lnGood = numeric.Log(b.deltaAt(good))
		if lnGood > want && good >= most {
			return 0, most, 0, 0, false
		}
		if b.everywhere {
			return 0, most, 0, lnGood, true
		}
		bad = b.asked[0]
		lnBad = numeric.Log(b.deltaAt(bad))
		switch {
		case lnGood <= want && (lnBad > want || bad == 0):
			return bad, good, lnBad, lnGood, true
		case moved:
			b.askAll(most)
		default:
			b.ask(good+(lnGood-want)*(good-bad)/math.Max(lnBad-lnGood, 1e-3), most)
		}
	}
}

// ask sets the range that is asked: around an ε, up to most.
func (b *interleaved) ask(epsilon, most float64) {
	epsilon = math.Max(0, math.Min(most, epsilon))
	b.asked = [2]float64{math.Max(0, epsilon-askedSpread/b.slope), math.Min(most, epsilon+askedSpread/b.slope)}
	b.places, b.met = nil, nil
}

// askAll lets all ε up to most be asked. Then every hull is fine where its a and c b are alike, for
// the c of the e^ε around which the bound is made.
func (b *interleaved) askAll(most float64) {
	b.everywhere, b.asked = true, [2]float64{0, most}
	b.places, b.met = nil, nil
}

// askedSpread is how much of ln δ the range reaches to either side.
const askedSpread = 0.5

// deltaAt returns the bound at ε >= 0.
func (b *interleaved) deltaAt(epsilon float64) float64 {
	x := numeric.ExpBelow(epsilon)
	b.reach(x)
	sum, at := 0.0, 0 // the first at places are at or below s
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
			if m == 0 && at == len(b.places) { // m is 0 from here on
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
