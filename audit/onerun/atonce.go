package onerun

import (
	"errors"
	"math"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Guesses made at once, exactly.
//
// r of m fair coins are guessed from the output of an (ε, δ)-DP mechanism. Let N of the guesses be
// right, q_k = P[N = k], p = e^ε/(1+e^ε), b_k = P[Bin(r, p) = k] and f(v) = P[Bin(r, p) >= v].
//
// Given the coins, let A_k be the outputs at which coin j is guessed, and right, and N = k. If coin
// j is turned over they are outputs at which j is wrong and N = k-1. The A_k are disjoint. Hence
// Σ_k (P[A_k] - e^ε P'[A_k])+ <= δ, P' with j turned over. The coins with j turned over are as
// fair, and (.)+ is convex. Hence on average over coins, added up over j,
//
//	Σ_k (E_k)+ <= m δ,  E_k = k q_k - e^ε (r-k+1) q_{k-1}                         (1)
//
// since where N = k, k of the guesses are right, and where N = k-1, r-k+1 are wrong. With b in
// place of q all E_k are 0. So q_k is a multiple of b_k, plus E_i b_k/(i b_i) for each i from 1 to
// k. All q_k add up to 1, and so
//
//	P[N >= v] = f(v) + Σ_i E_i c_i,  c_i = (f(max(i, v)) - f(i) f(v))/(i b_i)     (2)
//
// No c_i is negative. Up to v they grow, since i b_i = e^ε (r-i+1) b_{i-1}, and P[Bin(r, p) <=
// i-1]/b_{i-1} grows as b is log-concave. From v on they fall, as f(i)/b_i does. c_v is the
// largest:
//
//	P[N >= v] <= min(1, f(v) + m δ f(v) (1-f(v))/(v b_v))                         (3)
//
// This is attained. Let q have E_v = min(m δ, v b_v/f(v)) and no other E. Release guesses of r
// coins, all choices with k right alike. Turning a coin over uses up the left side of (1). It adds
// nothing in outputs at which the coin was wrong, or not guessed. So no bound made only of m, r and
// v is larger, and the right side of (3) grows with ε.
//
// For r = m = 2, v = 1 and ε = 1 it is f(v) + 0.3413 δ. Theorem 5.2 of Steinke, Nasr, Jagielski
// (2023) has f(v) + 0.2893 δ, which is not enough. In 2,000,000 random cases its δ term was too
// small only where f(v) is above 0.87. [Bound] takes the larger of the two.

const atOnceReference = "the largest chance of so many right guesses under (ε, δ)-DP (derived in this package; at δ = 0 Steinke, Nasr, Jagielski (2023), arXiv:2305.08846v1)"

// Max returns the largest lower bound on ε that so many right guesses of so many canaries give, if
// only (ε, δ) is known. It is the largest ε with
//
//	f(v) + m δ f(v) (1-f(v))/(v b_v) <= significance
//	f(v) = P[Bin(r, p) >= v],  b_v = P[Bin(r, p) = v],  p = e^ε/(1+e^ε)
//
// Some (ε, δ)-DP mechanism has v right guesses or more with exactly this chance. The comment of
// atonce.go has the proof.
func Max(g Guesses, cfg audit.Config) (audit.Bound, error) {
	if err := errors.Join(g.Validate(), cfg.Validate()); err != nil {
		return audit.Bound{}, err
	}
	b := audit.NewBound("one-run-max", audit.AssumeOneRun, cfg, atOnceReference)
	b.ChosenBefore = g.fixed()
	bound := func(g Guesses) float64 {
		return largestRefuted(maxEpsilon, cfg.Significance(), func(eps float64) float64 { return atOnceP(g, eps, cfg.Delta) })
	}
	b.Epsilon, b.Ceiling = bound(g), bound(g.perfect())
	doubtCeiling(&b, g, func(g Guesses) bool { return atOnceP(g, 0, cfg.Delta) < cfg.Significance() })
	return b, nil
}

// atOnceP is the right side of (3).
func atOnceP(g Guesses, eps, delta float64) float64 {
	f := tails.BinomialUpper(g.Correct, g.Guessed, tails.Logistic(eps))
	if delta == 0 || f >= 1 {
		return f
	}
	return math.Min(1, f+float64(g.Canaries)*delta*(1-f)*tailToTerm(g.Guessed, g.Correct, eps)/float64(g.Correct))
}

// tailToTerm returns f(v)/b_v, term by term: b_{j+1}/b_j = e^ε (r-j)/(j+1), which falls. It is +Inf
// if it is too large for a number.
func tailToTerm(r, v int, eps float64) float64 {
	odds, sum, term := math.Exp(eps), 1.0, 1.0
	for j := v; j < r; j++ {
		ratio := odds * float64(r-j) / float64(j+1)
		term *= ratio
		sum += term
		if ratio < 1 && term < 1e-17*(1-ratio)*sum || math.IsInf(sum, 1) {
			break
		}
	}
	return sum
}
