// Package enumerate has runs with a few outputs, whose divergences are sums. Tests compare bounds
// with them.
package enumerate

import (
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Rise returns f(1-a) - f(1-b) for 0 <= a <= b <= 1. The chances 1-a and 1-b are arguments too: the
// smaller of f and 1-f has the digits.
func Rise(runs law.Distribution, a, b, oneMinusA, oneMinusB float64) float64 {
	if runs.SuccessProbability(a) < 0.5 {
		return runs.SuccessProbability(b) - runs.SuccessProbability(a)
	}
	return runs.PGF(oneMinusA) - runs.PGF(oneMinusB)
}

// Pair is a pair of distributions on a few outputs, from the worst to the best.
type Pair struct{ P, Q []float64 }

// Of returns the pair of two distributions.
func Of(p, q []float64) Pair { return Pair{p, q} }

// Best returns the distributions of the best of K runs. K = 0 is one more output.
func (d Pair) Best(k law.Law) Pair {
	return Pair{BestOf(k, d.P), BestOf(k, d.Q)}
}

// BestOf is Best for one of the two distributions.
func BestOf(k law.Law, p []float64) []float64 {
	below := make([]float64, len(p)+1)
	for i, w := range p {
		below[i+1] = math.Min(1, below[i]+w)
	}
	runs := k.Distribution()
	out := []float64{math.Exp(runs.LogPMF(0))}
	above := 0.0
	for i := len(p) - 1; i >= 0; i-- {
		out = append(out, Rise(runs, above, math.Min(1, above+p[i]), below[i+1], below[i]))
		above += p[i]
	}
	return out
}

// Product returns the pair of releasing both.
func Product(a, b Pair) (both Pair) {
	for i := range a.P {
		for j := range b.P {
			both.P, both.Q = append(both.P, a.P[i]*b.P[j]), append(both.Q, a.Q[i]*b.Q[j])
		}
	}
	return both
}

// Divergence returns the larger Rényi divergence of the two directions.
func (d Pair) Divergence(order float64) float64 {
	return math.Max(Renyi(d.P, d.Q, order), Renyi(d.Q, d.P, order))
}

// Renyi returns D_order(p‖q), in nats.
func Renyi(p, q []float64, order float64) float64 {
	// log Σ q ((p/q)^α - 1 - α(p/q - 1)), without cancellation, and log1p of it.
	sum, largest := 0.0, math.Inf(-1)
	for i := range p {
		if p[i] == 0 && q[i] == 0 {
			continue
		}
		x := numeric.Log(p[i] / q[i])
		largest = math.Max(largest, numeric.Log(q[i])+order*x)
		sum += q[i] * (math.Expm1(order*x) - order*math.Expm1(x))
	}
	if largest > 600 { // the sum may overflow; nothing cancels in log Σ q (p/q)^α
		sum = 0
		for i := range p {
			if p[i] > 0 {
				sum += math.Exp(numeric.Log(q[i]) + order*numeric.Log(p[i]/q[i]) - largest)
			}
		}
		return (largest + numeric.Log(sum)) / (order - 1)
	}
	return math.Log1p(math.Max(0, sum)) / (order - 1)
}

// Delta returns the larger δ at ε of the two directions.
func (d Pair) Delta(epsilon float64) float64 {
	var forth, back float64
	for i := range d.P {
		forth += math.Max(0, d.P[i]-math.Exp(epsilon)*d.Q[i])
		back += math.Max(0, d.Q[i]-math.Exp(epsilon)*d.P[i])
	}
	return math.Min(1, math.Max(forth, back))
}

// DrawnPair draws two distributions on n outputs of widely different masses. spread sets how far
// apart the two are.
func DrawnPair(rng *rand.Rand, n int, spread float64) Pair {
	p, q := make([]float64, n), make([]float64, n)
	for i := range n {
		p[i] = math.Exp(4 * rng.NormFloat64())
		q[i] = p[i] * math.Exp(spread*rng.NormFloat64())
	}
	return Pair{Normalized(p), Normalized(q)}
}

// Normalized divides p by its sum, in place.
func Normalized(p []float64) []float64 {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// Mixed returns (1-q)a + qb.
func Mixed(rate float64, a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = (1-rate)*a[i] + rate*b[i]
	}
	return out
}
