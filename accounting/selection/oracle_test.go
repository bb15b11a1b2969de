package selection_test

import (
	"math"

	"github.com/dplab/dplab/accounting/selection"
)

// normalCDF returns Φ(x).
func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// rise returns f(1-a) - f(1-b) for 0 <= a <= b <= 1, with the chances 1-a and 1-b given
// too: the smaller of f and 1-f has the digits.
func rise(law selection.Distribution, a, b, oneMinusA, oneMinusB float64) float64 {
	if law.SuccessProbability(a) < 0.5 {
		return law.SuccessProbability(b) - law.SuccessProbability(a)
	}
	return law.PGF(oneMinusA) - law.PGF(oneMinusB)
}

// adversarialDelta is a lower bound on the worst δ at ε over all orders of the outputs of
// N(0,1) against N(µ,1): outputs with the smallest likelihood ratio (below a) are ranked
// best, those with the largest (above c) next, and the event is the latter.
func adversarialDelta(law selection.Law, mu, epsilon float64) float64 {
	runs := law.Distribution()
	value := func(a, c float64) float64 {
		top, topPrime := normalCDF(a-mu), normalCDF(a) // under N(µ,1) and under N(0,1)
		next, nextPrime := normalCDF(mu-c), normalCDF(-c)
		middle, middlePrime := 1-top-next, 1-topPrime-nextPrime
		return rise(runs, top, top+next, 1-top, middle) - math.Exp(epsilon)*rise(runs, topPrime, topPrime+nextPrime, 1-topPrime, middlePrime)
	}
	return maximize(-8, 4, 60, func(a float64) float64 {
		return maximize(a, 12, 60, func(c float64) float64 { return value(a, c) })
	})
}

// maximize returns the largest value of f that a grid and a golden-section search see.
func maximize(lo, hi float64, cells int, f func(float64) float64) float64 {
	h := (hi - lo) / float64(cells)
	best, at := f(lo), lo
	for i := 1; i <= cells; i++ {
		x := lo + float64(i)*h
		if v := f(x); v > best {
			best, at = v, x
		}
	}
	a, b := at-h, at+h
	for range 40 {
		left, right := b-0.6180339887498949*(b-a), a+0.6180339887498949*(b-a)
		fl, fr := f(left), f(right)
		best = math.Max(best, math.Max(fl, fr))
		if fl > fr {
			b = right
		} else {
			a = left
		}
	}
	return best
}

// discrete is a pair of distributions on a few outputs, from the worst to the best.
type discrete struct{ p, q []float64 }

// best returns the distributions of the best of K runs; K = 0 is an output of its own.
func (d discrete) best(law selection.Law) discrete {
	return discrete{bestOf(law, d.p), bestOf(law, d.q)}
}

func bestOf(law selection.Law, p []float64) []float64 {
	below := make([]float64, len(p)+1)
	for i, w := range p {
		below[i+1] = math.Min(1, below[i]+w)
	}
	runs := law.Distribution()
	out := []float64{math.Exp(runs.LogPMF(0))}
	above := 0.0
	for i := len(p) - 1; i >= 0; i-- {
		out = append(out, rise(runs, above, math.Min(1, above+p[i]), below[i+1], below[i]))
		above += p[i]
	}
	return out
}

// divergence returns the larger Rényi divergence of the two directions.
func (d discrete) divergence(order float64) float64 {
	return math.Max(renyi(d.p, d.q, order), renyi(d.q, d.p, order))
}

func renyi(p, q []float64, order float64) float64 {
	// log Σ q ((p/q)^α - 1 - α(p/q - 1)), which does not cancel, plus log1p.
	sum := 0.0
	for i := range p {
		if p[i] == 0 && q[i] == 0 {
			continue
		}
		x := math.Log(p[i] / q[i])
		sum += q[i] * (math.Expm1(order*x) - order*math.Expm1(x))
	}
	return math.Log1p(math.Max(0, sum)) / (order - 1)
}

// delta returns the larger δ at ε of the two directions.
func (d discrete) delta(epsilon float64) float64 {
	var forth, back float64
	for i := range d.p {
		forth += math.Max(0, d.p[i]-math.Exp(epsilon)*d.q[i])
		back += math.Max(0, d.q[i]-math.Exp(epsilon)*d.p[i])
	}
	return math.Min(1, math.Max(forth, back))
}

// base returns what is known of one run: its exact divergence and profile.
func (d discrete) base() selection.Base {
	return selection.Base{
		Name:     "discrete pair",
		Curve:    d.divergence,
		Profiles: []selection.Profile{{Name: "exact", DeltaAt: d.delta}},
	}
}
