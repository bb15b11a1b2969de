package onerun

import (
	"math"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Guesses judged one after the other.
//
// The output y of an (ε, δ)-DP mechanism is known, and all m coins are fair. r of them are guessed
// one after the other. After each guess its coin is shown. Let p = e^ε/(1+e^ε). For a guess b of
// coin j after the coins R, let c be the chance that it is right, given y and the coins shown so
// far. With P_1 and P_0 the densities at y given R and coin j right or wrong, c = P_1/(P_1+P_0). y
// itself has the density (P_1+P_0)/2 given R. Then
//
//	E[(c-p)+] = Σ_R E ∫ ½ ((1-p) P_1 - p P_0)+ = (1-p)/2 Σ_R E ∫ (P_1 - e^ε P_0)+
//
// each integral over those y at which j is guessed after R, as b. Given all coins but j these are
// disjoint: what is shown until j's turn does not depend on j. P_1 and P_0 are means over the coins
// not shown, and (.)+ is convex. With all other coins given, the integrals together are then at
// most those over all y: δ for b = 1 and δ for b = 0. Hence
//
//	E Σ over j's guesses of (c-p)+ <= (1-p) δ                                        (1)
//
// however the next coin, and its guess, depend on y and on what was shown.
//
// Let n of the first r-s guesses be right and V = P[Bin(s, p) >= v-n]. At first V is f(v) =
// P[Bin(r, p) >= v], and in the end it is whether at least v guesses are right. A guess moves V on
// average by
//
//	c P[Bin(s, p) >= v-n-1] + (1-c) P[Bin(s, p) >= v-n] - P[Bin(s+1, p) >= v-n]
//	= (c-p) P[Bin(s, p) = v-n-1]
//
// where s guesses are left after it. That is at most (c-p)+ M_s, M_s = max_i P[Bin(s, p) = i] <= 1.
// By (1), over all m coins,
//
//	P[at least v right] <= f(v) + m δ (1-p)                                          (2)
//
// for guesses that may use the coins shown before them. Guesses that are all made from y at once
// are right less often: atonce.go has how often.
//
// Where m = 1, (2) is attained: by a coin that is shown with chance δ, and else passed through
// randomized response. At δ = 0 both are the binomial bound of Steinke, Nasr, Jagielski (2023). By
// (2) it holds for adaptive guesses, as in Keinan, Shenfeld, Ligett (2025), arXiv:2503.07199. A
// mechanism with (ε, δ) has (ε', δ) for every larger ε'. So the largest ε at which a right side is
// at most the significance is a lower bound, although it need not grow with ε.

// inTurn is the right side of (2).
func inTurn(g Guesses, eps, delta float64) float64 {
	return tails.BinomialUpper(g.Correct, g.Guessed, tails.Logistic(eps)) + float64(g.Canaries)*delta/(1+math.Exp(eps))
}

// lastRefuted returns an ε at which p is at most the significance, or 0. It is the largest on a
// grid of 1/8 and then to 1e-9. p is above f, which grows with ε.
func lastRefuted(g Guesses, cfg audit.Config, p func(g Guesses, eps, delta float64) float64) float64 {
	const step = 0.125
	significance, last := cfg.Significance(), -1.0
	for eps := 0.0; eps < maxEpsilon && inTurn(g, eps, 0) <= significance; eps += step {
		if p(g, eps, cfg.Delta) <= significance {
			last = eps
		}
	}
	if last < 0 {
		return 0
	}
	eps, _ := tails.LastBelow(func(eps float64) float64 { return p(g, eps, cfg.Delta) }, significance, last, last+step, 1e-9)
	return eps
}
