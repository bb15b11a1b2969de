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

// gaussNodes and gaussLogWeights are the nodes, and the logarithms of the weights, of the 16-point
// Gauss-Legendre rule on [-1, 1].
var gaussNodes, gaussLogWeights = func() (x, w [16]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], -1, 1)
	for i := range w {
		w[i] = numeric.Log(w[i])
	}
	return x, w
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
		f:   sampledIntegrand{q: q, sigma: sigma, order: order, inv: 1 / sigma / sigma},
		z:   sigma*sigma*(math.Log1p(-q)-numeric.Log(q)) + 0.5,
		sum: numeric.NewSum(),
	}
	// Beyond top the logarithm of the integrand has slope <= -(x-top)/σ². For 1/(1-e^{-v}) <= 1+1/v in
	// the bound of risingBound, with y = x-½ >= m+√m σ.
	m := math.Max(order, 2)
	top := 0.5 + m + math.Sqrt(m)*sigma
	right := top + tailWidth*sigma
	left := math.Min(0, 0.5-sigma) - sigma*(tailWidth+math.Sqrt(2*math.Log1p(sigma)))

	s.cut = s.estimate(top) + negligible
	s.fallingTail(left)
	s.add(left, 0.5)
	s.add(0.5, right)
	s.sum.Add(s.f.logAt(right) + numeric.Log(sigma/tailWidth)) // ∫ e^{-t·10/σ} dt
	if s.intervals > maxIntervals {
		return math.Inf(1)
	}
	return s.sum.Log() - numeric.Log(sigma) - 0.5*numeric.Log(2*math.Pi)
}

type sampledIntegral struct {
	f         sampledIntegrand
	z         float64 // real part of the branch points
	cut       float64 // log of the largest integral that is bounded instead of computed
	sum       numeric.Sum
	intervals int
}

// estimate returns roughly the logarithm of the integral: the largest of some values times σ. It
// only decides which parts are negligible, so an error costs work or width.
func (s *sampledIntegral) estimate(top float64) float64 {
	best := math.Max(s.f.logAt(0.5-s.f.sigma), s.f.logAt(s.f.order))
	for d := top - 0.5; d > s.f.sigma/4; d /= 2 {
		best = math.Max(best, s.f.logAt(0.5+d))
	}
	return best + numeric.Log(s.f.sigma)
}

// fallingTail adds a bound of the integral over (-Inf, left]. There g is at most its limit for x ->
// -Inf; the normal tail is at most (σ/|x|) σ e^{-x²/2σ²}.
func (s *sampledIntegral) fallingTail(left float64) {
	limit := s.f.logGOf(-s.f.q)
	t := left / s.f.sigma
	s.sum.Add(limit - t*t/2 + numeric.Log(s.f.sigma/-t))
}

// add adds the integral over [lo, hi], which must not have x = ½ inside.
func (s *sampledIntegral) add(lo, hi float64) {
	s.intervals++
	if s.intervals > maxIntervals {
		return
	}
	width := hi - lo
	if bound := s.bound(lo, hi) + numeric.Log(width); bound < s.cut {
		s.sum.Add(bound)
		return
	}
	middle := lo + width/2
	if width > s.maxWidth(lo, hi) && middle > lo && middle < hi {
		s.add(lo, middle)
		s.add(middle, hi)
		return
	}
	logHalf := numeric.Log(width / 2)
	for i, t := range gaussNodes {
		s.sum.Add(s.f.logAt(middle+t*width/2) + gaussLogWeights[i] + logHalf)
	}
}

// bound returns an upper bound of the logarithm of the integrand on [lo, hi].
func (s *sampledIntegral) bound(lo, hi float64) float64 {
	if lo >= 0.5 {
		return s.f.risingBound(lo, hi, s.f.logG(lo), s.f.logG(hi))
	}
	nearest := math.Min(math.Abs(lo), math.Abs(hi)) // to 0, where the density peaks
	if lo <= 0 && hi >= 0 {
		nearest = 0
	}
	return s.f.logG(lo) - nearest*nearest/2*s.f.inv
}

func (s *sampledIntegral) maxWidth(lo, hi float64) float64 {
	sigma := s.f.sigma
	distance := math.Max(0, math.Max(lo-s.z, s.z-hi))
	return math.Min(4*sigma, math.Max(4*sigma*sigma, distance))
}
