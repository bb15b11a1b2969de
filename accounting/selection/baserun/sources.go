package baserun

import (
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
)

// LeastDelta returns the least δ at ε of all fast sources.
func (b Run) LeastDelta() func(epsilon float64) float64 {
	sources := b.FastSources()
	return func(epsilon float64) float64 {
		delta := 1.0
		for _, s := range sources {
			delta = math.Min(delta, s.DeltaAt(epsilon))
		}
		return delta
	}
}

// LogRatio returns the least bound on ln f'(q)/f'(q') over all sources of one run.
func (b Run) LogRatio(k law.Distribution) float64 {
	ratio := math.Inf(1)
	for _, s := range b.Sources() {
		ratio = math.Min(ratio, s.LogWeight(k, math.Inf(1)))
	}
	return ratio
}

// ComposedDelta returns a function that bounds δ at ε of count published runs, and the name of its
// method. The function is fast enough to be called thousands of times. It is nil if none is known.
func (b Run) ComposedDelta() (delta func(count int, epsilon float64) float64, name string) {
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
