package selection

import (
	"fmt"
	"math"
	"sort"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// PointwiseAt returns the ε at delta of the best of K runs of base, K drawn from law and kept secret, by the ranks that the
// privacy profile of one run allows, one by one. It is the least over what is known of the profile, and holds for every law. Its lists
// of ranks and of slopes raise it a little; beside that it is never above the bounds "profile" and "sharpened profile", and
// mostly well below. The tests have it at most 0.003 and 2 % above them, where ε is about 0.01. PriceAt does not ask it yet. It takes some milliseconds, and about a hundred questions to a slow profile. The proof stands in its file.
//
// +Inf if nothing is known: a run whose ε at δ/E[K] is above 150 is not looked at.
func PointwiseAt(law law.Law, base Base, delta float64) (Bound, error) {
	k, err := validatePair(law, base)
	if err != nil {
		return Bound{}, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return Bound{}, fmt.Errorf("selection: %w", err)
	}
	least := Bound{Name: "pointwise", Epsilon: math.Inf(1)}
	for _, b := range pointwiseBounds(k, base.Prepared(), delta) {
		if b.Epsilon < least.Epsilon {
			least = b
		}
	}
	least.Epsilon *= 1 + lastDigits
	return least, nil
}

// pointwiseBounds are the bounds rank by rank, one for each source.
func pointwiseBounds(k law.Distribution, base Base, delta float64) []Bound {
	var bounds []Bound
	for _, s := range base.sources() {
		scale := s.epsilonAt(delta / math.Max(1, k.Mean()))
		if !(scale <= pointwiseMost) {
			continue
		}
		scale = math.Max(scale, pointwiseLeast)
		top := math.Min(math.Max(2*scale, s.epsilonAt(1e-3*delta/math.Max(1, k.Mean()))), 2*pointwiseMost)
		known := profileLines(s.deltaAt, scale, top, s.quick)
		bounds = append(bounds, Bound{
			Name:    "pointwise, " + s.name,
			Theorem: "the ranks that the privacy profile allows, one by one (selection.PointwiseAt)",
			Method:  fmt.Sprintf("pointwise bound on the privacy profile of one run by %s", s.name),
			Epsilon: newPointwise(k, known, scale).epsilonAt(delta, newHockey(known)),
		})
	}
	return bounds
}

// The ε of one run at which pointwiseBounds looks around: below the first it looks around that, above the second
// not at all, as e^(2ε) must be far from overflow.
const (
	pointwiseLeast = 1e-6
	pointwiseMost  = 150
)

// pointwise is a bound on the whole privacy profile of the best of K runs, from a profile of one run:
//
//	δ_A(ε) <= Σ_b weights[b] H(e^ε slopes[b]),    H(t) = ∫ (Q - t Q')₊,
//
// where H(t) = δ(ln t) for t >= 1 and at most 1 - t + t δ(-ln t) below. It depends on law and profile, not on ε. The
// weights are at least 0 and add up to E[K]. The proof is below.
type pointwise struct {
	slopes  []float64 // rising
	weights []float64
}

// Proof. Q and Q' are the laws of one run on neighboring data. Add to each output a uniform number that breaks ties, so that
// the order is strict and the laws have no atoms; publishing it only adds to what is seen. The best of K runs has the
// density A = Q f'(1-p) at an output, with p the mass under Q of what ranks better, and A' = Q' f'(1-p'), p' its mass under
// Q'. The profile holds both ways, so that for every e >= 0
//
//	p' <= δ(e) + e^e p,    p' <= 1 - (1 - p - δ(e)) e^-e.
//
// Let P(p) be the least of these over a list of e, in [0, 1]: then p' <= P(p). As f' does not fall on [0, 1], with r = Q/Q'
//
//	A - e^ε A' <= Q' M(r),    M(r) = max over p in [0, 1] of (r f'(1-p) - e^ε f'(1-P(p)))₊,
//
// and, where Q' = 0, A <= Q f'(1) = Q E[K]. K = 0 releases the same constant on both sides and adds nothing at ε >= 0. M is
// convex, with M(0) = 0 and slopes from 0 to E[K], so that M(r) = ∫ (r-t)₊ dM'(t), and
//
//	δ_A(ε) <= ∫ Q' M(Q/Q') = ∫ H(t) dM'(t).
//
// Divide [0, 1] into cells of p. In the cell from p to p⁺ the line r f'(1-p) - e^ε f'(1-P(p⁺)) is above all of its lines. The
// upper envelope of the cells' lines and of 0 has, with a = f'(1-p) and b = f'(1-P(p⁺)), its kinks at e^ε times the slopes of
// the lower convex hull of the points (a, b) and (0, 0), and turns there by the hull's steps in a: neither depends on ε. At
// last the kinks between two slopes of a fixed list are moved to both of them, so that their mean stays: as H is convex, that
// only adds. ∎
//
// Rounding. For any chain of points from (0, 0) on with a rising, Σ (a_k - a_(k-1)) (r - e^ε τ_k)₊, τ_k the slope to point k,
// is at least r a_m - e^ε b_m for every point m of the chain: a term is not below its value without the ₊. So a point that is
// kept although it is no corner costs nothing, and only one that is a corner by no more than rounding must not be left out;
// turnsDown sees to that. Points whose a differ by less than 1e-8 are one, that with the least b and an a 1e-8 larger, which
// is above both lines. Then a slope is known to 4e-16 b/(a_k - a_(k-1)), and is lowered by that: H does not rise.
//
// Reference: derived here. The published bounds (Koskela, Redberg and Wang, ICML 2024) put all of E[K] at one t.

// pointwiseStep is how much ln f'(1-p) and ln f'(1-P(p)) may change within a cell, and pointwiseBin the ratio of slopes in the
// list, in logarithms. What both add to ε is about the step, and the square of the bin.
const (
	pointwiseStep = 2e-4
	pointwiseBin  = 0.01 // where ε of one run is 1 and more; below its share of that, and at least a hundredth
)

// newPointwise returns the bound of a law for a profile that is known at some e, around scale.
func newPointwise(k law.Distribution, known []line, scale float64) pointwise {
	f := newLogDerivative(k)
	rank := newRankLines(known)
	var hull []point
	add := func(c point) {
		for len(hull) > 1 && turnsDown(hull[len(hull)-2], hull[len(hull)-1], c) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, c)
	}
	cells := pointwiseCells(f, rank)
	add(point{0, 0})
	last := 0.0
	for i := len(cells) - 1; i >= 0; i-- { // a rises, and b with it
		if c := cells[i]; c.a > last*(1+sameTop) {
			last = c.a
			add(point{c.a * (1 + sameTop), c.b})
		}
	}
	return binned(hull, pointwiseBin*math.Max(0.01, math.Min(1, scale)))
}

