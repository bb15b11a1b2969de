package selection_test

import (
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// normalCDF returns Φ(x).
func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// adversarialDelta is a lower bound on the worst δ at ε over all orders of the outputs of
// N(0,1) against N(µ,1): outputs with the smallest likelihood ratio (below a) are ranked
// best, those with the largest (above c) next, and the event is the latter.
func adversarialDelta(law law.Law, mu, epsilon float64) float64 {
	runs := law.Distribution()
	value := func(a, c float64) float64 {
		top, topPrime := normalCDF(a-mu), normalCDF(a) // under N(µ,1) and under N(0,1)
		next, nextPrime := normalCDF(mu-c), normalCDF(-c)
		middle, middlePrime := 1-top-next, 1-topPrime-nextPrime
		return enumerate.Rise(runs, top, top+next, 1-top, middle) - math.Exp(epsilon)*enumerate.Rise(runs, topPrime, topPrime+nextPrime, 1-topPrime, middlePrime)
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

type discrete = enumerate.Pair

// knownOf returns what is known of one run: its exact divergence and profile.
func knownOf(d discrete) selection.Base {
	return selection.Base{
		Name:     "discrete pair",
		Curve:    d.Divergence,
		Profiles: []selection.Profile{{Name: "exact", DeltaAt: d.Delta}},
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
