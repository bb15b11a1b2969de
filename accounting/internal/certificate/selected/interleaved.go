package selected

import (
	"math"
	"slices"
	"sort"

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
	return func(epsilon, _ float64) (float64, int) {
		if len(run.lines) == 0 {
			return 1, 0
		}
		total, least := 0, 1.0
		for _, tolerance := range []float64{2e-3, 2e-4, 2e-5} {
			b := boxes{law: law, lines: run.lines, mass: g, x: interval.Of(epsilon).Exp().Lo, delta: delta, tolerance: tolerance, left: mostBoxes}
			sum := b.over(places)
			total += mostBoxes - b.left
			if least = min(least, sum); sum <= delta || sum > delta*(1+nearEnough) {
				break
			}
		}
		return least, total
	}
}

// over returns an upper bound on ∫ m(s) ds, or 1 if that is well above delta.
func (b *boxes) over(places []float64) float64 {
	sum, part := 0.0, segment{}
	for i, s := range places {
		part.s1, part.g1 = s, b.mass.most(s)
		if i > 0 {
			part.s1, part.g1 = part.s2, part.g2
		}
		if part.last = i+1 == len(places); part.last {
			part.s2, part.g2 = 1, part.g1
		} else {
			part.s2, part.g2 = places[i+1], b.mass.most(places[i+1])
		}
		if sum = interval.Up(sum + b.integral(part, mostHalved)); b.left < 0 || !(sum <= b.delta*(1+nearEnough)) {
			return 1
		}
	}
	return sum
}

const (
	// mostBoxes limits the work of one check.
	mostBoxes = 100_000
	// nearEnough limits how far a sum may be above δ, as a share, if smaller boxes are to be tried.
	nearEnough = 0.03
	// fewRises is the number of parts of g up to which all their ends are places. Of more, the ends
	// are places where the slope has grown by a share of largeTurn.
	fewRises, largeTurn = 100, 0.5
	// leastTurn is such a share for the first group of parts of g beyond the last place.
	leastTurn = 1e-3
	// mostPlaces is about the number of places of a witness that are used, the last among them.
	mostPlaces = 30
	// A segment is halved, up to mostHalved times, while its chords seem to add the share tolerance
	// of δ.
	mostHalved = 40
)

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

// segment is a range of s with upper bounds on g at its ends. The last one goes on to 1, with the
// values at s1 throughout.
type segment struct {
	s1, s2, g1, g2 float64
	last           bool
}

// boxes bounds m on segments.
type boxes struct {
	law   Law
	lines []line
	mass  leastMass
	x     float64 // e^ε, from below
	delta float64

	tolerance  float64
	left, line int

	// of one segment
	segment
	factors [tried]float64    // e^ε g', from the least to the largest
	ends    [2][]pair         // corners at s1 and at s2
	at      []float64         // w of each
	loose   float64           // of m, at any s
	enough  [2][tried]float64 // by end and by factor
}

// tried is the number of factors e^ε g' of a segment at which boxes are made small.
const tried = 4

// edge is a w with f'(1-s1-w) and f'(1-s2-w), from above.
type edge struct{ w, a1, a2 float64 }

func (b *boxes) edge(w float64) edge {
	e := edge{w: w, a1: b.above(b.s1 + w)}
	if e.a2 = e.a1; !b.last {
		e.a2 = b.above(b.s2 + w)
	}
	return e
}

func (b *boxes) above(p float64) float64 {
	return b.law.First(interval.Of(max(0, interval.Down(p)))).Hi
}

