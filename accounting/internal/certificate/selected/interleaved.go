package selected

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/interval"
)

// Interleaved checks the bound of ranks/interleaved.go with the masses s of places as a witness:
//
//	δ_A(ε) <= ∫_0^1 m(s) ds,
//	m(s)   =  max over w in [0, 1-s] of (f'(1-s-w) - e^ε g'(s) f'(1-g(s)-P(w)))₊
//
// The theorem holds with any rising function below g in the place of g.
//
// Proof for s in [s1, s2] and w in [w1, w2]. f'(1-s-w) is convex in (s, w). g is convex, and so
// below its chord from s1 to s2; P is below a line; and f'(1-u) falls and is convex in u. So
// f'(1-g-P) is at least its tangent in u, as an affine function of (s, w). The difference is at
// most a convex function on the box, at a given s the larger of its values at w1 and w2. As these
// are convex in s,
//
//	m(s) <= (1-λ) M1 + λ M2,   s = (1-λ) s1 + λ s2,
//
// with M1 the largest value over all boxes at s1, and M2 at s2.
//
// Beyond the last place s1, m(s) is at most the maximum over w of f'(1-s1-w) - e^ε g'(s)
// f'(1-g(s1)-P(w)). For at a given p = s+w, g(s) + P(p-s) falls as s grows: g'(s) = P'(1-s), which
// is at most P'(p-s), as P is concave. ∎
func Interleaved(law Law, run Run, places []float64, delta float64) Check {
	g := leastMassOf(run.known)
	places = g.places(places)
	var known integral
	return func(epsilon, _ float64) (float64, int) {
		if len(run.lines) == 0 {
			return 1, 0
		}
		x := interval.Of(epsilon).Exp().Lo
		if x >= known.x[0] && x <= known.x[1] {
			return known.at(x), 0
		}
		b := boxes{law: law, lines: run.lines, mass: g, delta: delta, left: mostBoxes}
		b.x = [2]float64{x, max(x, interval.Of(epsilon*(1+mostRaised)).Exp().Lo)}
		known = integral{b.x, b.over(places)}
		return known.at(x), mostBoxes - b.left
	}
}

// integral has upper bounds on ∫ m(s) ds at both ends of a range of e^ε. The integral falls as e^ε
// grows. It is convex in e^ε, as m is a maximum of affine functions. So it is below the chord.
type integral struct{ x, sum [2]float64 }

// at returns an upper bound for x in the range.
func (i integral) at(x float64) float64 {
	if !(i.x[1] > i.x[0]) || math.IsInf(i.sum[0], 1) {
		return min(1, i.sum[0])
	}
	// A smaller share is further up.
	share := interval.Of(x).Sub(interval.Of(i.x[0])).Div(interval.Of(i.x[1]).Sub(interval.Of(i.x[0])))
	rest := one.Sub(I{Lo: max(0, min(1, share.Lo)), Hi: max(0, min(1, share.Lo))})
	return min(1, i.sum[0], interval.Of(i.sum[1]).Add(rest.Mul(interval.Of(i.sum[0]).Sub(interval.Of(i.sum[1])))).Hi)
}

// part is a segment with upper bounds on ∫ m(s) ds over it, at both e^ε.
type part struct {
	segment
	sum [2]float64
	gap float64 // about how much the bounds may fall if the segment is divided
}

// over returns upper bounds on ∫ m(s) ds at both e^ε. It divides the segment that seems to lose
// most, until the first bound is at most δ or until no more seems to be gained. Then it makes
// smaller boxes, if they may lower it enough.
func (b *boxes) over(places []float64) (sum [2]float64) {
	var parts []part
	for i, s := range places {
		p := part{segment: segment{s1: s, g1: b.mass.most(s), s2: 1, last: i+1 == len(places)}, sum: [2]float64{math.Inf(1), math.Inf(1)}}
		if p.g2 = p.g1; !p.last {
			p.s2, p.g2 = places[i+1], b.mass.most(places[i+1])
			p.gap = math.Inf(1)
		}
		parts = append(parts, p)
	}
	for _, b.tolerance = range tolerances {
		for i, p := range parts {
			sum := b.integral(p.segment)
			if b.left < 0 { // keep what larger boxes have shown
				sum = [2]float64{min(sum[0], p.sum[0]), min(sum[1], p.sum[1])}
			}
			parts[i].sum, parts[i].gap = sum, min(p.gap, sum[0])
		}
		var gaps float64
		if parts, sum, gaps = b.divided(parts); b.left < 0 || b.shown(sum, gaps+2*b.tolerance*b.delta) {
			break
		}
	}
	return sum
}

