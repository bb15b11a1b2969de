package audit

import (
	"errors"
	"math"

	"github.com/dplab/dplab/audit/internal/tails"
)

const oneRunFDPReference = "Mahloujifar, Melis, Chaudhuri (2024), arXiv:2410.22235, Theorem 3.1 and its recursion"

// OneRunFDP returns the lower bound on µ, and so on ε, from the guesses of one run if the
// mechanism's trade-off curve is Gaussian.
func OneRunFDP(g Guesses, level Level) (Bound, error) {
	if err := errors.Join(g.Validate(), level.Validate(), validateGDPDelta(level.Delta)); err != nil {
		return Bound{}, err
	}
	b := newBound("one-run-fdp", AssumeOneRunGDP, level, oneRunFDPReference)
	b.Fixed = g.fixed()
	bound := func(g Guesses) float64 {
		return largestTrue(70, func(mu float64) bool { return refutedInOneRun(g, GDP{mu}, level.Significance()) })
	}
	b.finishGDP(bound(g), bound(g.perfect()))
	return b, nil
}

// OneRunMax returns the larger of the bounds of [OneRun] and of the f-DP recursion with an
// (ε, δ) ceiling. Both bound the same tail of the same statistic, so that taking the larger
// costs no confidence.
func OneRunMax(g Guesses, level Level) (Bound, error) {
	if err := errors.Join(g.Validate(), level.Validate()); err != nil {
		return Bound{}, err
	}
	b := newBound("one-run-max", AssumeOneRun, level, steinkeReference+"; or "+oneRunFDPReference)
	b.Fixed = g.fixed()
	bound := func(g Guesses) float64 { return math.Max(steinke(g, level), oneRunCurve(g, level)) }
	b.Epsilon, b.Ceiling = bound(g), bound(g.perfect())
	return b, nil
}

// oneRunCurve is the f-DP bound with the (ε, δ) ceiling.
func oneRunCurve(g Guesses, level Level) float64 {
	return largestTrue(650, func(eps float64) bool {
		return refutedInOneRun(g, EpsilonDelta{eps, level.Delta}, level.Significance())
	})
}

// largestTrue returns the largest θ in [0, limit] with refuted(θ), rounded down to 1e-9, for
// a predicate that turns false once; 0 if it is never true.
func largestTrue(limit float64, refuted func(float64) bool) float64 {
	notRefuted := func(theta float64) float64 {
		if refuted(theta) {
			return -1
		}
		return 1
	}
	hi := tails.Grow(notRefuted, 0, 1, limit)
	theta, _ := tails.LastBelow(notRefuted, 0, 0, hi, 1e-9)
	return theta
}

// refutedInOneRun tells whether a mechanism under the ceiling g shows at least v correct
// guesses with a chance below significance τ.
//
// Suppose the chance were τ. With r_i the mass of runs with i correct guesses, weighted by
// the share of guesses that are right, and h_i by the share that are wrong, summed over runs
// with at least i correct guesses and divided by m, the ceiling demands r <= G(h) on these
// events, that is h >= G^-1(r), and one correct guess less moves i/(c-i) of the added wrong
// mass to the right mass:
//
//	r_v = τ v/m,  h_v = τ (c-v)/m,  c the number of guesses
//	h_i = max(h_{i+1}, G^-1(r_{i+1})),  r_i = r_{i+1} + i/(c-i) (h_i - h_{i+1})
//
// All mass together is c/m; if r_0+h_0 exceeds it the supposition is false, and so it is for
// every larger τ. The sums only grow, so that the loop may stop early.
func refutedInOneRun(g Guesses, ceiling Curve, significance float64) bool {
	m, c, v := float64(g.Canaries), float64(g.Guessed), g.Correct
	right := significance * float64(v) / m
	wrong := significance * (c - float64(v)) / m
	for i := v - 1; i >= 0; i-- {
		next := math.Max(wrong, ceiling.FPR(math.Min(1, right)))
		right += float64(i) / (c - float64(i)) * (next - wrong)
		wrong = next
		if right+wrong > c/m {
			return true
		}
	}
	return false
}
