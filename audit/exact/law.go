package exact

import (
	"math"
	"sort"
)

// Law is the exact law of θ after a number of steps, in both worlds. It comes from
// [Process.Laws] or [Coordinate.Law].
type Law struct {
	process Process
	steps   int
	center  float64 // h, half of the canary's shift
	// Without the canary u = θ - h is a mixture of Gaussians of one standard deviation. The
	// mirror image at 0 is the law with it.
	halves [2]half
	stdDev float64
	// A probability is within relErr of itself plus absErr of the mixture's.
	relErr, absErr float64
	reach          float64 // |u| is beyond it with probability below absErr
}

// half is the components from one side of the threshold, by growing mean.
type half struct {
	means, weights []float64
	below, from    []float64 // sums of the weights before, and from, each component
}

func newHalf(means, weights []float64) half {
	n := len(means)
	h := half{means: means, weights: weights, below: make([]float64, n+1), from: make([]float64, n+1)}
	for i, w := range weights {
		h.below[i+1] = h.below[i] + w
	}
	for i := n - 1; i >= 0; i-- {
		h.from[i] = h.from[i+1] + weights[i]
	}
	return h
}

// near returns the range of components with means within radius of x.
func (h half) near(x, radius float64) (first, after int) {
	return sort.SearchFloat64s(h.means, x-radius), sort.SearchFloat64s(h.means, x+radius)
}

// Steps returns the number of steps.
func (l Law) Steps() int { return l.steps }

// Process returns the process that has this law; the zero Process for that of a [Coordinate].
func (l Law) Process() Process { return l.process }

// Density returns the density of θ, per unit of C for a Process and of ηC/B for a Coordinate.
func (l Law) Density(canary bool, theta float64) float64 {
	u := theta - l.center
	if canary {
		u = -u
	}
	return l.density(u)
}

func (l Law) density(u float64) float64 {
	sum := 0.0
	for _, h := range l.halves {
		first, after := h.near(u, band*l.stdDev)
		for i := first; i < after; i++ {
			z := (u - h.means[i]) / l.stdDev
			sum += h.weights[i] * math.Exp(-z*z/2)
		}
	}
	return sum / (math.Sqrt(2*math.Pi) * l.stdDev)
}

// above returns P[u > x] without the canary, which is P[u < -x] with it.
func (l Law) above(x float64) float64 {
	sum := 0.0
	for _, h := range l.halves {
		first, after := h.near(x, band*l.stdDev)
		sum += h.from[after]
		for i := first; i < after; i++ {
			sum += h.weights[i] * math.Erfc((x-h.means[i])/(l.stdDev*math.Sqrt2)) / 2
		}
	}
	return sum
}

// under returns P[u < x] without the canary, which is P[u > -x] with it.
func (l Law) under(x float64) float64 {
	sum := 0.0
	for _, h := range l.halves {
		first, after := h.near(x, band*l.stdDev)
		sum += h.below[first]
		for i := first; i < after; i++ {
			sum += h.weights[i] * math.Erfc((h.means[i]-x)/(l.stdDev*math.Sqrt2)) / 2
		}
	}
	return sum
}

// Rates returns the false and the true positive rate of the test that calls θ > threshold a member:
// [lower, upper] of each.
func (l Law) Rates(threshold float64) (fpr, tpr [2]float64) {
	u := threshold - l.center
	return l.bounds(l.above(u)), l.bounds(l.under(-u))
}

// bounds widens a probability of the mixture by the error of the law's.
func (l Law) bounds(p float64) [2]float64 {
	return [2]float64{math.Max(0, p*(1-l.relErr)-l.absErr), math.Min(1, p*(1+l.relErr)+l.absErr)}
}

// monotone reports whether the likelihood ratio grows with θ; see crossing.
func (l Law) monotone() bool { return l.steps == 1 || l.process.Drift != Toward }
