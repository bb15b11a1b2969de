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
	slopes  []float64 // rising, from 0 on
	weights []float64
}

// Proof. Q and Q' are the laws of one run on neighboring data. Add to each output a uniform number
// that breaks ties, so that the order is strict and the laws have no atoms; publishing it only adds
// to what is seen. The best of K runs has the density A = Q f'(1-p) at an output, with p the mass
// under Q of what ranks better, and A' = Q' f'(1-p'), p' its mass under Q'. The profile holds both
// ways, so that for every e >= 0
//
//	p' <= δ(e) + e^e p,    p' <= 1 - (1 - p - δ(e)) e^-e.
//
// Let P(p) be the least of these over a list of e, in [0, 1]: then p' <= P(p). As f' does not fall
// on [0, 1], with r = Q/Q'
//
//	A - e^ε A' <= Q' M(r),    M(r) = max over p in [0, 1] of (r f'(1-p) - e^ε f'(1-P(p)))₊,
//
// and, where Q' = 0, A <= Q f'(1) = Q E[K]. K = 0 releases the same constant on both sides and adds
// nothing at ε >= 0. M is convex, with M(0) = 0 and slopes from 0 to E[K], so that M(r) = ∫ (r-t)₊
// dM'(t), and
//
//	δ_A(ε) <= ∫ Q' M(Q/Q') = ∫ H(t) dM'(t).
//
// Both a = f'(1-p) and b = f'(1-P(p)) fall with p, P is piecewise linear, and on a piece of slope s
// the curve of (a, b) has the slope db/da = s f''(1-P)/f''(1-p). f'' does not fall on [0, 1]:
// between two points of a piece the slope is at least and at most what f'' at their ranks says, so
// that the curve is above two lines, one through each point, and the corner where they meet. What
// is above r a - e^ε b at all those points and corners is above it on the whole curve. The upper
// envelope of their lines and of 0 has its kinks at e^ε times the slopes of the lower convex hull
// of the points, with (0, 0), and turns there by the hull's steps in a: neither depends on ε. At
// last the kinks between two slopes of a fixed list are moved to both of them, so that their mean
// stays: as H is convex, that only adds. ∎
//
// Rounding. For any chain of points from (0, 0) on with a rising, Σ (a_k - a_(k-1)) (r - e^ε τ_k)₊,
// τ_k the slope to point k, is at least r a_m - e^ε b_m for every point m of the chain: a term is
// not below its value without the ₊. So a point that is kept although it is no corner costs
// nothing, and only one that is a corner by no more than rounding must not be left out;
// numeric.TurnsDown sees to that. Points whose a differ by less than 1e-8 are one, that with the
// least b and an a 1e-8 larger, which is above both lines. Then a slope is known to 4e-16 b/(a_k -
// a_(k-1)), and is lowered by that: H does not rise.
//
// Reference: derived here. The published bounds (Koskela, Redberg and Wang, ICML 2024) put all of
// E[K] at one t.

// pointwiseBin is the ratio of slopes in the list, in logarithms, where ε of one run is 1 and more;
// below its share of that, and at least a hundredth. What it adds to ε is about its square.
const pointwiseBin = 0.01

func binFor(scale float64) float64 { return pointwiseBin * math.Max(0.01, math.Min(1, scale)) }

// epsilonAt returns the least ε at which the bound is at most delta; +Inf if there is none.
func (p pointwise) epsilonAt(delta float64, h *baserun.HockeyStick) float64 {
	return numeric.LeastTrue(1e-11, func(epsilon float64) bool { return p.deltaAt(epsilon, h) <= delta })
}

// deltaAt returns the bound at ε >= 0. Its sum, of terms that are at least 0, is rounded up by
// 1e-7: the points t of HockeyStick are off by 1e-16, relative, where H may have a logarithmic slope of
// some 1e8 (at the least scale that is looked at), and so are the shares of binned, divided by the
// width of a bin.
func (p pointwise) deltaAt(epsilon float64, h *baserun.HockeyStick) float64 {
	x, sum := numeric.ExpBelow(epsilon), 0.0
	for i, s := range p.slopes {
		t := 0.0
		if s > 0 { // x may be +Inf
			t = x * s
		}
		sum += p.weights[i] * h.At(t)
	}
	return math.Min(1, sum*(1+1e-7))
}
