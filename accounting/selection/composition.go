package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// compositionBounds price a fixed number of runs as if all of them were published, of
// which the best is a post-processing.
func compositionBounds(k law.Distribution, base Base, delta float64) ([]Bound, error) {
	fixed, ok := k.Law().(law.Fixed)
	if !ok {
		return nil, nil
	}
	if base.Composed == nil && base.Curve == nil && fixed.Count > 1 {
		return nil, nil // a Base made by hand of which a profile alone is known
	}
	composed, err := base.composed(fixed.Count)
	if err != nil {
		return nil, err
	}
	var bounds []Bound
	for _, s := range composed.sources() {
		bounds = append(bounds, Bound{
			Name:      "composition, " + s.name,
			Theorem:   fmt.Sprintf("composition of %d runs, of which the best is a post-processing", fixed.Count),
			Method:    fmt.Sprintf("composition of %d runs by %s", fixed.Count, s.name),
			Epsilon:   s.epsilonAt(delta),
			Published: true,
		})
	}
	return bounds, nil
}

// maxPublishedRuns is how far the tail of a law may reach for publishedRunsBounds. Beyond
// it the bound is never the least: its ε grows like the square root of K.
const maxPublishedRuns = 200

// publishedRunsBounds average, over K, the cost of publishing all K runs:
//
//	δ_A(ε) <= Σ_k P[K=k] δ_k(ε) + P[K > n],  δ_k the profile of k runs
//
// K does not depend on the data, and δ is convex in the pair of distributions. The bound
// holds also if K becomes known. n is the least with P[K > n] <= δ/1000.
func publishedRunsBounds(k law.Distribution, base Base, delta float64) ([]Bound, error) {
	if _, ok := k.Law().(law.Fixed); ok {
		return nil, nil
	}
	weights, tail := weightsUpTo(k, maxPublishedRuns, delta/1000)
	if tail > delta/1000 {
		return nil, nil
	}
	family, name := base.composedDelta()
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
	return []Bound{{
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

// composedDelta returns an upper bound on δ at ε of count published runs, by a method
// that is quick enough to ask thousands of times, and its name.
func (b Base) composedDelta() (delta func(count int, epsilon float64) float64, name string) {
	if b.mu > 0 {
		return func(count int, epsilon float64) float64 {
			return gaussianProfile(b.mu * math.Sqrt(float64(count))).DeltaAt(epsilon)
		}, "exact Gaussian"
	}
	if b.Curve == nil {
		return nil, ""
	}
	table := newOrderTable(b.Curve)
	return func(count int, epsilon float64) float64 { return table.scaled(count).delta(epsilon) }, "RDP"
}
