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
func sampledQuadrature(q, sigma, order float64) float64 {
	s := sampledIntegral{
		sampledIntegrand: sampledIntegrand{q: q, sigma: sigma, inv: 1 / sigma / sigma, order: order},
		z:                sigma*sigma*(math.Log1p(-q)-numeric.Log(q)) + 0.5,
		sum:              numeric.NewSum(),
	}
	// Beyond top the logarithm of the integrand has slope <= -(x-top)/σ². For 1/(1-e^{-v}) <= 1+1/v in
	// the bound of risingBound, with y = x-½ >= m+√m σ.
	m := math.Max(order, 2)
	top := 0.5 + m + math.Sqrt(m)*sigma
	from := (math.Min(0, 0.5-sigma) - sigma*(tailWidth+math.Sqrt(2*math.Log1p(sigma))) - 0.5) / sigma
	_, exponent := math.Frexp((top + tailWidth*sigma - 0.5) / sigma)
	middle := s.end(0)
	left := sampledCell{from: from, lo: s.end(from), hi: middle}
	right := sampledCell{to: math.Ldexp(1, exponent), lo: middle, hi: s.end(math.Ldexp(1, exponent))}

	s.cut = s.estimate(top) + negligible
	s.fallingTail(left.lo.x)
	s.add(left, s.logG(left.lo), math.Inf(-1))
	s.add(right, math.Inf(-1), s.logG(right.hi))
	s.sum.Add(s.logAt(right.hi) + numeric.Log(sigma/tailWidth)) // ∫ e^{-t·10/σ} dt
	if s.intervals > maxIntervals {
		return math.Inf(1)
	}
	return s.sum.Log() - numeric.Log(sigma) - 0.5*numeric.Log(2*math.Pi)
}

type sampledIntegral struct {
	sampledIntegrand
	z         float64 // real part of the branch points
	cut       float64 // log of the largest integral that is bounded instead of computed
	sum       numeric.Sum
	intervals int
}

// sampledCell is an interval that does not have x = ½ inside. Its ends are ½ + from σ and ½ + to σ.
type sampledCell struct {
	from, to float64
	lo, hi   sampledPoint
}

func (s *sampledIntegral) end(at float64) sampledPoint { return s.point(0.5 + at*s.sigma) }

// estimate returns roughly the logarithm of the integral: the largest of some values times σ. It
// only decides which parts are negligible, so an error costs work or width.
func (s *sampledIntegral) estimate(top float64) float64 {
	at := func(x float64) float64 { return s.logAt(s.point(x)) }
	best := math.Max(at(0.5-s.sigma), at(s.order))
	for d := top - 0.5; d > s.sigma/4; d /= 2 {
		best = math.Max(best, at(0.5+d))
	}
	return best + numeric.Log(s.sigma)
}

// fallingTail adds a bound of the integral over (-Inf, left]. There g is at most its limit for x ->
// -Inf; the normal tail is at most (σ/|x|) σ e^{-x²/2σ²}.
func (s *sampledIntegral) fallingTail(left float64) {
	limit := s.logG(s.pointAt(left, -s.q))
	t := left / s.sigma
	s.sum.Add(limit - t*t/2 + numeric.Log(s.sigma/-t))
}

// add adds the integral over a cell. lo and hi are log g at its ends. A cell that is too narrow for
// halves in float64 is not halved.
func (s *sampledIntegral) add(c sampledCell, lo, hi float64) {
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
		at := c.from + (c.to-c.from)/2
		if middle := s.end(at); middle.x > c.lo.x && middle.x < c.hi.x {
			value := s.logG(middle)
			s.add(sampledCell{from: c.from, to: at, lo: c.lo, hi: middle}, lo, value)
			s.add(sampledCell{from: at, to: c.to, lo: middle, hi: c.hi}, value, hi)
			return
		}
	}
	s.sum.Add(s.rule(c) + numeric.Log(width/2))
}

// leastSum is far above the least float64 and far below every sum of interest.
const leastSum = 1e-250

// rule returns the logarithm of the Gauss-Legendre sum, for a range of width 2. Values that a
// float64 holds are added as they are. Those that underflow are below 1e-30 of the sum.
func (s *sampledIntegral) rule(c sampledCell) float64 {
	var points [16]sampledPoint
	half := (c.hi.x - c.lo.x) / 2
	most, least, largest := math.Inf(-1), math.Inf(1), 0.0 // of -x²/2σ², and of log(1+u)
	for i, t := range gaussNodes {
		p := s.point(c.lo.x + half + t*half)
		points[i] = p
		most, least = math.Max(most, -p.square), math.Min(least, -p.square)
		if largest = math.Max(largest, p.l); p.v > 700 { // u may be +Inf
			largest = math.Inf(1)
		}
	}
	if s.order*largest < 500 && most-least < 300 {
		sum := 0.0
		for i := range points {
			sum += gaussWeights[i] * math.Exp(-points[i].square-most) * s.g(&points[i])
		}
		if sum > leastSum {
			return numeric.Log(sum) + most
		}
	}
	sum := numeric.NewSum()
	for i := range points {
		sum.Add(s.logAt(points[i]) + gaussLogWeights[i])
	}
	return sum.Log()
}

// bound returns an upper bound of the logarithm of the integrand on a cell. lo and hi are log g at
// its ends.
func (s *sampledIntegral) bound(c sampledCell, lo, hi float64) float64 {
	if c.lo.x >= 0.5 {
		return s.risingBound(c.lo.x, c.hi.x, lo, hi)
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
