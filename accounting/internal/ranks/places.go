package ranks

import (
	"math"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// rise is a part of g where it is linear.
type rise struct{ from, to, slope, g float64 } // g is its value at from

// risesOf returns the g of interleaved on [0, 1]: the largest of 0, (s-δ)/x and 1-δ-x(1-s) over the
// lines (e, x, δ), by increasing e. The place where a steeper line takes over is rounded up, so g
// is rounded down.
func risesOf(known []baserun.Point) []rise {
	type turn struct{ at, slope float64 } // this slope begins at at
	const late = 1e-12
	room := 2*len(known) + 1
	low := append(make([]turn, 0, room), turn{0, 0})
	lowX, lowDelta := append(make([]float64, 0, room), math.Inf(1)), append(make([]float64, 0, room), 0)
	for i := len(known) - 1; i >= 0; i-- { // slopes 1/x, the flattest first
		l := known[i]
		at := l.Delta // where it is 0
		for u := len(low) - 1; u > 0; u-- {
			if at = (l.Delta*lowX[u] - lowDelta[u]*l.X) / (lowX[u] - l.X); at > low[u].at {
				break
			}
			low, lowX, lowDelta, at = low[:u], lowX[:u], lowDelta[:u], l.Delta
		}
		low, lowX, lowDelta = append(low, turn{at, 1 / l.X}), append(lowX, l.X), append(lowDelta, l.Delta)
	}
	// The rest, from s = 1 down, is in 1-s. There 1-g is the least of δ + x(1-s), the steepest first.
	var high []turn
	var highDelta []float64
	for i := len(known) - 1; i >= 0; i-- {
		l := known[i]
		at := 0.0
		for len(high) > 0 {
			u := len(high) - 1
			if at = (l.Delta - highDelta[u]) / (high[u].slope - l.X); at > high[u].at {
				break
			}
			high, highDelta = high[:u], highDelta[:u]
			at = 0
		}
		high, highDelta = append(high, turn{at, l.X}), append(highDelta, l.Delta)
	}
	turns := low
	for i := len(high) - 1; i > 0; i-- { // high[i] ends, in s, where high[i-1] begins
		turns = append(turns, turn{1 - high[i].at, high[i-1].slope})
	}
	for i := 1; i < len(turns); i++ { // a line that is never the largest begins at or before the one before it
		turns[i].at = math.Max(turns[i-1].at, math.Min(1, turns[i].at*(1+late)))
	}
	rises := make([]rise, 0, len(turns))
	g := 0.0
	for i, t := range turns {
		from, to := t.at, 1.0
		if i+1 < len(turns) {
			to = turns[i+1].at
		}
		if to > from {
			rises = append(rises, rise{from, to, t.slope, g})
			g += t.slope * (to - from)
		}
	}
	return rises
}

// thinned keeps one in fine of the lines that decide somewhere in [from, to], and one in every of
// the others. This only raises P.
func (r rankLines) thinned(from, to float64, fine, every int) rankLines {
	var kept rankLines
	begin := 0.0
	for i := range r.slope {
		end := math.Inf(1)
		if i+1 < len(r.slope) {
			end = (r.offset[i+1] - r.offset[i]) / (r.slope[i] - r.slope[i+1])
		}
		if i%every == 0 || i == len(r.slope)-1 || i%fine == 0 && end >= from && begin <= to {
			kept.slope, kept.offset = append(kept.slope, r.slope[i]), append(kept.offset, r.offset[i])
		}
		begin = end
	}
	return kept
}

// taken is a place s, the next place, and the hull for s and γ = g(s).
type taken struct {
	s, next float64
	hull    supported
}

const (
	// takenLoose is the share of δ that the chords may add over a range of s as long as s.
	takenLoose = 1e-3
	// takenRest is the share of δ that may remain after the last place.
	takenRest = 1e-4
	// takenStep bounds the change of ln f' in one step along a hull, where a and c b differ by at most
	// takenApart nats. Steps grow further off, and by takenDepth for each nat below f'(1).
	takenStep, takenApart, takenDepth = 0.02, 2.0, 0.1
	mostTaken                         = 150
)

// reach adds places until the rest after the last one is negligible at e^ε = x.
func (b *interleaved) reach(x float64) {
	for len(b.places) < mostTaken {
		s := b.next(0)
		before := s
		if n := len(b.places); n > 0 {
			last := b.places[n-1]
			before = last.s
			if last.hull.support(x*b.riseAt(last.s).slope)*(1-last.s) <= takenRest*b.delta {
				return
			}
			s = last.next
		}
		if !(s < 1) {
			return
		}
		next := math.Min(1, b.next(s))
		b.places = append(b.places, taken{s, next, b.hullAt(before, s, next).supported()})
	}
}

// riseAt returns the part of g that contains s.
func (b *interleaved) riseAt(s float64) rise {
	i := sort.Search(len(b.rises), func(i int) bool { return b.rises[i].to > s })
	return b.rises[min(i, len(b.rises)-1)]
}

// g returns g(s), rounded up.
func (b *interleaved) g(s float64) float64 {
	at := b.riseAt(s)
	return (at.g + at.slope*(s-at.from)) * (1 + 1e-12)
}

// next returns the place after s. The chords add at most a (κ Δ)²/8 to m for either change Δ, with
// κ the ratio of the second to the first derivative of f there. Over a range of s as long as s this
// is the share takenLoose of δ.
func (b *interleaved) next(s float64) float64 {
	g := b.g(s)
	if w, value := largest(b.sights(s, g), b.scale*b.riseAt(s).slope); value > 0 {
		b.w = w
	}
	up := g + 1
	for _, l := range b.look {
		if l.from <= b.w && b.w <= l.to {
			up = g + l.offset + l.slope*b.w
			break
		}
	}
	rank := math.Min(1, s+b.w)
	a := math.Exp(b.law.First(rank))
	rate := func(p float64) float64 { return math.Exp(b.law.Second(math.Min(1, p)) - b.law.First(math.Min(1, p))) }
	if s == 0 {
		return math.Sqrt(takenLoose * b.delta / (a * rate(rank))) // s counts as 0 up to here
	}
	step := func(rate, least float64) float64 {
		allowed := 8 * takenLoose * b.delta / (a * rate * rate)
		return math.Min(0.3/rate, math.Min(math.Sqrt(allowed/least), math.Cbrt(allowed)))
	}
	far, most := s+step(rate(rank), s), g+step(rate(up), s)
	i := sort.Search(len(b.rises), func(i int) bool { return b.rises[i].g >= most })
	if i > 0 && b.rises[i-1].slope > 0 {
		last := b.rises[i-1]
		far = math.Min(far, last.from+(most-last.g)/last.slope)
	}
	return math.Max(far, s*(1+1e-3))
}

// hullAt returns the hull of s, for a part from before to after.
func (b *interleaved) hullAt(before, s, after float64) lowerHull {
	g, gamma := b.g(s), b.g(after)
	most := math.Exp(b.asked[1]) * b.riseAt(after).slope
	lines := rankLines{b.lines.slope, slices.Clone(b.lines.offset)}
	for i := range lines.offset {
		lines.offset[i] += gamma
	}
	h := newHull()
	pieces := lines.pieces()
	if len(pieces) == 0 { // g(after) + P(0) is 1: b is at the least rank at every w, and a is largest at w = 0
		h.add(point{math.Exp(b.law.First(s) + b.law.Slack), math.Exp(b.law.First(1) - b.law.Slack)})
	}
	c := curve{Derivatives: b.law, logMean: b.law.First(0), hull: &h, taken: s, ahead: (gamma - g) * (1 - 1e-9), logC: numeric.Log(b.scale) + numeric.Log(b.riseAt(after).slope)}
	if len(pieces) > 0 {
		if !b.everywhere && len(b.places) < mostTaken-1 { // the last hull is for all that follows
			c.near = newWindow(math.Exp(b.asked[0])*b.riseAt(before).slope, most, b.asked[1])
		}
		for _, w := range b.met { // the largest are near those at the last place
			if i := sort.Search(len(pieces), func(i int) bool { return pieces[i].from <= w }); i < len(pieces) && w <= pieces[i].to {
				c.on(pieces[i]).at(w)
			}
		}
		last := pieces[len(pieces)-1]
		far := c.on(pieces[0]).at(pieces[0].to)
		h.add(point{far.a, math.Exp(b.law.First(1) - b.law.Slack)}) // a larger w has no larger a, and b is at the least rank
		c.along(pieces, far, c.on(last).at(last.from))
		if c.near != nil {
			b.met = c.near.places()
		}
	}
	return h
}

// along adds the curve on pieces. far and near are its ends.
func (c curve) along(pieces []piece, far, near place) {
	half := len(pieces) / 2
	switch {
	case c.skip(far, near):
	case half == 0:
		c.on(pieces[0]).walk(far, near, curveHalves)
	default:
		before, behind := pieces[half-1], pieces[half]
		c.along(pieces[:half], far, c.on(before).at(before.from))
		c.along(pieces[half:], c.on(behind).at(behind.to), near)
	}
}

// on returns the curve on one piece.
func (c curve) on(l piece) curve {
	c.line = l
	return c
}

// supported is a hull with its turns. For each corner but the last, a turn is the largest c at
// which some step from there on, to the next corner, does not lower a - c b. On a convex chain that
// is the step from that corner. Points that are kept by rounding, and are not corners, do not
// affect the search.
type supported struct {
	hull  lowerHull
	turns []float64
}

func (h lowerHull) supported() supported {
	turns, largest := make([]float64, len(h)-1), 0.0
	for i := len(turns) - 1; i >= 0; i-- {
		if rise := h[i+1].b - h[i].b; rise > 0 {
			largest = math.Max(largest, (h[i+1].a-h[i].a)/rise)
		} else {
			largest = math.Inf(1)
		}
		turns[i] = largest
	}
	return supported{h, turns}
}

// support returns the largest a - c b of the corners, c >= 0.
func (h supported) support(c float64) float64 {
	c = math.Min(c, math.MaxFloat64)
	i := sort.Search(len(h.turns), func(i int) bool { return h.turns[i] < c })
	return math.Max(0, h.hull[i].a-c*h.hull[i].b)
}