// divided divides parts and returns them with their sums and gaps.
func (b *boxes) divided(parts []part) ([]part, [2]float64, float64) {
	for {
		sum, gaps, at := [2]float64{}, 0.0, 0
		for i, p := range parts {
			for j := range sum {
				sum[j] = interval.Up(sum[j] + p.sum[j])
			}
			if gaps += p.gap; p.gap > parts[at].gap {
				at = i
			}
		}
		if b.left < 0 || b.shown(sum, 4*gaps) || parts[at].gap <= leastGap*b.delta {
			return parts, sum, gaps
		}
		near, far, ok := b.halves(parts[at])
		if !ok {
			parts[at].gap = 0
			continue
		}
		parts[at] = near
		parts = append(parts, far)
	}
}

// shown reports whether the first sum is at most δ, or would not be shown at a smaller raise of ε
// if both were lower.
func (b *boxes) shown(sum [2]float64, lower float64) bool {
	if sum[0] <= b.delta {
		return true
	}
	// raise returns the place in Raises of the first share at which the chord is at most δ.
	raise := func(lower float64) int {
		share := mostRaised * (sum[0] - lower - b.delta) / (sum[0] - sum[1])
		i := 0
		for i < len(Raises) && !(Raises[i].Share >= share) {
			i++
		}
		return i
	}
	return raise(lower) >= raise(0)
}

// halves divides a part. Over a range of s as long as s, the gap of each half is half of what this
// gained: it would be a sixth if m were a parabola. Elsewhere it may be all.
func (b *boxes) halves(p part) (near, far part, ok bool) {
	middle, long := p.s1+(p.s2-p.s1)/2, p.s2 > 4*p.s1
	if long {
		middle = max(p.s2/32, math.Sqrt(p.s1)*math.Sqrt(p.s2))
	}
	if !(middle > p.s1 && middle < p.s2) {
		return p, p, false
	}
	near, far = part{segment: p.segment}, part{segment: p.segment}
	near.s2, near.g2 = middle, b.mass.most(middle)
	far.s1, far.g1 = middle, near.g2
	near.sum, far.sum = b.integral(near.segment), b.integral(far.segment)
	if b.left < 0 {
		return p, p, false
	}
	gap := p.gap
	if !long && !b.wide(p.segment) {
		gap = max(0, p.sum[0]-near.sum[0]-far.sum[0]) / 2
	}
	near.gap, far.gap = min(near.sum[0], gap), min(far.sum[0], gap)
	return near, far, true
}

const (
	// mostBoxes limits the work of one check.
	mostBoxes = 200_000
	// A segment that seems to lose at most the share leastGap of δ is not divided.
	leastGap = 1e-7
	// fewRises is the number of parts of g up to which all their ends are places. Of more, the ends
	// are places where the slope has grown by a share of largeTurn.
	fewRises, largeTurn = 100, 0.5
	// Boxes are made of segments over which f'(1-s) falls by a factor of at most largeFall.
	largeFall = 1.6
	// leastTurn is such a share for the first group of parts of g beyond the last place.
	leastTurn = 1e-3
	// mostPlaces is about the number of places of a witness that are used, the last among them.
	mostPlaces = 30
)

// tolerances are shares of m that boxes may add, to be tried one after the other.
var tolerances = []float64{1e-3, 1e-4, 1e-5}

// places returns the ends of segments: 0, those of the witness, and the turns of g.
func (g leastMass) places(witness []float64) []float64 {
	places := []float64{0}
	for i, s := range witness {
		if s > 0 && s < 1 && ((len(witness)-1-i)%(1+len(witness)/mostPlaces) == 0) {
			places = append(places, s)
		}
	}
	last, end := 0.0, slices.Max(places)
	for i := 1; i < len(g.rises) && g.rises[i].from < end; i++ {
		if len(g.rises) <= fewRises || g.rises[i].slope > last*(1+largeTurn) {
			places, last = append(places, g.rises[i].from), g.rises[i].slope
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}
