package selection

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// tailAbove returns an upper bound on P[K > most]. Where the ratio of successive chances is
// known not to exceed r < 1 beyond most, it is P[K = most+1]/(1-r), which keeps its digits.
func tailAbove(law Distribution, most int) float64 {
	logP := law.LogPMF
	if last, ok := lastRun(law); ok && last-most <= maxTerms {
		sum := 0.0
		for k := last; k > most; k-- {
			sum += math.Exp(logP(k))
		}
		return math.Min(1, sum*(1+numeric.ChanceRounding(last)))
	}
	sum := 0.0
	for k := 0; k <= most; k++ {
		sum += math.Exp(logP(k))
	}
	// Rounding of the sum and of ln Γ in the chances.
	tail := math.Min(1, math.Max(0, 1-sum)+1e-13*float64(most+1))
	if r := chanceRatio(law, most+1); r < 1 {
		tail = math.Min(tail, math.Exp(logP(most+1))/(1-r)*(1+numeric.ChanceRounding(most+1)))
	}
	return tail
}

// runsAbove returns an upper bound on E[K; K > most], the mean number of runs in the tail.
func runsAbove(law Distribution, most int) float64 {
	logP, sum := law.LogPMF, 0.0
	for k := 0; k <= most; k++ {
		sum += float64(k) * math.Exp(logP(k))
	}
	mean := law.Mean()
	tail := math.Min(mean, math.Max(0, mean-sum)+1e-13*float64(most+1)*(1+mean))
	k := float64(most + 1)
	if r := chanceRatio(law, most+1) * (k + 1) / k; r < 1 {
		tail = math.Min(tail, k*math.Exp(logP(most+1))/(1-r)*(1+numeric.ChanceRounding(most+1)))
	}
	return tail
}

// chanceRatio bounds P[K = j+1]/P[K = j] over all j >= k; +Inf if nothing is known.
//
//	TNB       (1-γ)(j+η)/(j+1), which falls with j for η > 1 and else stays below 1-γ
//	Poisson   µ/(j+1)
func chanceRatio(law Distribution, k int) float64 {
	j := float64(k)
	switch l := law.(type) {
	case TNB:
		return (1 - l.Gamma) * math.Max(1, (j+l.Eta)/(j+1))
	case Poisson:
		return l.MeanRepeats / (j + 1)
	}
	return math.Inf(1)
}

// lastRun returns the largest K of a law that has one, and is known to.
func lastRun(law Distribution) (last int, ok bool) {
	switch l := law.(type) {
	case Fixed:
		return l.Count, true
	case Binomial:
		return l.Trials, true
	case *tabledTwoPoint:
		return l.Runs, true
	case *list:
		return len(l.weights) - 1, true
	}
	return 0, false
}

// TailAbove returns an upper bound on P[K > most] without summing chances, for limits of any size:
// the chance of most+1 runs over 1 - r where the ratio of successive chances is known not to
// exceed r < 1, and Markov's E[K]/(most+1). The law must be valid.
func TailAbove(law Law, most int) float64 {
	d := law.Distribution()
	if last, ok := lastRun(d); ok && last <= most {
		return 0
	}
	tail := math.Min(1, d.Mean()/(float64(most)+1)*(1+1e-9))
	if r := chanceRatio(d, most+1); r < 1 {
		tail = math.Min(tail, math.Exp(d.LogPMF(most+1))/(1-r)*(1+numeric.ChanceRounding(most+1)))
	}
	return tail
}
