// Package unproved checks bounds on selections and on tunings that take a part as given, such as a
// pair of laws or an ε of other runs. No proof has a rule for them.
package unproved

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/certificate/laws"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/interval"
)

// Mixture checks Lemma 20 of Papernot and Steinke (2022) with pure runs. A run is (ε0, δ0)-private,
// so it is a mixture of an ε0-private run and a failure of chance δ0:
//
//	δ <= 1 - f(1-δ0)  from  ε = ε0 + max ln f'((1-δ0)q)/f'((1-δ0)q')  on
//
// over the ranks q and q' of ε0-private runs, and from ε = n ε0 on if K <= n.
func Mixture(law selected.Law, pure, failure float64) selected.Check {
	d := interval.Of(failure)
	kept := one.Sub(d)
	at := func(p interval.I) interval.I { return d.Add(kept.Mul(p)) }
	tilted := selected.Law{
		First:  func(p interval.I) interval.I { return law.First(at(p)) },
		Second: func(p interval.I) interval.I { return law.Second(at(p)).Mul(kept) },
	}
	if law.Log != nil {
		tilted.Log = &laws.Logs{
			First: func(p interval.I) interval.I { return law.Log.First(at(p)) },
			Rate:  func(p interval.I) interval.I { return law.Log.Rate(at(p)).Mul(kept) },
		}
	}
	run := selected.NewRun([]selected.Known{{Epsilon: pure}})
	weights := map[float64]selected.Weight{}
	return func(epsilon, slack float64) (float64, int) {
		if !(failure >= 0 && failure < 1) {
			return 1, 0
		}
		w, known := weights[slack]
		if !known {
			w = selected.Weight{Work: 1} // without a difference between the data sets
			if pure > 0 {
				w = selected.LargestWeight(tilted, run, math.Inf(1), slack*1e-3)
			}
			weights[slack] = w
		}
		all := interval.Of(pure).Mul(interval.Of(law.Most))
		if !(epsilon >= all.Hi || epsilon >= interval.Of(pure).Add(interval.Of(w.Log)).Hi) {
			return 1, w.Work
		}
		return law.Some(d).Hi, w.Work
	}
}

// Published checks the average, over K, of the cost of publishing all runs:
//
//	δ <= Σ_{k<=most} P[K=k] δ_k + P[K > most]
//
// given returns δ_k of k runs at ε.
func Published(law selected.Law, most int, given func(count int, epsilon float64) float64) selected.Check {
	chances := law.Chances(most)
	return func(epsilon, _ float64) (float64, int) {
		var sum, total interval.I
		for k, p := range chances {
			total = total.Add(p)
			if k > 0 && p.Hi > 0 {
				sum = sum.Add(p.Mul(interval.Of(given(k, epsilon))))
			}
		}
		return sum.Add(one.Sub(total).Positive()).Hi, len(chances)
	}
}