// integral returns an upper bound on ∫ m(s) ds over a segment.
func (b *boxes) integral(part segment, halves int) float64 {
	from := sort.Search(len(b.mass.rises)-1, func(i int) bool { return b.mass.rises[i].to > part.s1 })
	to := from + 1
	for to < len(b.mass.rises) && b.mass.rises[to].from < part.s2 {
		to++
	}
	rises := b.mass.rises[from:to]
	if part.last {
		return b.tail(part, rises)
	}
	b.cover(part, b.factor(rises[0]), b.factor(rises[len(rises)-1]))
	if halves > 0 && b.left > 0 {
		middle := part.s1 + (part.s2-part.s1)/2
		bent := max(b.bent(0.1), b.bent(0.5))
		if bent*(part.s2-part.s1) > b.tolerance*b.delta && middle > part.s1 && middle < part.s2 {
			switch {
			case part.s1 == 0:
				middle = part.s2 / 32
			case part.s2 > 4*part.s1:
				middle = math.Sqrt(part.s1) * math.Sqrt(part.s2)
			}
			near, far := part, part
			near.s2, near.g2 = middle, b.mass.most(middle)
			far.s1, far.g1 = near.s2, near.g2
			return interval.Up(b.integral(near, halves-1) + b.integral(far, halves-1))
		}
	}
	return b.sum(part, rises)
}

// tail is integral for the last segment. It goes through the parts of g in groups of nearly equal
// slope. The first is the narrowest, as m mostly falls fast. From a group without a positive m on,
// m is 0, as it falls with the slope.
func (b *boxes) tail(part segment, rises []rise) float64 {
	sum := 0.0
	for turn := leastTurn; len(rises) > 0 && b.left >= 0; turn = min(2*turn, largeTurn) {
		n := 1
		for n < len(rises) && rises[n].slope <= rises[0].slope*(1+turn) {
			n++
		}
		b.cover(part, b.factor(rises[0]), b.factor(rises[n-1]))
		sum = interval.Up(sum + b.sum(part, rises[:n]))
		if largest(b.ends[0], b.factor(rises[0])) <= 0 {
			break
		}
		rises = rises[n:]
	}
	return sum
}

// sum returns an upper bound on ∫ m(s) ds over parts of g in the segment that is covered.
func (b *boxes) sum(part segment, rises []rise) float64 {
	sum, width := 0.0, interval.Of(part.s2).Sub(interval.Of(part.s1))
	for _, r := range rises {
		from, to := max(r.from, part.s1), min(r.to, part.s2)
		if !(to > from) {
			continue
		}
		c := b.factor(r)
		m1, m2 := interval.Of(largest(b.ends[0], c)), interval.Of(largest(b.ends[1], c))
		at := func(s float64) float64 { // a bound on m, from above
			share := interval.Of(s).Sub(interval.Of(part.s1)).Div(width)
			share = I{Lo: max(0, share.Lo), Hi: min(1, share.Hi)}
			return max(0, m1.Mul(one.Sub(share)).Add(m2.Mul(share)).Hi)
		}
		// The positive part of a line is convex, so it is below its chord.
		sum = interval.Up(sum + interval.Up(interval.Up(to-from)*interval.Up(at(from)+at(to))/2))
	}
	return sum
}

// factor returns e^ε g' from below.
func (b *boxes) factor(r rise) float64 { return max(0, interval.Down(b.x*r.slope)) }

// cover makes the boxes of a segment.
func (b *boxes) cover(part segment, low, high float64) {
	b.segment = part
	b.ends, b.at = [2][]pair{b.ends[0][:0], b.ends[1][:0]}, b.at[:0]
	b.loose = b.tolerance / 10 * b.delta / (part.s2 - part.s1)
	for j := range tried {
		b.factors[j] = low + (high-low)*float64(j)/(tried-1)
		b.enough[0][j], b.enough[1][j] = b.loose, b.loose
	}
	near, stop := b.edge(0), interval.Up(1-part.s1)
	for w := 0x1p-50; b.left >= 0; w *= 16 {
		far := b.edge(min(w, stop))
		b.box(near, far, 60)
		if near = far; w >= stop {
			return
		}
	}
}

