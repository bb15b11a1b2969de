package ranks

import (
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
)

// curve adds points below all (f'(1-p), f'(1-P(p))) to a hull.
type curve struct {
	law.Derivatives
	logMean float64
	line    piece
	hull    *lowerHull
	taken   float64 // s: f' is taken at 1-s-p, and at 1 less the line at p
	ahead   float64 // distance of b along its tangent, towards larger ranks
	logC    float64 // ln c; steps stay small where a and c b are alike; NaN for all c
	near    *window // the c that matter; nil for all c
}

// step returns the allowed length of a step.
func (c curve) step(far, near place, from float64) float64 {
	if math.IsNaN(c.logC) {
		return curveStep * (1 + (c.logMean - near.logA) + math.Max(0, c.logMean-curveNear-from))
	}
	apart := math.Max(near.logA-c.logC-near.logB, c.logC+far.logB-far.logA)
	return takenStep * (1 + takenDepth*(c.logMean-near.logA)) * (1 + math.Max(0, apart-takenApart))
}

// place is a point of the curve, with the numbers of its slope.
type place struct {
	p                float64
	logA, logB       float64
	a, b             float64
	second, up, down float64 // ln f'' at 1-p; at 1-P, from above and from below
}

const (
	// curveStep bounds the change of ln f'(1-p) and ln f'(1-P) between two places. It adds about its
	// square to ε.
	curveStep = 0.005
	// From curveDepth nats below f'(1) on, f'(1-P) counts as 0. So no ε above curveDepth is found.
	curveDepth = 600
	// Steps stay small down to curveNear nats below f'(1). Below they grow with the depth.
	curveNear = 20
	// curveHalves limits the halvings of a piece.
	curveHalves = 60
)

func (c curve) at(p float64) place {
	up, down := c.line.at(p)
	rank := min(1, c.taken+p)
	x := place{p: p, up: c.Second(max(0, down-c.ahead))}
	x.logA, x.second = c.Both(rank)
	x.logB, x.down = c.Both(up)
	x.a = math.Exp(x.logA + c.Slack)
	if x.logB > c.logMean-curveDepth {
		x.b = math.Exp(x.logB - c.Slack)
		if c.ahead != 0 {
			x.b += c.ahead * math.Exp(x.down-c.Slack)
		}
	}
	if c.near != nil {
		c.near.meet(x)
	}
	return x
}

// skip adds the corner above the part between two places, if the part decides nothing.
func (c curve) skip(far, near place) bool {
	if c.near == nil || !c.near.below(far, near) {
		return false
	}
	c.hull.add(point{near.a, far.b})
	return true
}

// walk adds the part between two places. far has the larger p.
func (c curve) walk(far, near place, halves int) {
	if c.skip(far, near) {
		return
	}
	lowest := c.logMean - curveDepth
	from, to := max(near.logB, lowest), max(far.logB, lowest)
	step := c.step(far, near, from)
	change := max(near.logA-far.logA, from-to)
	middle := far.p + (near.p-far.p)/2
	if change > step && halves > 0 && middle > near.p && middle < far.p {
		m := c.at(middle)
		c.walk(far, m, halves-1)
		c.walk(m, near, halves-1)
		return
	}
	c.corners(far, near)
}

// corners adds the two places and the point between them that lies below the curve. With a as the
// coordinate, the curve has the slope
//
//	db/da = s f''(1-P)/f''(1-p),
//
// s the slope of the line, and both second derivatives of f fall with p.
func (c curve) corners(far, near place) {
	least := c.line.slope * math.Exp(far.down-near.second-4*c.Slack)
	most := c.line.slope * math.Exp(near.up-far.second+4*c.Slack)
	if far.b == 0 || !(least >= 0) {
		least = 0
	}
	c.hull.add(point{far.a, far.b})
	width := near.a - far.a
	along := width
	if most < math.Inf(1) && most > least {
		along = math.Max(0, math.Min(width, (most*width-(near.b-far.b))/(most-least)))
	}
	low := math.Min(far.b+least*along, near.b)
	if along < width {
		low = math.Min(low, near.b-most*(width-along))
	}
	c.hull.add(point{far.a + along, math.Max(0, low) * (1 - 1e-14)})
	c.hull.add(point{near.a, near.b})
}

// curveHull returns the lower hull of the points that the rank lines allow a law.
func curveHull(k law.Distribution, lines rankLines) lowerHull {
	d := k.Derivatives()
	h := newHull()
	pieces := lines.pieces()
	for _, l := range pieces {
		c := curve{Derivatives: d, logMean: d.First(0), line: l, hull: &h, logC: math.NaN()}
		c.walk(c.at(l.to), c.at(l.from), curveHalves)
	}
	if len(pieces) == 0 {
		h.add(point{math.Exp(d.First(0) + d.Slack), math.Exp(d.First(1) - d.Slack)})
	}
	return h
}