// epsilonAt returns the least ε at which the bound is at most delta; +Inf if there is none.
func (p pointwise) epsilonAt(delta float64, h *hockey) float64 {
	return numeric.LeastTrue(1e-11, func(epsilon float64) bool { return p.deltaAt(epsilon, h) <= delta })
}

// deltaAt returns the bound at ε >= 0. Its sum, of terms that are at least 0, is rounded up by 1e-7: the points t of
// hockey are off by 1e-16, relative, where H may have a logarithmic slope of some 1e8 (at the least scale that is looked
// at), and so are the shares of binned, divided by the width of a bin.
func (p pointwise) deltaAt(epsilon float64, h *hockey) float64 {
	x, sum := math.Exp(epsilon)*(1-4*0x1p-53), 0.0
	for i, s := range p.slopes {
		sum += p.weights[i] * h.at(x*s)
	}
	return math.Min(1, sum*(1+1e-7))
}

// hockey is an upper bound on H(t) = ∫ (Q - t Q')₊ for t >= 0, from a profile asked at some ε >= 0:
//
//	H(t) = δ(ln t) for t >= 1,    H(t) <= 1 - t + t δ(-ln t) for t < 1,    H(0) = 1.
//
// H is convex and does not rise, so that the chord between two of its values is above it, and the last value bounds all
// behind it.
type hockey struct{ t, value []float64 }

// newHockey takes lines with e increasing.
func newHockey(known []line) *hockey {
	h := &hockey{t: []float64{0}, value: []float64{1}}
	add := func(t, value float64) {
		last := len(h.t) - 1
		if value = math.Max(0, math.Min(value, h.value[last])); t > h.t[last] {
			h.t, h.value = append(h.t, t), append(h.value, value)
		}
	}
	for i := len(known) - 1; i >= 0; i-- {
		l := known[i]
		add(1/l.x, (-math.Expm1(-l.e)+l.delta/l.x)*(1+1e-15))
	}
	for _, l := range known {
		add(l.x, l.delta)
	}
	return h
}

// at returns the bound at t >= 0.
func (h *hockey) at(t float64) float64 {
	i := sort.SearchFloat64s(h.t, t) // the first with h.t[i] >= t
	switch {
	case i == len(h.t):
		return h.value[i-1]
	case i == 0:
		return h.value[0]
	}
	share := (t - h.t[i-1]) / (h.t[i] - h.t[i-1])
	return h.value[i-1] + share*(h.value[i]-h.value[i-1]) + 4*0x1p-53*h.value[i-1]
}

// profileLines asks a profile around scale, the ε at the δ that matters, and on to top: at ε = 0 and at powers of one ratio, the same for
// every question, closer where the bound looks closest. A quick profile is asked some thousand times, another some hundred.
func profileLines(deltaAt func(epsilon float64) float64, scale, top float64, quick bool) []line {
	near, far := 0.01, 8
	if quick {
		near, far = 0.0025, 4
	}
	known := []line{{0, 1, deltaAt(0)}}
	first, last := int(math.Log(scale/40)/near), int(math.Log(top)/near)
	closeFrom, closeTo := int(math.Log(0.75*scale)/near), int(math.Log(1.5*scale)/near)
	for j := first; j <= last; j++ {
		if (j < closeFrom || j > closeTo) && j%far != 0 {
			continue
		}
		e := math.Exp(float64(j) * near)
		known = append(known, line{e, math.Exp(e), deltaAt(e)})
	}
	return known
}

// line is δ(e) at one e, and x = e^e.
type line struct{ e, x, delta float64 }
