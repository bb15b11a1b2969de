package selected

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/certificate/laws"
	"github.com/dplab/dplab/accounting/interval"
)

// PostProcessed checks a bound that is a given ε at the δ of the question, of a mechanism that
// reveals no less.
func PostProcessed(given, delta float64) Check {
	return func(epsilon, _ float64) (float64, int) {
		if epsilon >= given {
			return delta, 1
		}
		return 1, 1
	}
}

// Mixture checks Lemma 20 of Papernot and Steinke (2022) with pure runs. A run is (ε0, δ0)-private,
// so it is a mixture of an ε0-private run and a failure of chance δ0:
//
//	δ <= 1 - f(1-δ0)  from  ε = ε0 + max ln f'((1-δ0)q)/f'((1-δ0)q')  on
//
// over the ranks q and q' of ε0-private runs, and from ε = n ε0 on if K <= n.
func Mixture(law Law, pure, failure float64) Check {
	d := interval.Of(failure)
	kept := one.Sub(d)
	at := func(p I) I { return d.Add(kept.Mul(p)) }
	tilted := Law{
		First:  func(p I) I { return law.First(at(p)) },
		Second: func(p I) I { return law.Second(at(p)).Mul(kept) },
	}
	if law.Log != nil {
		tilted.Log = &laws.Logs{
			First: func(p I) I { return law.Log.First(at(p)) },
			Rate:  func(p I) I { return law.Log.Rate(at(p)).Mul(kept) },
		}
	}
	run := NewRun([]Known{{pure, 0}})
	weights := map[float64]weight{}
	return func(epsilon, slack float64) (float64, int) {
		if !(failure >= 0 && failure < 1) {
			return 1, 0
		}
		w, known := weights[slack]
		if !known {
			w = weight{0, 1} // without a difference between the data sets
			if pure > 0 {
				w = largestWeight(tilted, run, math.Inf(1), slack*1e-3)
			}
			weights[slack] = w
		}
		all := interval.Of(pure).Mul(interval.Of(law.Most))
		if ifAtLeast(epsilon, all) > 0 && ifAtLeast(epsilon, interval.Of(pure).Add(interval.Of(w.log))) > 0 {
			return 1, w.work
		}
		return law.Some(d).Hi, w.work
	}
}

// Published checks the average, over K, of the cost of publishing all runs:
//
//	δ <= Σ_{k<=most} P[K=k] δ_k + P[K > most]
//
// given returns δ_k of k runs at ε.
func Published(law Law, most int, given func(count int, epsilon float64) float64) Check {
	chances := law.Chances(most)
	return func(epsilon, _ float64) (float64, int) {
		var sum, total I
		for k, p := range chances {
			total = total.Add(p)
			if k > 0 && p.Hi > 0 {
				sum = sum.Add(p.Mul(interval.Of(given(k, epsilon))))
			}
		}
		return sum.Add(one.Sub(total).Positive()).Hi, len(chances)
	}
}
