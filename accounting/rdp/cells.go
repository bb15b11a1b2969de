package rdp

import (
	"math"
	"sync"
)

// sampledCells are the intervals of sampledQuadrature for one mixture, halved as often as some
// order needs. They keep what does not depend on the order: u and its logarithms at the nodes.
type sampledCells struct {
	sampledMixture
	left  *sampledCell
	right []*sampledCell // right[i] is [½, ½ + 2^(first+i) σ]
	first int            // for the least orders
	made  int            // cells that were halved, and those with nodes
}

// sampledCell is an interval that does not have x = ½ inside. Its ends are ½ + from σ and ½ + to σ.
type sampledCell struct {
	from, to  float64
	lo, hi    sampledPoint
	near, far *sampledCell // its halves; nil before they are needed
	nodes     *sampledNodes
}

// sampledNodes are the nodes of the rule in a cell. The weights include e^{-x²/2σ²-scale}.
type sampledNodes struct {
	points  [16]sampledPoint
	weights [16]float64
	scale   float64 // the largest -x²/2σ²
	spread  float64 // the largest less the least
	largest float64 // of log(1+u)
}

// mostCells limits what is kept. An ordinary mixture has some fifty cells.
const mostCells = 512

func newSampledCells(q, sigma float64) *sampledCells {
	s := &sampledCells{sampledMixture: sampledMixture{q: q, sigma: sigma, inv: 1 / sigma / sigma}}
	s.first = s.exponent(s.top(1) + tailWidth*sigma)
	return s
}

// top returns an x beyond which the logarithm of the integrand has slope <= -(x-top)/σ². For
// 1/(1-e^{-v}) <= 1+1/v in the bound of risingBound, with y = x-½ >= m+√m σ.
func (s *sampledCells) top(order float64) float64 {
	m := math.Max(order, 2)
	return 0.5 + m + math.Sqrt(m)*s.sigma
}

func (s *sampledCells) end(at float64) sampledPoint { return s.point(0.5 + at*s.sigma) }

// falling returns the cell from the left tail to ½.
func (s *sampledCells) falling() *sampledCell {
	if s.left == nil {
		left := math.Min(0, 0.5-s.sigma) - s.sigma*(tailWidth+math.Sqrt(2*math.Log1p(s.sigma)))
		from := (left - 0.5) / s.sigma
		s.left = &sampledCell{from: from, lo: s.end(from), hi: s.end(0)}
	}
	return s.left
}

// rising returns a cell from ½ to beyond x. All of them share their cells near ½.
func (s *sampledCells) rising(x float64) *sampledCell {
	exponent := max(s.first, s.exponent(x))
	for next := s.first + len(s.right); next <= exponent; next++ {
		var near *sampledCell
		if len(s.right) > 0 {
			near = s.right[len(s.right)-1]
		}
		s.right = append(s.right, s.whole(next, near))
	}
	return s.right[exponent-s.first]
}

// exponent returns an i with ½ + 2^i σ above x.
func (s *sampledCells) exponent(x float64) int {
	_, exponent := math.Frexp((x - 0.5) / s.sigma)
	return exponent
}

// whole returns [½, ½ + 2^exponent σ], with its near half if that is known.
func (s *sampledCells) whole(exponent int, near *sampledCell) *sampledCell {
	to := math.Ldexp(1, exponent)
	c := &sampledCell{to: to, lo: s.end(0), hi: s.end(to), near: near}
	if near != nil {
		c.far = &sampledCell{from: near.to, to: to, lo: near.hi, hi: c.hi}
	}
	return c
}

// halves returns the halves of a cell. ok is false if they are too narrow for float64.
func (s *sampledCells) halves(c *sampledCell) (near, far *sampledCell, ok bool) {
	if c.near == nil {
		at := c.from + (c.to-c.from)/2
		middle := s.end(at)
		if !(middle.x > c.lo.x && middle.x < c.hi.x) {
			return nil, nil, false
		}
		near := &sampledCell{from: c.from, to: at, lo: c.lo, hi: middle}
		far := &sampledCell{from: at, to: c.to, lo: middle, hi: c.hi}
		if s.made >= mostCells {
			return near, far, true
		}
		s.made++
		c.near, c.far = near, far
	}
	return c.near, c.far, true
}

// nodes returns the nodes of a cell.
func (s *sampledCells) nodes(c *sampledCell) *sampledNodes {
	if c.nodes != nil {
		return c.nodes
	}
	n := &sampledNodes{scale: math.Inf(-1)}
	half := (c.hi.x - c.lo.x) / 2
	least := math.Inf(1)
	for i, t := range gaussNodes {
		p := s.point(c.lo.x + half + t*half)
		n.points[i] = p
		n.scale, least = math.Max(n.scale, -p.square), math.Min(least, -p.square)
		if n.largest = math.Max(n.largest, p.l); p.v > 700 { // u may be +Inf
			n.largest = math.Inf(1)
		}
	}
	n.spread = n.scale - least
	for i, w := range gaussWeights {
		n.weights[i] = w * math.Exp(-n.points[i].square-n.scale)
	}
	if s.made < mostCells {
		s.made++
		c.nodes = n
	}
	return n
}

// sampledOrders evaluates log(A - 1) at real orders. It may be called concurrently. A call that
// finds the cells in use makes its own; the values do not depend on that.
func sampledOrders(q, sigma float64) func(order float64) float64 {
	var lock sync.Mutex
	shared := newSampledCells(q, sigma)
	return func(order float64) float64 {
		if !lock.TryLock() {
			return sampledQuadrature(newSampledCells(q, sigma), order)
		}
		defer lock.Unlock()
		return sampledQuadrature(shared, order)
	}
}
