package transform

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// growth bounds the integral of |e^{αl}ρ| e^{-y²/2σ²} on a line Im x = y, relative to M(a), as a
// function of θ = y/σ² below π. With α >= 0 (remove) it is at most M(a), since |1-q+q e^{v+iθ}| <=
// e^{l}. With α = -a (add) there are two bounds of the ratio's logarithm:
//
//	-a log cos(θ/2)      and      λ (σ - x_c),  λ = -log cos θ, for θ < π/2.
//
// The second does not grow with a if q a is small. Without it the quadrature of the add direction
// needs ever finer grids at large a.
//
// Proof of the first. |1-q+q e^{v+iθ}|² = e^{2l}(1 - 4r(1-r) sin²(θ/2)) >= e^{2l} cos²(θ/2).
//
// Proof of the second. For θ < π/2, |1-q+q e^{v+iθ}| >= 1-q+q e^{v+log cos θ}, which is e^l at x -
// σ²λ. Shifting x by σ²λ turns ρ into ρ e^{-λx - λ²σ²/2}. The second derivative of the tilted law's
// log p is at most -1/σ², so E e^{-λ(x - Ex)} <= e^{λ²σ²/2} (Bakry, Émery). From E[(x-x_c) (log
// p)'] = -1 the law's variance about its mode x_c is at most σ², so -Ex <= σ - x_c. Together they
// give λ (σ - x_c).
//
// The bounds of a replaced record are in replaced.go.
type growth struct {
	a, sigma, mode float64
	dir            Direction
	replaced       bool
	q              float64 // of a replaced record
}

func (w *Law) growth(dir Direction, a float64) growth {
	g := growth{a: a, sigma: w.Sigma, dir: dir, replaced: w.Replaced, q: w.Q}
	if dir == Add {
		g.mode = w.lowestHump(-a)
	}
	return g
}

// everywhere returns the first bound. It holds at each x and not only for the integral, so a
// further factor of the integrand may be kept.
func (g growth) everywhere(y float64) float64 {
	if theta := y / (g.sigma * g.sigma); (g.dir == Add || g.replaced) && theta > 0 {
		return -g.a * numeric.Log(math.Cos(theta/2))
	}
	return 0
}

// shift returns the λ of the second bound, and the bound; the bound is +Inf if there is none.
func (g growth) shift(theta float64) (lambda, log float64) {
	if g.dir == Remove || theta >= math.Pi/2 {
		return 0, math.Inf(1)
	}
	lambda = -numeric.Log(math.Cos(theta))
	return lambda, lambda * (g.sigma - g.mode)
}

// at returns the bound of the logarithm at y.
func (g growth) at(y float64) float64 {
	log, _ := g.both(y)
	return log
}

// both returns that bound, and one of the same integral with a factor |l-m|/s + 1, s the standard
// deviation of l. For it the second bound takes Cauchy's inequality and so E e^{-2λx}, which costs
// another λ²σ²/2. |l| moves by at most λ.
func (g growth) both(y float64) (log, withLoss float64) {
	if g.replaced {
		return g.bothReplaced(y)
	}
	if g.dir == Remove {
		return 0, 0
	}
	theta := y / (g.sigma * g.sigma)
	if theta >= math.Pi {
		return math.Inf(1), math.Inf(1)
	}
	log = -g.a * numeric.Log(math.Cos(theta/2))
	withLoss = log
	lambda, second := g.shift(theta)
	log = math.Min(log, second)
	withLoss = math.Min(withLoss, second+lambda*lambda*g.sigma*g.sigma/2+math.Log1p(lambda))
	return log, withLoss
}
