package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// compositionBounds price the most runs that there may be as if all of them were published, of
// which the best of fewer is a post-processing. They are asked for a fixed number, and for a few
// runs that are not many times their mean: beyond, other bounds are less.
func compositionBounds(k law.Distribution, base baserun.Run, delta float64) ([]accounting.Bound, error) {
	most, bounded := k.MostRuns()
	_, fixed := k.Law().(law.Fixed)
	if !bounded || !fixed && (most > fewRuns || float64(most) > composedOverMean*k.Mean()) {
		return nil, nil
	}
	if most == 0 || base.Composed == nil && base.Curve == nil && most > 1 {
		return nil, nil // no run; or a baserun.Run made by hand of which only a profile is known
	}
	composed, err := base.Composition(most)
	if err != nil && !fixed {
		return nil, nil // the law has other bounds
	}
	if err != nil {
		return nil, err
	}
	var bounds []accounting.Bound
	for _, s := range composed.Sources() {
		bounds = append(bounds, accounting.Bound{
			Name:      "composition, " + s.Name,
			Theorem:   fmt.Sprintf("composition of %d runs, of which the best is a post-processing", most),
			Method:    fmt.Sprintf("composition of %d runs by %s", most, s.Name),
			Epsilon:   s.EpsilonAt(delta),
			Published: true,
		})
	}
	return bounds, nil
}

// fewRuns is how many runs there may be, where their number is random, and composedOverMean how
// many times their mean.
const fewRuns, composedOverMean = 10, 4

// maxPublishedRuns is how far the tail of a law may reach for publishedRunsBounds. Beyond
// it the bound is never the least: its ε grows like the square root of K.
const maxPublishedRuns = 200

// publishedRunsBounds average, over K, the cost of publishing all K runs:
//
//	δ_A(ε) <= Σ_k P[K=k] δ_k(ε) + P[K > n],  δ_k the profile of k runs
//
// K does not depend on the data, and δ is convex in the pair of distributions. The bound
// holds also if K becomes known. n is the least with P[K > n] <= δ/1000.
func publishedRunsBounds(k law.Distribution, base baserun.Run, delta float64) ([]accounting.Bound, error) {
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
	return []accounting.Bound{{
		Name:      "published runs, " + name,
		Theorem:   "composition of K runs, averaged over K by the convexity of the privacy profile",
		Method:    fmt.Sprintf("cost of publishing all K runs by %s, averaged over K; holds also if K is known", name),
		Epsilon:   epsilon,
		Published: true,
	}}, nil
}

// weightsUpTo returns P[K=k] for k = 0..n and an upper bound on P[K>n], for the least
// n <= limit with a tail of at most enough.
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
