package ranks

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// pointwise is a bound on the whole privacy profile of the best of K runs, from a profile of one
// run:
//
//	δ_A(ε) <= Σ_b weights[b] H(e^ε slopes[b]),    H(t) = ∫ (Q - t Q')₊,
//
// where H(t) = δ(ln t) for t >= 1 and at most 1 - t + t δ(-ln t) below. It depends on law and
// profile, not on ε. The weights are at least 0 and add up to E[K]. The proof is below.
type pointwise struct {
	slopes  []float64 // increasing, from 0 on
	weights []float64
}

// Proof. Q and Q' are the laws of one run on neighboring data. Add to each output a uniform number
// that breaks ties: then the order is strict and the laws have no atoms. Publishing it only reveals
// more. The best of K runs has the density A = Q f'(1-p) at an output, with p the mass under Q of
// the better ranks, and A' = Q' f'(1-p'), p' their mass under Q'. The profile holds both ways, so
// for every e >= 0
//
//	p' <= δ(e) + e^e p,    p' <= 1 - (1 - p - δ(e)) e^-e.
//
// Let P(p) be the least of these over a list of e, in [0, 1]: then p' <= P(p). As f' does not fall
// on [0, 1], with r = Q/Q'
//
//	A - e^ε A' <= Q' M(r),    M(r) = max over p in [0, 1] of (r f'(1-p) - e^ε f'(1-P(p)))₊,
//
// and, where Q' = 0, A <= Q f'(1) = Q E[K]. K = 0 releases the same constant on both sides and adds
// nothing at ε >= 0. M is convex, with M(0) = 0 and slopes from 0 to E[K]. So M(r) = ∫ (r-t)₊
// dM'(t), and
//
//	δ_A(ε) <= ∫ Q' M(Q/Q') = ∫ H(t) dM'(t).
//
// Both a = f'(1-p) and b = f'(1-P(p)) fall with p, and P is piecewise linear. On a piece of slope s
// the curve of (a, b) has the slope db/da = s f''(1-P)/f''(1-p). f'' does not fall on [0, 1], so
// its values at the ranks of two points bound the slope between them on both sides. So the curve is
// above two lines, one through each point, and above the corner where they meet. A value above r a
// - e^ε b at all those points and corners is above it on the whole curve.
//
// The upper envelope of their lines and of 0 has its kinks at e^ε times the slopes of the lower
// convex hull of the points, with (0, 0), and turns there by the hull's steps in a. Neither depends
// on ε. At last each kink between two slopes of a fixed list is moved to both of them, in shares
// that keep its mean. As H is convex, that only adds. ∎
//
// Rounding. Take any chain of points from (0, 0) on with a rising, and let τ_k be the slope to
// point k. Then Σ (a_k - a_(k-1)) (r - e^ε τ_k)₊ is at least r a_m - e^ε b_m for every point m of
// the chain: a term is not below its value without the ₊. So a kept point that is not a corner does
// no harm. Only a corner by more than rounding must be kept; numeric.TurnsDown ensures that. Points
// whose a differ by less than 1e-8 are one: that with the least b and an a 1e-8 larger, which is
// above both lines. Then a slope is known to 4e-16 b/(a_k - a_(k-1)), and is lowered by that: H
// does not rise.
//
// Reference: derived here. The published bounds (Koskela, Redberg and Wang, ICML 2024) put all of
// E[K] at one t.

// pointwiseBin is the logarithm of the ratio of slopes in the list, if ε of one run is 1 or more.
// For a smaller ε it is multiplied by ε, or by a hundredth if that is more. It adds about its
// square to ε.
const pointwiseBin = 0.01

func binFor(scale float64) float64 { return pointwiseBin * math.Max(0.01, math.Min(1, scale)) }

// epsilonAt returns the least ε at which the bound is at most delta; +Inf if there is none.
func (p pointwise) epsilonAt(delta float64, h *baserun.HockeyStick) float64 {
	return numeric.LeastTrue(1e-11, func(epsilon float64) bool { return p.deltaAt(epsilon, h) <= delta })
}

// deltaAt returns the bound at ε >= 0. Its sum, of terms that are at least 0, is rounded up by
// 1e-7. This covers two errors. The points t of HockeyStick are off by 1e-16, relative, where H may
// have a logarithmic slope of some 1e8 (at the least scale that is used). The shares of binned have
// the same error divided by the width of a bin.
func (p pointwise) deltaAt(epsilon float64, h *baserun.HockeyStick) float64 {
	x, sum, at := numeric.ExpBelow(epsilon), 0.0, h.Near() // slopes rise
	for i, s := range p.slopes {
		t := 0.0
		if s > 0 { // x may be +Inf
			t = x * s
		}
		sum += p.weights[i] * at(t)
	}
	return math.Min(1, sum*(1+1e-7))
}
