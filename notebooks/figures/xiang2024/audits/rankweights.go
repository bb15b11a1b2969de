package audits

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/experiments/bank"
)

// releasedWeights returns for each run of a bank the chance that tuning releases it. With ranks r =
// 1, ..., R by increasing score, and f the generating function of K, run r has the weight
//
//	w_r = f(r/R) - f((r-1)/R)
//
// Runs of one score share the weights of their ranks evenly. Weighted in this way, single runs have
// the law of released runs, so no game needs to be played.
//
// Proof. Runs are independent draws from one law P. K is independent of them and at least 1. F(s)
// is the chance that a run has a score of at most s. Given K, the best score is at most s with
// chance F(s)^K, so with chance f(F(s)) on average. A rule that breaks ties without a look at
// anything but the scores picks an index among those of the best score. Given the scores, the runs
// at all indices are independent draws from P given their score. So the released run has the law P
// given its score. Its density with respect to P is therefore
//
//	[f(F(s)) - f(F(s-))] / [F(s) - F(s-)]  at a run of score s, or f'(F(s)) where F is continuous
//
// The theorem is about any P. For P the bank, where each run has chance 1/R, it gives w_r. The rule
// "the first of equals" of game.Tuning and a fair die are such rules, as in Section 2.3 of the
// paper. The score must depend only on the run and on what all runs share. This holds for the
// losses here and for a coordinate.
//
// The bank is not P. The best of K draws from a bank is the best of D runs of P, with D the number
// of distinct draws. Its score is at most that of quantile u with chance E[f(B/R)], B ~ Bin(R, u).
// As f is convex, this is at least f(u), and the excess is of order 1/R. For TNB(0, 0.01) it is at
// most 5.9e-4 at R = 4,600 and 1.2e-2 at R = 230 (TestRankWeightsAreUnbiasedUpToOneOverR).
func releasedWeights(k law.Distribution, scores, counts []float64) []float64 {
	if counts == nil {
		counts = make([]float64, len(scores))
		for i := range counts {
			counts[i] = 1
		}
	}
	var present []int // Winner has no weight 0
	var some, times []float64
	for i, n := range counts {
		if n > 0 {
			present, some, times = append(present, i), append(some, scores[i]), append(times, n)
		}
	}
	weights := make([]float64, len(scores))
	for i, chance := range bank.Winner(k, some, times) {
		weights[present[i]] = chance
	}
	return weights
}

// equivalentGames returns how many games have the power of R runs of each world: 1/Σ w_r², by Kish.
// It tends to R / E[f'(U)²] with U uniform, which is R/4.62 for TNB(0, 0.01):
//
//	f'(u) = (1-γ)/(ln(1/γ) (1-(1-γ)u)),  ∫ f'² = (1-γ)²/(γ ln²(1/γ)) = 4.62
//
// This is the power for a proxy that does not depend on the score. A share p of games then has the
// variance p(1-p)/n, and the weighted share has E[f'(U)²] p(1-p)/R. (The ranks of the bank instead
// of F add nothing: if the proxy has one law at every score, they only move weight between draws of
// that law.) If the proxy is the score, the share of released runs above quantile t is 1 - f(t). By
// the delta method its variance is f'(t)² t(1-t)/R, where games have f(t)(1-f(t))/n. The ratio is
// 0.36 at t = 0.5, and E[K] = 21.5 at t = 1. Bootstrap errors include this.
//
// Reference: Kish (1965), "Survey Sampling", Section 11.7.
func equivalentGames(k law.Distribution, runs int) float64 {
	sum, last := 0.0, k.PGF(0)
	for r := range runs {
		next := k.PGF(float64(r+1) / float64(runs))
		w := next - last
		sum, last = sum+w*w, next
	}
	return 1 / sum
}

// gamesOfRate returns how many games have the power of R runs of each world, for an error rate p:
// the fewest of most, which is equivalentGames, and of
//
//	R p(1-p) / (f'(t)² t(1-t))  at  1 - f(t) = p  and at  f(t) = p
//
// These two are for a proxy that is the score. The first is for the share above a threshold, as
// false positives are, the second for the share below it, as false negatives are. Where the proxy
// falls with the score, the two change places. At p = 0 the first is R/E[K], as few runs then
// decide: if no run of a bank is above a threshold, a share of a few E[K]/R released runs can be.
func gamesOfRate(k law.Distribution, runs int, most, p float64) int {
	games := min(most, gamesAbove(k, runs, p), gamesAbove(k, runs, 1-p))
	return max(1, int(games+1e-3)) // the bisection rounds
}

// gamesAbove is the formula of gamesOfRate at 1 - f(t) = p, or its limit at p = 0 and 1.
func gamesAbove(k law.Distribution, runs int, p float64) float64 {
	switch {
	case p <= 0:
		return float64(runs) / k.Mean()
	case p >= 1:
		return math.Inf(1)
	}
	s := 0.0 // 1-t
	for low, high, i := 0.0, 1.0, 0; i < 60; i++ {
		if s = (low + high) / 2; k.SuccessProbability(s) < p {
			low = s
		} else {
			high = s
		}
	}
	return float64(runs) * p * (1 - p) / (math.Exp(2*k.LogPGFDerivative(1-s)) * s * (1 - s))
}

// The largest weight of one run in a bank that is shown, and in one that bands are shown of. The
// highest rank has 1 - f(1-1/R), which is at most E[K]/R.
const (
	mostWeight     = 0.1
	mostBandWeight = 0.025
)

// leastRuns returns the least R at which E[K]/R is at most a weight.
func leastRuns(k law.Distribution, weight float64) int { return int(math.Ceil(k.Mean() / weight)) }

// bigEnough returns an error, with the runs that would do, for a bank that is too small.
func bigEnough(k law.Distribution, runs int) error {
	least := leastRuns(k, mostWeight)
	if runs >= least {
		return nil
	}
	return fmt.Errorf("xiang2024: a bank of %d runs of each world: must have at least %d, or one run has up to %.0f %% of the weight of %v",
		runs, least, 100*min(1, k.Mean()/float64(max(runs, 1))), k.Law())
}
