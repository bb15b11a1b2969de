package selection

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
)

// TieBreak is the rule that chooses among several runs with the best score.
type TieBreak int

const (
	// TieUniform releases each output of the best score with equal chance, whether a run has drawn
	// it or not. The choice does not depend on the data.
	TieUniform TieBreak = iota
	// TieFirst releases the first run with the best score, as the loop "if better, replace" does.
	// Among outputs of one score, each has its chance in one run, which depends on the data.
	TieFirst
)

// BestOfFinite returns the law of the best of K runs on finitely many outputs. Entry i is the
// chance of output i, which has the chance p[i] in one run and the score scores[i]. The entries add
// up to 1 - P[K = 0].
//
// The outputs of one score share f(q) - f(q'). Here q is the chance of a score at most theirs, and
// q' that of a score below. With one output for each score it is Theorem 2 of Xiang, Wang, Wang,
// arXiv:2402.13087.
//
// Their Theorem 3 and Corollary 1 hold for every law of K. If ties break without the data
// (TieUniform), ranking the tied outputs in any strict order does not lower any Rényi divergence.
// Proof: merging outputs of likelihood ratios r_i gives at most Σ p'_i r_i^α, by convexity of t^α.
// A uniform choice among them adds nothing. ∎
//
// They claim the same for weights "by their own probability mass", TieFirst. That is false, because
// these weights depend on the data too. One score for both outputs of p = (1/2, 1/2), p' = (0.6,
// 0.4) releases a single run, with D_2(p‖p') = ln(25/24) = 0.041. With 100 runs, both strict orders
// give less than 1e-9.
func BestOfFinite(l law.Law, p, scores []float64, ties TieBreak) ([]float64, error) {
	k, err := law.Of(l)
	if err := errors.Join(err, validateFinite(p, scores, ties)); err != nil {
		return nil, err
	}
	out := make([]float64, len(p))
	for i, score := range scores {
		var below, at, above float64
		count := 0.0
		for j, s := range scores {
			switch {
			case s < score:
				below += p[j]
			case s > score:
				above += p[j]
			default:
				at += p[j]
				count++
			}
		}
		share := 1 / count
		if ties == TieFirst {
			share = p[i] / at
		}
		if at > 0 {
			out[i] = share * riseOf(k, below, at, above)
		}
	}
	return out, nil
}

// riseOf returns f(below+at) - f(below). It is computed from 1-f where that is smaller.
func riseOf(k law.Distribution, below, at, above float64) float64 {
	rise := k.PGF(math.Min(1, below+at)) - k.PGF(math.Min(1, below))
	if k.SuccessProbability(math.Min(1, above)) < 0.5 {
		rise = k.SuccessProbability(math.Min(1, above+at)) - k.SuccessProbability(math.Min(1, above))
	}
	return math.Max(0, rise)
}

func validateFinite(p, scores []float64, ties TieBreak) error {
	if len(p) == 0 || len(p) != len(scores) {
		return fmt.Errorf("selection: %d chances and %d scores: must be equally many, at least one", len(p), len(scores))
	}
	if ties != TieUniform && ties != TieFirst {
		return fmt.Errorf("selection: TieBreak(%d): must be TieUniform or TieFirst", int(ties))
	}
	sum := 0.0
	for i := range p {
		if !(p[i] >= 0) {
			return fmt.Errorf("selection: p[%d] %g: must be >= 0", i, p[i])
		}
		if math.IsNaN(scores[i]) {
			return fmt.Errorf("selection: scores[%d] is NaN: must be a number", i)
		}
		sum += p[i]
	}
	if !(math.Abs(sum-1) < 1e-9) {
		return fmt.Errorf("selection: the chances sum to %.12g: must be 1", sum)
	}
	return nil
}
