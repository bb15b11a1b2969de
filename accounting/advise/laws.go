package advise

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// family is a kind of law with the mean as its one free parameter. The expected quantile grows with
// the mean.
type family struct {
	name string
	of   func(mean float64) (law.Law, error)
}

func tnb(eta float64) func(mean float64) (law.Law, error) {
	return func(mean float64) (law.Law, error) { return law.TNBFromMean(eta, mean) }
}

// families are the kinds of laws that reach every quantile. For η < 0 every quantile is below
// 1/(1-η), at every mean.
var families = []family{
	{"Poisson", func(mean float64) (law.Law, error) { return law.Poisson{MeanRepeats: mean}, nil }},
	{"geometric", tnb(1)},
	{"logarithmic", tnb(0)},
	{"TNB η 0.5", tnb(0.5)},
}

// leastMean is just above 1, the least mean of a truncated law.
const leastMean = 1.001

// reaching returns the law with the least mean that reaches the expected quantile, up to 1e-9 of
// the mean. If none reaches it, the law has the mean most.
func (f family) reaching(quantile, most float64) (law.Law, error) {
	above := numeric.LeastTrue(1e-9, func(x float64) bool {
		l, err := f.of(leastMean + x)
		return err != nil || leastMean+x >= most || l.Distribution().ExpectedQuantile() >= quantile
	})
	return f.of(math.Max(leastMean, math.Min(leastMean+above, most)))
}

// atMost returns the least k with P[K <= k] >= chance; +Inf if it is beyond mostRuns.
func atMost(k law.Distribution, chance float64) float64 {
	total := 0.0
	for n := range mostRuns {
		if total += math.Exp(k.LogPMF(n)); total >= chance {
			return float64(n)
		}
	}
	return math.Inf(1)
}

// mostRuns is the last number of runs in the sum of a tail.
const mostRuns = 20_000_000
