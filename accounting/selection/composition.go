package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// compositionBounds prices the largest possible number of runs, as if all were published. The best
// of fewer runs is a post-processing of that. It prices a fixed number of runs, and a random number
// that is at most fewRuns and composedOverMean times the mean. Above that other bounds are lower.
func compositionBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	composed, most, err := mostRuns(k, base)
	if most == 0 {
		return nil, err
	}
	var bounds []found
	for _, s := range composed.Sources() {
		bounds = append(bounds, found{Bound: accounting.Bound{
			Name:      "composition, " + s.Name,
			Theorem:   fmt.Sprintf("composition of %d runs, as their best is a post-processing", most),
			Method:    fmt.Sprintf("composition of %d runs by %s", most, s.Name),
			Epsilon:   s.EpsilonAt(delta),
			Published: true,
		}, Ask: compositionCheck(composed, s, most, delta)})
	}
	return bounds, nil
}

// mostRuns returns the largest number of runs, all published, or 0 if compositionBounds does not
// price it.
func mostRuns(k law.Distribution, base baserun.Run) (composed baserun.Run, most int, err error) {
	most, bounded := k.MostRuns()
	_, fixed := k.Law().(law.Fixed)
	if !bounded || !fixed && (most > fewRuns || float64(most) > composedOverMean*k.Mean()) {
		return composed, 0, nil
	}
	if most == 0 || base.Composed == nil && base.Curve == nil && most > 1 {
		return composed, 0, nil // no run, or a baserun.Run made by hand with only a profile
	}
	if composed, err = base.Composition(most); err == nil {
		return composed, most, nil
	} else if fixed {
		return composed, 0, err
	}
	return composed, 0, nil // the law has other bounds
}

// fewRuns is the largest random number of runs that is priced by composition. composedOverMean is
// how many times their mean that number may be.
const fewRuns, composedOverMean = 10, 4

// maxPublishedRuns is the largest number of runs that publishedRunsBounds sums over. Above it the
// bound is never the least, as its ε grows like the square root of K.
const maxPublishedRuns = 200

// publishedRunsBounds averages, over K, the cost of publishing all K runs:
//
//	δ_A(ε) <= Σ_k P[K=k] δ_k(ε) + P[K > n],  δ_k the profile of k runs
//
// n is the least with P[K > n] <= δ/1000. The bound holds also if K becomes known.
//
// Proof. K does not depend on the data, and δ is convex in the pair of distributions. ∎
func publishedRunsBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	if _, ok := k.Law().(law.Fixed); ok {
		return nil, nil
	}
	weights, tail := weightsUpTo(k, maxPublishedRuns, delta/1000)
	if tail > delta/1000 {
		return nil, nil
	}
	family, name := base.ComposedDelta()
	if family == nil {
		return nil, nil
	}
	epsilon := numeric.LeastTrue(1e-9, func(epsilon float64) bool {
		total := tail
		for k, w := range weights {
			if k > 0 && w > 0 {
				total += w * family(k, epsilon)
			}
		}
		return total <= delta
	})
	return []found{{Bound: accounting.Bound{
		Name:      "published runs, " + name,
		Theorem:   "composition of K runs, averaged over K by the convexity of the privacy profile",
		Method:    fmt.Sprintf("cost of publishing all K runs by %s, averaged over K; holds also if K is known", name),
		Epsilon:   epsilon,
		Published: true,
	}, Ask: publishedCheck(k, base, len(weights)-1, epsilon)}}, nil
}

// weightsUpTo returns P[K=k] for k = 0..n and an upper bound on P[K>n]. n is the least with a tail
// of at most enough, and at most limit.
func weightsUpTo(runs law.Distribution, limit int, enough float64) (weights []float64, tail float64) {
	sum := 0.0
	for k := 0; k <= limit; k++ {
		w := math.Exp(runs.LogPMF(k))
		weights = append(weights, w)
		sum += w
		// Rounding of the sum and of ln Γ in the weights.
		if tail = math.Max(0, 1-sum) + 1e-13*float64(k+1); tail <= enough {
			return weights, tail
		}
	}
	return weights, tail
}
