package advise

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// family is a kind of law with one parameter left, its mean. The expected quantile grows with it.
type family struct {
	name string
	of   func(mean float64) (law.Law, error)
}

func tnb(eta float64) func(mean float64) (law.Law, error) {
	return func(mean float64) (law.Law, error) { return law.TNBFromMean(eta, mean) }
}

// families are those that reach every quantile: for η < 0 none is above 1/(1-η), whatever the mean.
var families = []family{
	{"Poisson", func(mean float64) (law.Law, error) { return law.Poisson{MeanRepeats: mean}, nil }},
	{"geometric", tnb(1)},
	{"logarithmic", tnb(0)},
	{"TNB η 0.5", tnb(0.5)},
}

// leastMean is just above one run, where a truncated law begins.
const leastMean = 1.001

// reaching returns the law with the least mean that has an expected quantile, up to 1e-9 of the mean, or else the one with the most mean.
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

// mostRuns ends the sum of a tail.
const mostRuns = 20_000_000
