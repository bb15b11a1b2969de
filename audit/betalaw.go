package audit

import (
	"math"
	"slices"

	"github.com/dplab/dplab/audit/internal/tails"
)

// A Beta(a, b) variable X is integrated in y = logit X, where its density
//
//	exp(a ln x + b ln(1-x)) / B(a, b),  x = 1/(1+e^-y)
//
// is log-concave for all a, b > 0 and has exponential tails.

// betaLaw is a Beta law prepared for integration in the logit.
type betaLaw struct {
	a, b           float64
	lo, mode, hi   float64 // the range kept, and the mode
	belowLo, above float64 // the probabilities cut off
	sd             float64 // about the width of the peak
}

// cutNats is how far below the mode's log density the range ends.
const cutNats = 42

func newBetaLaw(a, b float64) betaLaw {
	law := betaLaw{a: a, b: b, mode: math.Log(a / b), sd: math.Sqrt(1/a + 1/b)}
	top := law.logDensity(law.mode)
	inside := func(y float64) bool { return law.logDensity(y) > top-cutNats }
	law.lo = lastInside(inside, law.mode, -law.sd)
	law.hi = lastInside(inside, law.mode, law.sd)
	law.belowLo, _ = tails.Beta(tails.Logistic(law.lo), a, b)
	_, law.above = tails.Beta(tails.Logistic(law.hi), a, b)
	return law
}

// logDensity returns the log density in the logit, up to rounding.
func (l betaLaw) logDensity(y float64) float64 {
	x := tails.Logistic(y)
	if x <= 0 || x >= 1 {
		return math.Inf(-1)
	}
	return tails.LogBetaDensity(x, l.a, l.b) + math.Log(x) + math.Log1p(-x)
}

// lastInside walks from start by doubling steps until outside, then halves back: it
// returns a point just outside.
func lastInside(inside func(float64) bool, start, step float64) float64 {
	in, out := start, start+8*step
	for inside(out) {
		in, out = out, start+2*(out-start)
	}
	for range 6 {
		if mid := (in + out) / 2; inside(mid) {
			in = mid
		} else {
			out = mid
		}
	}
	return out
}

// breaks returns the ends, points around the peak and the given kinks of the integrand (as
// probabilities) that lie inside, ascending.
func (l betaLaw) breaks(kinks ...float64) []float64 {
	points := []float64{l.lo, l.hi}
	add := func(y float64) {
		if y > l.lo && y < l.hi {
			points = append(points, y)
		}
	}
	for _, m := range []float64{-3, 0, 3} {
		add(l.mode + m*l.sd)
	}
	for _, x := range kinks {
		if x > 0 && x < 1 {
			add(tails.Logit(x))
		}
	}
	slices.Sort(points)
	return points
}

// expectation returns an upper bound, up to the quadrature's error estimate which is
// added, on E[f(X)] for 0 <= f <= 1.
func (l betaLaw) expectation(f func(x float64) float64, tol float64, kinks ...float64) float64 {
	value, err := tails.Integrate(func(y float64) float64 {
		return math.Exp(l.logDensity(y)) * f(tails.Logistic(y))
	}, l.breaks(kinks...), tol, 400)
	return math.Min(1, value+err+l.belowLo+l.above)
}
