package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// PointwiseAt returns the ε at delta of the best of K runs of base, K drawn from law and kept
// secret, by the ranks that the privacy profile of one run allows, one by one. It is the least over
// what is known of the profile, and holds for every law. Its lists of ranks and of slopes raise it
// by some 1e-4; beside that it is never above the bounds "profile" and "sharpened profile", and
// mostly well below. An explicit order of the outputs comes within 1e-3 of it where E[K] δ is
// small: nothing better can then be hoped for. Elsewhere the ranks count that the outputs take
// which tell the data sets apart, since one order cannot give each its worst rank. The bound
// "interleaved" counts them too, and comes within 0.05 of what an order leaks (TestHowFarApart):
// Gaussian runs of µ = 1 at δ = 1e-5 cost 14.95 for 10 runs, 16.04 without, and an order leaks
// 14.94; 31.76 for the Poisson law of mean 100, 34.32 without, 31.71. Where these ranks lower δ by
// less than some thousandths it is left out. All takes some milliseconds, up to a tenth of a second
// with these ranks, and a hundred questions to a profile that answers one at a time.
//
// It asks the profiles of a run, and its Rényi curve where there are none. The proofs stand in this
// file and in interleaved.go.
//
// +Inf if nothing is known: a run whose ε at δ/E[K] is above 150 is not looked at, nor an ε above
// about 600.
func PointwiseAt(law law.Law, base Base, delta float64) (accounting.Bound, error) {
	k, err := validatePair(law, base)
	if err != nil {
		return accounting.NoBound(), err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return accounting.NoBound(), fmt.Errorf("selection: %w", err)
	}
	least := accounting.Bound{Name: "pointwise", Epsilon: math.Inf(1)}
	bounds, err := interleavedBounds(k, base.Prepared(), delta)
	if err != nil {
		return accounting.NoBound(), err
	}
	for _, b := range bounds {
		if b.Epsilon < least.Epsilon {
			least = b
		}
	}
	least.Epsilon *= 1 + lastDigits
	return least, nil
}

// pointwiseBounds are the bounds rank by rank, one for each profile of a run; from its Rényi curve
// if there is none.
func pointwiseBounds(k law.Distribution, base Base, delta float64) ([]accounting.Bound, error) {
	return rankBounds(k, base, delta, false)
}

// interleavedBounds are the same, and after each the one with the ranks that the outputs take,
// where it is lower.
func interleavedBounds(k law.Distribution, base Base, delta float64) ([]accounting.Bound, error) {
	return rankBounds(k, base, delta, true)
}

func rankBounds(k law.Distribution, base Base, delta float64, withTaken bool) ([]accounting.Bound, error) {
	var bounds []accounting.Bound
	for _, s := range base.pointwiseSources() {
		known, scale, ok := s.knownFor(delta / math.Max(1, k.Mean()))
		if !ok {
			continue
		}
		whole := curveHull(k, known)
		epsilon := whole.binned(binFor(scale)).epsilonAt(delta, newHockey(known))
		if math.IsInf(epsilon, 1) {
			continue
		}
		bounds = append(bounds, accounting.Bound{
			Name:    "pointwise, " + s.name,
			Theorem: "the ranks that the privacy profile allows, one by one (selection.PointwiseAt)",
			Method:  fmt.Sprintf("pointwise bound on the privacy profile of one run by %s", s.name),
			Epsilon: epsilon,
		})
		if !withTaken {
			continue
		}
		if b, ok := newInterleaved(k, known, whole, epsilon, delta); ok {
			bounds = append(bounds, accounting.Bound{
				Name:    "interleaved, " + s.name,
				Theorem: "the ranks that the privacy profile allows, and those that the outputs that matter take (selection.PointwiseAt)",
				Method:  fmt.Sprintf("interleaved bound on the privacy profile of one run by %s", s.name),
				Epsilon: b.epsilonAt(epsilon),
			})
		}
	}
	return bounds, nil
}

// pointwiseSources are the profiles of a run, and its Rényi curve where there are none.
func (b Base) pointwiseSources() []source { return b.sources()[:max(1, len(b.Profiles))] }

// knownFor returns what is known of the profile around scale, its ε at delta; ok is false if that
// is too large.
func (s source) knownFor(delta float64) (known []line, scale float64, ok bool) {
	if scale = s.epsilonAt(delta); !(scale <= pointwiseMost) {
		return nil, scale, false
	}
	scale = math.Max(scale, pointwiseLeast)
	top := math.Min(math.Max(2*scale, s.epsilonAt(1e-3*delta)), 2*pointwiseMost)
	return s.list.around(s, scale, top), scale, true
}

// The ε of one run at which pointwiseBounds looks around: below the first it looks around that,
// above the second not at all, as e^(2ε) must be far from overflow.
const (
	pointwiseLeast = 1e-6
	pointwiseMost  = 150
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

// newPointwise returns the bound of a law for a profile that is known at some e, around scale.
func newPointwise(k law.Distribution, known []line, scale float64) pointwise {
	return curveHull(k, known).binned(binFor(scale))
}

func binFor(scale float64) float64 { return pointwiseBin * math.Max(0.01, math.Min(1, scale)) }

// epsilonAt returns the least ε at which the bound is at most delta; +Inf if there is none.
func (p pointwise) epsilonAt(delta float64, h *hockey) float64 {
	return numeric.LeastTrue(1e-11, func(epsilon float64) bool { return p.deltaAt(epsilon, h) <= delta })
}

// deltaAt returns the bound at ε >= 0. Its sum, of terms that are at least 0, is rounded up by
// 1e-7: the points t of hockey are off by 1e-16, relative, where H may have a logarithmic slope of
// some 1e8 (at the least scale that is looked at), and so are the shares of binned, divided by the
// width of a bin.
func (p pointwise) deltaAt(epsilon float64, h *hockey) float64 {
	x, sum := numeric.ExpBelow(epsilon), 0.0
	for i, s := range p.slopes {
		t := 0.0
		if s > 0 { // x may be +Inf
			t = x * s
		}
		sum += p.weights[i] * h.at(t)
	}
	return math.Min(1, sum*(1+1e-7))
}
