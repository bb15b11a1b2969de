package rdp

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dplab/dplab/accounting/numeric"
)

const (
	// An interval is bounded instead of integrated if the log of its size, relative to a lower
	// estimate of the integral, is below negligible. e^-46 is 1e-20.
	negligible = -46
	// tailWidth is the distance, in σ, that the integral reaches into its tails.
	tailWidth = 10
	// maxIntervals caps the work of one order. Known parameters need less than a tenth.
	maxIntervals = 20000
)

// gaussNodes and gaussWeights are the nodes and weights of the 16-point Gauss-Legendre rule on
// [-1, 1]. gaussLogWeights are the weights' logarithms.
var gaussNodes, gaussWeights, gaussLogWeights = func() (x, w, log [16]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], -1, 1)
	for i := range w {
		log[i] = numeric.Log(w[i])
	}
	return x, w, log
}()

// sampledQuadrature returns log(A - 1) at a real order > 1. q is in (0, 1).
//
// The integrand is analytic except for branch points at z ± iπσ², where the two parts of the
// mixture are equal. An interval is integrated once it is at most 4σ wide and at most as wide as
// its distance from z, or 4σ². Then the rule's error is below 1e-15 of the largest value nearby, by
// the ellipse of analyticity around the interval. Negligible intervals and both tails are not
// integrated; their bound is added.
//
// The intervals are those of cells, so orders share what does not depend on the order.
func sampledQuadrature(cells *sampledCells, order float64) float64 {
	q, sigma := cells.q, cells.sigma
	s := sampledIntegral{
		sampledCells: cells,
		f:            sampledIntegrand{sampledMixture: cells.sampledMixture, order: order},
		z:            sigma*sigma*(math.Log1p(-q)-numeric.Log(q)) + 0.5,
		sum:          numeric.NewSum(),
	}
	top := cells.top(order)
	left, right := cells.falling(), cells.rising(top+tailWidth*sigma)

	s.cut = s.estimate(top) + negligible
	s.fallingTail(left.lo.x)
	s.add(left, s.f.logG(left.lo), math.Inf(-1))
	s.add(right, math.Inf(-1), s.f.logG(right.hi))
	s.sum.Add(s.f.logAt(right.hi) + numeric.Log(sigma/tailWidth)) // ∫ e^{-t·10/σ} dt
	if s.intervals > maxIntervals {
		return math.Inf(1)
	}
	return s.sum.Log() - numeric.Log(sigma) - 0.5*numeric.Log(2*math.Pi)
}

type sampledIntegral struct {
	*sampledCells
	f         sampledIntegrand
	z         float64 // real part of the branch points
	cut       float64 // log of the largest integral that is bounded instead of computed
	sum       numeric.Sum
	intervals int
}

// estimate returns roughly the logarithm of the integral: the largest of some values times σ. It
// only decides which parts are negligible, so an error costs work or width.
func (s *sampledIntegral) estimate(top float64) float64 {
	at := func(x float64) float64 { return s.f.logAt(s.point(x)) }
	best := math.Max(at(0.5-s.sigma), at(s.f.order))
	for d := top - 0.5; d > s.sigma/4; d /= 2 {
		best = math.Max(best, at(0.5+d))
	}
	return best + numeric.Log(s.sigma)
}

// fallingTail adds a bound of the integral over (-Inf, left]. There g is at most its limit for x ->
// -Inf; the normal tail is at most (σ/|x|) σ e^{-x²/2σ²}.
func (s *sampledIntegral) fallingTail(left float64) {
	limit := s.f.logG(s.pointAt(left, -s.q))
	t := left / s.sigma
	s.sum.Add(limit - t*t/2 + numeric.Log(s.sigma/-t))
}

// add adds the integral over a cell. lo and hi are log g at its ends.
func (s *sampledIntegral) add(c *sampledCell, lo, hi float64) {
	s.intervals++
	if s.intervals > maxIntervals {
		return
	}
	width := c.hi.x - c.lo.x
	if bound := s.bound(c, lo, hi) + numeric.Log(width); bound < s.cut {
		s.sum.Add(bound)
		return
	}
	if width > s.maxWidth(c.lo.x, c.hi.x) {
		if near, far, ok := s.halves(c); ok {
			middle := s.f.logG(near.hi)
			s.add(near, lo, middle)
			s.add(far, middle, hi)
			return
		}
	}
	s.sum.Add(s.rule(s.nodes(c)) + numeric.Log(width/2))
}

// leastSum is far above the least float64 and far below every sum of interest.
const leastSum = 1e-250

// rule returns the logarithm of the Gauss-Legendre sum, for a range of width 2. Values that a
// float64 holds are added as they are. Those that underflow are below 1e-30 of the sum.
func (s *sampledIntegral) rule(n *sampledNodes) float64 {
	if s.f.order*n.largest < 500 && n.spread < 300 {
		sum := 0.0
		for i := range n.points {
			sum += n.weights[i] * s.f.g(&n.points[i])
		}
		if sum > leastSum {
			return numeric.Log(sum) + n.scale
		}
	}
	sum := numeric.NewSum()
	for i := range n.points {
		sum.Add(s.f.logAt(n.points[i]) + gaussLogWeights[i])
	}
	return sum.Log()
}

// bound returns an upper bound of the logarithm of the integrand on a cell. lo and hi are log g at
// its ends.
func (s *sampledIntegral) bound(c *sampledCell, lo, hi float64) float64 {
	if c.lo.x >= 0.5 {
		return s.f.risingBound(c.lo.x, c.hi.x, lo, hi)
	}
	nearest := math.Min(math.Abs(c.lo.x), math.Abs(c.hi.x)) // to 0, where the density peaks
	if c.lo.x <= 0 && c.hi.x >= 0 {
		nearest = 0
	}
	return lo - nearest*nearest/2*s.inv
}

func (s *sampledIntegral) maxWidth(lo, hi float64) float64 {
	distance := math.Max(0, math.Max(lo-s.z, s.z-hi))
	return math.Min(4*s.sigma, math.Max(4*s.sigma*s.sigma, distance))
}
