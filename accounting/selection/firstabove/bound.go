package firstabove

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Bound returns the ε at delta that the privacy profile of one run allows, the least over all known
// profiles. Where E[K] δ is small, the worst set of good outputs leaks that much, up to some 1e-4
// from rounding and the list of ε. It returns +Inf if nothing is known: see selection.PointwiseAt.
// The proof is below the function.
func Bound(l law.Law, base baserun.Run, delta float64) (accounting.Bound, error) {
	k, err := validatedAt(l, base, delta)
	if err != nil {
		return accounting.NoBound(), err
	}
	least := accounting.Bound{Name: "threshold", Epsilon: math.Inf(1)}
	for _, b := range profileBounds(k, base, delta) {
		if b.Epsilon < least.Epsilon {
			least = b.Bound
		}
	}
	return least, nil
}

func profileBounds(k law.Distribution, base baserun.Run, delta float64) []settle.Candidate {
	var bounds []settle.Candidate
	for _, known := range ranks.Around(base, delta/math.Max(1, k.Mean())) {
		epsilon := newProfile(k, known).epsilonAt(delta)
		if math.IsInf(epsilon, 1) {
			continue
		}
		bounds = append(bounds, settle.Candidate{Ask: thresholdCheck(k, known, delta), Bound: accounting.Bound{
			Name:    "threshold, " + known.Name,
			Theorem: "the shares of good outputs that the privacy profile allows (firstabove.Bound)",
			Method:  fmt.Sprintf("worst share of good outputs by the privacy profile of one run by %s", known.Name),
			Epsilon: epsilon,
		}})
	}
	return bounds
}

// thresholdCheck returns the check of the bound by one profile.
func thresholdCheck(k law.Distribution, known ranks.Bounds, delta float64) func() settle.Question {
	given := []string{"the privacy profile of one run by " + known.Name}
	ask := settle.Asked(k.Law(), "the shares of good outputs that a privacy profile allows (firstabove.Bound)", given, func(l selected.Law) selected.Check {
		return selected.FirstAbove(l, selected.NewRun(known.Known()), delta)
	})
	return settle.Proving(ask, func() (string, selected.Witness, []*accounting.Proof) {
		epsilons, shown := known.Proof()
		return selected.RuleFirstAbove, selected.Witness{Run: []selected.Epsilons{epsilons}}, []*accounting.Proof{shown}
	})
}

// Proof. Let Q and Q' be the laws of one run on neighboring data, S the outputs whose score is at
// least the threshold, s = Q(S) and s' = Q'(S). Let G be the generating function of K. The first
// good one of at most K runs has on S the density
//
//	A = Q Σ_j P[K >= j] (1-s)^(j-1) = Q g(s),    g(s) = (1 - G(1-s))/s,    g(0) = E[K],
//
// and there is none with chance G(1-s). Let P(s) be the largest s' that the profile allows
// (selection.PointwiseAt). g and G are power series in 1-s with terms >= 0, so neither rises with
// s, and s' <= P(s). With H(t) = ∫ (Q - t Q')₊ therefore
//
//	δ_A(ε) <= max over s in [0, 1] of
//	          min( g(s) H(e^ε g(P(s))/g(s)), 1 - G(1-s) ) + (G(1-s) - e^ε G(1-P(s)))₊,
//
// the first by ∫_S (Q g(s) - e^ε Q' g(s'))₊ <= ∫ (Q g(s) - e^ε Q' g(P(s)))₊ and by the mass of A on
// S.
//
// The chance of none is P[K=0] plus ∫ Q h(s) outside of S, with h(s) = (G(1-s) - P[K=0])/(1-s). As
// (∫ q)₊ <= ∫ q₊, the whole is also at most
//
//	∫ max( (Q g(s) - e^ε Q' g(P(s)))₊, (Q h(s) - e^ε Q' h(P(s)))₊ ),
//
// which is a sum of at most two values of H, as g >= h. The bound is the lesser of both. Each is
// convex in e^ε, and so is a maximum of them. The lesser of both need not be convex, so
// DominatingPair takes the convex hull. ∎
//
// Reference: derived here. The density is that of Liu and Talwar (2019), Algorithm 1, where 1/g is
// γ + (1-γ)s.

// profile is a bound on the whole privacy profile of a search.
type profile struct {
	shares
	list []*cell
}

func newProfile(k law.Distribution, known ranks.Bounds) profile {
	b := newShares(k, known)
	return profile{b, b.cells()}
}

// deltaAt returns the bound at ε >= 0, raised by far more than its rounding.
func (p profile) deltaAt(epsilon float64) float64 {
	x := numeric.ExpBelow(epsilon)
	return math.Min(1, math.Exp(p.largest(p.list, closeEnough, func(v values) bounds {
		none := math.Max(0, v.none-x*v.noneLeast)
		apart := v.good*p.known.HockeyStick(x*v.goodLeast/v.good) + none
		return bounds{numeric.Log(apart), numeric.Log(v.some + none), numeric.Log(p.together(v, x))}
	})))
}