// bent returns by how much the chords seem to be above m at a share of the segment.
func (b *boxes) bent(share float64) float64 {
	s, rises := b.s1+share*(b.s2-b.s1), b.mass.rises
	c := b.factor(rises[sort.Search(len(rises)-1, func(i int) bool { return rises[i].to > s })])
	most, at := [2]float64{}, [2]int{}
	for i, ends := range b.ends {
		for j, e := range ends {
			if v := e.a - c*e.b; v > most[i] {
				most[i], at[i] = v, j
			}
		}
	}
	w := b.at[at[0]]
	if most[1] > most[0] {
		w = b.at[at[1]]
	}
	b.line = least(b.lines, w, b.line)
	l := b.lines[b.line]
	return (1-share)*most[0] + share*most[1] - max(0, b.above(s+w)-c*b.above(b.mass.most(s)+l.offset+l.slope*w))
}

// largest returns an upper bound on the largest a - c b.
func largest(ends []pair, c float64) float64 {
	most := math.Inf(-1)
	for _, e := range ends {
		most = max(most, interval.Up(e.a-interval.Down(c*e.b)))
	}
	return most
}

// box adds the corners between two edges, or those of its halves.
func (b *boxes) box(near, far edge, depth int) {
	b.left--
	if near.a1 <= b.enough[0][0] && near.a2 <= b.enough[1][0] { // at any b >= 0
		corner := [2]pair{{near.a1, 0}, {near.a1, 0}}
		b.keep([2][2]pair{corner, {{near.a2, 0}, {near.a2, 0}}}, near.w, near.w)
		return
	}
	middle := near.w + (far.w-near.w)/2
	if near.w > 0 && far.w > 2*near.w {
		middle = math.Sqrt(near.w) * math.Sqrt(far.w)
	}
	b.line = least(b.lines, middle, b.line)
	tangent := b.tangent(middle)
	corners := [2][2]pair{
		{{near.a1, tangent(b.g1, near.w)}, {far.a1, tangent(b.g1, far.w)}},
		{{near.a2, tangent(b.g2, near.w)}, {far.a2, tangent(b.g2, far.w)}},
	}
	if !b.exceeds(corners) || depth == 0 || !(middle > near.w && middle < far.w) || b.left < 0 {
		b.keep(corners, near.w, far.w)
		return
	}
	m := b.edge(middle)
	for i, at := range [2]pair{{m.a1, tangent(b.g1, middle)}, {m.a2, tangent(b.g2, middle)}} {
		for j, c := range b.factors {
			b.enough[i][j] = max(b.enough[i][j], (at.a-c*at.b)*(1+b.tolerance)+b.loose)
		}
	}
	if !b.exceeds(corners) {
		b.keep(corners, near.w, far.w)
		return
	}
	b.box(near, m, depth-1)
	b.box(m, far, depth-1)
}

// keep adds corners at w1 and w2.
func (b *boxes) keep(corners [2][2]pair, w1, w2 float64) {
	b.at = append(b.at, w1, w2)
	for i := range corners {
		b.ends[i] = append(b.ends[i], corners[i][:]...)
	}
}

// exceeds reports whether a corner is above what is enough.
func (b *boxes) exceeds(corners [2][2]pair) bool {
	for i, ends := range corners {
		for j, c := range b.factors {
			if max(ends[0].a-c*ends[0].b, ends[1].a-c*ends[1].b) > b.enough[i][j] {
				return true
			}
		}
	}
	return false
}

// tangent returns a lower bound on f'(1-g-P(w)): its tangent at the middle of the box.
func (b *boxes) tangent(middle float64) func(g, w float64) float64 {
	l := b.lines[b.line]
	y := (b.g1+b.g2)/2 + l.at(middle).Hi
	if y >= 1 {
		end := b.law.First(one).Lo
		return func(_, _ float64) float64 { return end }
	}
	at := interval.Of(y)
	value, slope := b.law.First(at), b.law.Second(at)
	return func(g, w float64) float64 {
		return value.Sub(slope.Mul(interval.Of(g).Add(l.at(w)).Sub(at))).Lo
	}
}
