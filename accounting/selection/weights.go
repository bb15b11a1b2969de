package selection

import (
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/numeric"
)

// weights are the chances of K = 0, 1, ..., with sum 1.
type weights []float64

func (w weights) mean() float64 {
	sum := 0.0
	for k, p := range w {
		sum += float64(k) * p
	}
	return sum
}

func (w weights) logPMF(k int) float64 {
	if k < 0 || k >= len(w) {
		return math.Inf(-1)
	}
	return math.Log(w[k])
}

func (w weights) pgf(x float64) float64 {
	sum := 0.0
	for k := len(w) - 1; k >= 0; k-- {
		sum = sum*x + w[k]
	}
	return math.Min(1, sum)
}

// success returns Σ w_k (1 - (1-p)^k), term by term for the digits of a small p.
func (w weights) success(p float64) float64 {
	logFailure := math.Log1p(-p)
	sum := 0.0
	for k, weight := range w {
		if k > 0 && weight > 0 {
			sum -= weight * math.Expm1(float64(k)*logFailure)
		}
	}
	return math.Min(1, sum)
}

func (w weights) quantile() float64 {
	sum := 1.0
	for k, p := range w {
		sum -= p / float64(k+1)
	}
	return sum
}

// logDerivative returns ln f'(x) at ln x <= 0.
func (w weights) logDerivative(logX float64) float64 {
	return w.derivativeFrom(w.first(), w.mean(), logX)
}

// first is the least k >= 1 with a weight.
func (w weights) first() int {
	k := 1
	for w[k] == 0 {
		k++
	}
	return k
}

// derivativeFrom is logDerivative with first and mean given. The power of first is kept as
// a logarithm, so that nothing underflows; terms that can no longer matter are left out.
func (w weights) derivativeFrom(first int, mean, logX float64) float64 {
	x := math.Exp(logX)
	sum, power := 0.0, 1.0
	for k := first; k < len(w); k++ {
		sum += float64(k) * w[k] * power
		if power *= x; power*mean <= 1e-18*sum {
			break
		}
	}
	return times(first-1, logX) + math.Log(sum)
}

func (w weights) rand(rng *rand.Rand) int {
	u := uniformOpen(rng)
	last := 0
	for k, p := range w {
		if p > 0 {
			last = k
		}
		if u -= p; u < 0 {
			return k
		}
	}
	return last
}

// degree is the largest k with a weight.
func (w weights) degree() int {
	k := len(w) - 1
	for w[k] == 0 {
		k--
	}
	return k
}

func (w weights) table() *derivative {
	first, mean, degree := w.first(), w.mean(), w.degree()
	return newDerivative(func(logX float64) float64 { return w.derivativeFrom(first, mean, logX) }, float64(degree), 2*numeric.ChanceRounding(degree)) // of chances and their sum
}

// normalized returns the weights, divided by their sum.
func (w weights) normalized() weights {
	sum := 0.0
	for _, p := range w {
		sum += p
	}
	out := make(weights, len(w))
	for k, p := range w {
		out[k] = p / sum
	}
	return out
}

// chances returns P[K = k] for k = 0..most.
func chances(law Distribution, most int) weights {
	w := make(weights, most+1)
	for k := range w {
		w[k] = math.Exp(law.LogPMF(k))
	}
	return w
}