// together returns ∫ max((a r - u)₊, (b r - v)₊) dQ' with r = Q/Q', for a = g and b = h. If the
// steeper of both begins first it is the maximum everywhere; otherwise both count.
func (p profile) together(w values, x float64) float64 {
	a, b := w.good, math.Min(w.good, w.bad)
	u, v := x*w.goodLeast, x*w.badLeast
	if b <= 0 || u*b <= v*a {
		return a * p.known.HockeyStick(u/a)
	}
	sum := b * p.known.HockeyStick(v/b)
	if a > b {
		sum += (a - b) * p.known.HockeyStick((u-v)/(a-b)*(1-1e-12))
	}
	return sum
}

// mostEpsilon is the largest ε of the search, as in selection.PointwiseAt.
const mostEpsilon = 600

func (p profile) epsilonAt(delta float64) float64 {
	if p.deltaAt(mostEpsilon) > delta {
		return math.Inf(1)
	}
	return numeric.LeastTrue(1e-7, func(epsilon float64) bool { return p.deltaAt(epsilon) <= delta })
}

// Curve returns an upper bound on the Rényi divergence of a search, in nats, from the Rényi curve
// of one run:
//
//	D_λ(A‖A') <= ln( P[K=0] + e^((λ-1)D_λ(Q‖Q')) M )/(λ-1),
//	M = max over s of max(g(s)^λ g(P(s))^(1-λ), h(s)^λ h(P(s))^(1-λ)),
//
// with g, h and P as in the proof of Bound, and λ > 1. The search is a post-processing of the best
// of K runs (PriceAt). So the curve is that of selection.RDP where it is lower. The formula is +Inf
// if P[K=1] = 0 and a run may have a bad output on only one side.
//
// Proof. As there the integral of A^λ A'^(1-λ) over S is at most g(s)^λ g(P(s))^(1-λ) times that of
// Q^λ Q'^(1-λ). The chance of none is P[K=0] + (1-s)h(s), and (z+u)^λ (z+v)^(1-λ) <= z + u^λ
// v^(1-λ), as the function is convex and homogeneous. Merging the outputs outside of S does not
// raise the sum of all Q^λ Q'^(1-λ), which is e^((λ-1)D). ∎
//
// Reference: derived here. Papernot and Steinke (ICLR 2022), Lemma 7, is for the best of K.
func Curve(l law.Law, base baserun.Run) (rdp.Curve, error) {
	k, err := validated(l, base)
	if err != nil {
		return nil, err
	}
	if base.Curve == nil {
		return nil, fmt.Errorf("firstabove: Rényi curve of %s: %w", base.Name, accounting.ErrUnsupportedEvent)
	}
	var all []profile
	for _, known := range ranks.Around(base, curveDelta/math.Max(1, k.Mean())) {
		all = append(all, newProfile(k, known))
	}
	best, err := selection.RDP(l, base)
	if err != nil {
		return nil, err
	}
	return rdp.Memoized(func(order float64) float64 {
		least := best(order)
		for _, p := range all {
			least = math.Min(least, p.divergence(base.Curve(order), order))
		}
		return least
	}), nil
}

// CurveOf returns the Curve of a search. The accountants price one run: see baserun.New.
func CurveOf(search Event, accountants ...accounting.Accountant) (rdp.Curve, error) {
	base, err := search.run(accountants)
	if err != nil {
		return nil, err
	}
	return Curve(search.Law, base)
}

// curveDelta is the δ at which a curve uses the profiles. Any δ is valid. This one serves the
// orders that matter at δ near it.
const curveDelta = 1e-6

func (p profile) divergence(one, order float64) float64 {
	if !(order > 1) || math.IsInf(one, 1) {
		return math.Inf(1)
	}
	a := order - 1
	if math.IsInf(order, 1) {
		return one + p.largest(p.list, closeEnough, func(v values) bounds {
			return single(numeric.Log(math.Max(v.good/v.goodLeast, ratio(v.bad, v.badLeast))))
		})
	}
	weight := p.largest(p.list, math.Max(1e-6, closeEnough*a), func(v values) bounds {
		good := order*numeric.Log(v.good) - a*numeric.Log(v.goodLeast)
		bad := numeric.Log(v.bad) + a*numeric.Log(ratio(v.bad, v.badLeast))
		return single(math.Max(good, bad))
	})
	moment := a*one + weight
	return math.Max(0, moment+math.Log1p(p.zero*math.Exp(-moment))) / a
}

// single is a single bound.
func single(x float64) bounds { return bounds{x, x, x} }

// ratio returns a/b, and 1 if a is 0.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 1
	}
	return a / b
}

func validated(l law.Law, base baserun.Run) (law.Distribution, error) {
	k, lawErr := law.Of(l)
	if lawErr != nil {
		lawErr = fmt.Errorf("firstabove: %w", lawErr)
	}
	if err := errors.Join(lawErr, base.Validate()); err != nil {
		return law.Distribution{}, err
	}
	if math.IsInf(k.Mean(), 1) || math.IsNaN(k.Mean()) {
		return law.Distribution{}, fmt.Errorf("firstabove: %v has mean %g: must be finite", l, k.Mean())
	}
	return k, nil
}

// validatedAt is validated for a question at delta.
func validatedAt(l law.Law, base baserun.Run, delta float64) (law.Distribution, error) {
	k, err := validated(l, base)
	if err == nil {
		if err = accounting.ValidateDelta(delta); err != nil {
			err = fmt.Errorf("firstabove: %w", err)
		}
	}
	return k, err
}
