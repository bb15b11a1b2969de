package firstabove

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/selection/law"
)

// values bound g, h and G(1-s) at a share s of good outputs from above, and at P(s) from below.
type values struct {
	good, goodLeast float64 // g
	bad, badLeast   float64 // h
	none, noneLeast float64 // G(1-s)
	some            float64 // 1 - G(1-s), from above
}

// point is one s.
type point struct {
	s float64
	values
	badMost float64 // h at P(s), from above
	slope   float64 // of G(1-s) at P(s), at most
}

// cell has all s between two points. Its middle and its halves are made once, on first use.
type cell struct {
	lo, hi      *point
	middle      *point
	left, right *cell
}

// shares computes points and cells for one law and the known bounds on one run.
type shares struct {
	k           law.Distribution
	known       ranks.Bounds
	slack       float64 // relative, far more than the rounding of any value
	mean        float64
	zero, one   float64 // P[K=0], P[K=1]
	derivatives law.Derivatives
}

func newShares(k law.Distribution, known ranks.Bounds) shares {
	d := k.Derivatives()
	return shares{k, known, 4*d.Slack + 1e-13, k.Mean(), math.Exp(k.LogPMF(0)), math.Exp(k.LogPMF(1)), d}
}

func (b shares) at(s float64) *point {
	most := b.known.MostMass(s)
	up, down := 1+b.slack, 1-b.slack
	return &point{s: s, badMost: b.bad(most), slope: math.Exp(b.derivatives.First(most)), values: values{
		good: b.good(s) * up, goodLeast: b.good(most) * down,
		bad: b.bad(s), badLeast: b.badLeast(most),
		none: math.Min(1, b.k.PGF(1-s)*up), noneLeast: b.k.PGF(1-most) * down,
		some: math.Min(1, b.k.SuccessProbability(s)*up),
	}}
}

// good is g(s) = (1 - G(1-s))/s, and E[K] at 0.
func (b shares) good(s float64) float64 {
	if s < 1e-300 {
		return b.mean
	}
	return math.Min(b.mean, b.k.SuccessProbability(s)/s)
}

// bad is an upper bound on h(s) = (G(1-s) - P[K=0])/(1-s). G is convex, so h(s) is at most G'(1-s).
func (b shares) bad(s float64) float64 {
	slope := math.Exp(b.derivatives.First(s) + b.derivatives.Slack)
	if s > nearAll {
		return slope
	}
	return math.Min(slope, (b.k.PGF(1-s)*(1+b.slack)-b.zero*(1-b.slack))/(1-s))
}

// badLeast is a lower bound on h(s). h is a power series in 1-s that begins with P[K=1].
func (b shares) badLeast(s float64) float64 {
	least := b.one * (1 - b.slack)
	if s > nearAll {
		return least
	}
	return math.Max(least, (b.k.PGF(1-s)*(1-b.slack)-b.zero*(1+b.slack))/(1-s))
}

const (
	// nearAll is where differences of G(1-s) have lost digits.
	nearAll = 0.999
	// firstShare divided by E[K] is the least s > 0 of the cells. Up to it g changes by a share of
	// firstShare.
	firstShare = 1e-9
)

// cells returns cells that cover [0, 1]. s doubles from one to the next.
func (b shares) cells() []*cell {
	var all []*cell
	last := b.at(0)
	add := func(s float64) {
		next := b.at(s)
		all = append(all, &cell{lo: last, hi: next})
		last = next
	}
	s := firstShare / math.Max(1, b.mean)
	for ; s < 0.7; s *= 2 {
		add(s)
	}
	add(1)
	return all
}

// split makes the middle and the halves of a cell.
func (b shares) split(c *cell) {
	if c.middle == nil {
		c.middle = b.at(c.lo.s + (c.hi.s-c.lo.s)/2)
		c.left, c.right = &cell{lo: c.lo, hi: c.middle}, &cell{lo: c.middle, hi: c.hi}
	}
}

// corners returns four values for bounds on a function over the cell. The function must be convex,
// must not fall with values bounded from above, and must not rise with those bounded from below.
// Then nowhere in the cell is it larger than at the largest of the four. The excess is of the order
// of the square of the cell's width.
//
// Proof. g, h and G(1-s) are convex in s and do not rise, so each is below its chord on either
// half. P is concave, so they are convex and do not rise as functions of s at P(s) either. On a
// half each is above the extended chord of the other half, and above its value at the end. So
// straight lines bound all of them on each half. Along these lines the function is convex, and
// largest at an end. ∎
func (b shares) corners(c *cell) [4]values {
	lo, middle, hi := c.lo.values, c.middle.values, c.hi.values
	some := hi.some
	first, second, third, fourth := lo, middle, middle, hi
	drawn := func(at, from float64) float64 { return 2*at - from - 4*b.slack*at }
	ends := func(lo, middle, hi float64) (near, far float64) {
		if far = drawn(middle, lo); far > 0 {
			return middle, far
		}
		return hi, hi
	}
	off := 1e-14 * c.lo.slope // bound on the effect of P(s)'s rounding on G(1-P(s))
	first.goodLeast = drawn(middle.goodLeast, hi.goodLeast)
	third.goodLeast, fourth.goodLeast = ends(lo.goodLeast, middle.goodLeast, hi.goodLeast)
	first.badLeast = math.Max(middle.badLeast, drawn(middle.badLeast, c.hi.badMost))
	third.badLeast, fourth.badLeast = hi.badLeast, hi.badLeast
	first.noneLeast = math.Max(middle.noneLeast, drawn(middle.noneLeast, hi.noneLeast)-off)
	third.noneLeast, fourth.noneLeast = ends(lo.noneLeast+off, middle.noneLeast, hi.noneLeast)
	all := [4]values{first, second, third, fourth}
	for i := range all {
		all[i].some = some
	}
	return all
}

const (
	// closeEnough is the tolerance of a bound on ln δ above the largest value at a point.
	closeEnough = 1e-4
	// mostHalved is the largest number of cells that one question halves.
	mostHalved = 3000
)

// bounds are several bounds on one value. Each meets the conditions of corners. The least of them
// holds.
type bounds [3]float64

func (b bounds) least() float64 { return math.Min(b[0], math.Min(b[1], b[2])) }

// largest returns an upper bound, over all s, on the value that f bounds. It uses branch and bound.
// The result is at most tolerance above the largest value at a point, unless too many cells had to
// be halved.
func (b shares) largest(cells []*cell, tolerance float64, f func(values) bounds) float64 {
	best, halved := math.Inf(-1), 0
	for _, c := range cells {
		b.split(c)
		best = math.Max(best, f(c.middle.values).least())
	}
	over := func(c *cell) float64 {
		b.split(c)
		most := bounds{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
		for _, v := range b.corners(c) {
			for i, x := range f(v) {
				most[i] = math.Max(most[i], x)
			}
		}
		return most.least()
	}
	var search func(c *cell)
	search = func(c *cell) {
		most := over(c)
		if most <= best+tolerance {
			return
		}
		if halved++; halved > mostHalved {
			best = math.Max(best, most)
			return
		}
		best = math.Max(best, f(c.middle.values).least())
		search(c.left)
		search(c.right)
	}
	for _, c := range cells {
		search(c)
	}
	return best + tolerance
}
