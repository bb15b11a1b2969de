package ranks

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Proposed is the bound of pointwise.go on the best of K runs whose candidates come from proposals.
// Each proposal may depend on the outputs of earlier runs, and its density relative to the prior
// is in [c, C]. Package adaptive has the theorem and its proof. It has CQ in the place of Q, and
// cQ' in that of Q':
//
//	δ_A(ε) <= C Σ_b weights[b] H(e^(ε-l) slopes[b]),    l = ln(C/c),
//
// with slopes and weights from the ranks that the profile and the densities allow.
type Proposed struct {
	// Slopes and Weights are those of the sum. The slopes rise.
	Slopes, Weights []float64

	most, apart float64 // C, ln(C/c)
	bound       pointwise
	stick       *baserun.HockeyStick
}

// Proposed returns the bound for densities in [least, most].
func (b Bounds) Proposed(k law.Distribution, least, most float64) Proposed {
	apart := numeric.Log(most) - numeric.Log(least)
	const up = 1 + 16*0x1p-53 // far above the rounding of a sum or a product
	var known []baserun.Point
	add := func(e, delta float64) { // above the rounding of e^e
		if e >= 0 && delta < 1 {
			e *= up
			known = append(known, baserun.Point{E: e, X: math.Exp(e), Delta: delta * up})
		}
	}
	inequalities := func(e, x, h float64) {
		rest := (1 - least) + least*h                // 1 - c(1-h) would lose a small h
		slack := 8 * 0x1p-53 * (math.Abs(e) + apart) // e near apart cancels
		add(e+apart+slack, most*h)
		add(e, rest)
		add(e, most*h+x*(most-1))
		add(e-apart+slack, rest+x*least*((most-1)/most))
	}
	for _, p := range b.points {
		inequalities(-p.E, 1/p.X, -math.Expm1(-p.E)+p.Delta/p.X)
		inequalities(p.E, p.X, p.Delta)
	}
	bound := curveHull(k, newRankLines(known)).binned(binFor(b.scale + apart))
	return Proposed{bound.slopes, bound.weights, most, apart, bound, b.stick}
}

// DeltaAt returns the bound at ε >= 0.
func (p Proposed) DeltaAt(epsilon float64) float64 {
	at := epsilon - p.apart - 4*0x1p-53*(epsilon+p.apart)
	return math.Min(1, p.most*p.bound.deltaAt(at, p.stick)*(1+4*0x1p-53))
}

// EpsilonAt returns the least ε at which the bound is at most delta; +Inf if there is none.
func (p Proposed) EpsilonAt(delta float64) float64 {
	if p.DeltaAt(curveDepth) > delta {
		return math.Inf(1)
	}
	return numeric.LeastTrue(1e-11, func(epsilon float64) bool { return p.DeltaAt(epsilon) <= delta })
}
