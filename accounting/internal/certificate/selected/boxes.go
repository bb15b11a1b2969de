package selected

import (
	"math"
	"sort"

	"github.com/dplab/dplab/accounting/interval"
)

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
	x     [2]float64 // e^ε, from below: the least and the largest of a range
	delta float64

	tolerance  float64 // the share of m that boxes may add
	left, line int     // boxes that may still be made; the line last looked at

	// of one segment
	segment
	factors [tried]float64    // e^ε g' of some parts of g, from the least to the largest
	ends    [2][]pair         // corners at s1 and at s2
	loose   float64           // of m, at any s
	enough  [2][tried]float64 // by end and by factor
}

// tried is the number of factors e^ε g' of a segment at which boxes are made small. Elsewhere the
// largest a - c b is at most a chord, as it is convex in c.
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

// integral returns upper bounds on ∫ m(s) ds over a segment, at both e^ε.
func (b *boxes) integral(part segment) [2]float64 {
	if b.wide(part) || b.left < 0 {
		return b.trivial(part)
	}
	rises := b.rises(part)
	var sum [2]float64
	if part.last {
		sum = b.tail(part, rises)
	} else {
		b.cover(part, rises)
		sum = b.sum(part, rises)
	}
	if b.left < 0 { // boxes ran out, and do not cover every w
		return b.trivial(part)
	}
	return sum
}

// trivial is integral without boxes: m(s) is at most f'(1-s).
func (b *boxes) trivial(part segment) [2]float64 {
	most := interval.Up(interval.Up(part.s2-part.s1) * b.above(part.s1))
	return [2]float64{most, most}
}

// wide reports whether f'(1-s) falls so far over a segment that chords are of no use.
func (b *boxes) wide(part segment) bool {
	return !part.last && b.above(part.s1) > largeFall*b.above(part.s2)
}

// rises returns the parts of g in a segment.
func (b *boxes) rises(part segment) []rise {
	from := sort.Search(len(b.mass.rises)-1, func(i int) bool { return b.mass.rises[i].to > part.s1 })
	to := from + 1
	for to < len(b.mass.rises) && b.mass.rises[to].from < part.s2 {
		to++
	}
	return b.mass.rises[from:to]
}

// tail is integral for the last segment. It goes through the parts of g in groups of nearly equal
// slope. The first is the narrowest, as m mostly falls fast. From a group without a positive m on,
// m is 0, as it falls with the slope.
func (b *boxes) tail(part segment, rises []rise) [2]float64 {
	var sum [2]float64
	for turn := leastTurn; len(rises) > 0 && b.left >= 0; turn = min(2*turn, largeTurn) {
		n := 1
		for n < len(rises) && rises[n].slope <= rises[0].slope*(1+turn) {
			n++
		}
		b.cover(part, rises[:n])
		for j, more := range b.sum(part, rises[:n]) {
			sum[j] = interval.Up(sum[j] + more)
		}
		if largest(b.ends[0], b.factor(0, rises[0])) <= 0 {
			break
		}
		rises = rises[n:]
	}
	return sum
}

// sum returns upper bounds on ∫ m(s) ds over parts of g in the covered segment, at both e^ε.
func (b *boxes) sum(part segment, rises []rise) (sum [2]float64) {
	width := interval.Of(part.s2).Sub(interval.Of(part.s1))
	share := func(s float64) I { // of the way from s1 to s2
		share := interval.Of(s).Sub(interval.Of(part.s1)).Div(width)
		return I{Lo: max(0, share.Lo), Hi: min(1, share.Hi)}
	}
	for _, r := range rises {
		from, to := max(r.from, part.s1), min(r.to, part.s2)
		if !(to > from) {
			continue
		}
		shares, length := [2]I{share(from), share(to)}, interval.Up(to-from)
		for j := range sum {
			c := b.factor(j, r)
			m1, m2 := interval.Of(largest(b.ends[0], c)), interval.Of(largest(b.ends[1], c))
			ends := 0.0
			for _, s := range shares { // a bound on m, from above
				ends = interval.Up(ends + max(0, m1.Mul(one.Sub(s)).Add(m2.Mul(s)).Hi))
			}
			// The positive part of a line is convex, so it is below its chord.
			sum[j] = interval.Up(sum[j] + interval.Up(length*ends/2))
		}
	}
	return sum
}

// factor returns e^ε g' from below, at one of both e^ε.
func (b *boxes) factor(j int, r rise) float64 { return max(0, interval.Down(b.x[j]*r.slope)) }

// cover makes the boxes of a segment, small where they matter at the slopes of some parts of g.
func (b *boxes) cover(part segment, rises []rise) {
	b.segment = part
	b.ends = [2][]pair{b.ends[0][:0], b.ends[1][:0]}
	b.loose = b.tolerance / 10 * b.delta / (part.s2 - part.s1)
	for j := range tried {
		b.factors[j] = b.factor(0, rises[j*(len(rises)-1)/(tried-1)])
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

// largest returns an upper bound on the largest a - c b.
func largest(ends []pair, c float64) float64 {
	most := math.Inf(-1)
	for _, e := range ends {
		most = max(most, e.a-interval.Down(c*e.b))
	}
	return interval.Up(most) // above the float64 after each
}

// box adds the corners between two edges, or those of its halves.
func (b *boxes) box(near, far edge, depth int) {
	b.left--
	// m is least at the largest factor. There, what remains is enough at any b >= 0.
	if near.a1 <= b.enough[0][tried-1] && near.a2 <= b.enough[1][tried-1] {
		corner := [2]pair{{near.a1, 0}, {near.a1, 0}}
		b.keep([2][2]pair{corner, {{near.a2, 0}, {near.a2, 0}}})
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
		b.keep(corners)
		return
	}
	m := b.edge(middle)
	for i, at := range [2]pair{{m.a1, tangent(b.g1, middle)}, {m.a2, tangent(b.g2, middle)}} {
		for j, c := range b.factors {
			b.enough[i][j] = max(b.enough[i][j], (at.a-c*at.b)*(1+b.tolerance)+b.loose)
		}
	}
	if !b.exceeds(corners) {
		b.keep(corners)
		return
	}
	b.box(near, m, depth-1)
	b.box(m, far, depth-1)
}

// keep adds corners at w1 and w2.
func (b *boxes) keep(corners [2][2]pair) {
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
