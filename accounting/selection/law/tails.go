package law

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// TailAbove returns an upper bound on P[K > most]. If the ratio of successive chances beyond most
// is at most a known r < 1, it is P[K = most+1]/(1-r), which keeps its digits.
func (d Distribution) TailAbove(most int) float64 {
	logP := d.LogPMF
	if last, ok := d.known().lastRun(); ok && last-most <= maxTerms {
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
	if r := d.known().chanceRatio(most + 1); r < 1 {
		tail = math.Min(tail, math.Exp(logP(most+1))/(1-r)*(1+numeric.ChanceRounding(most+1)))
	}
	return tail
}

// RunsAbove returns an upper bound on E[K; K > most], the mean number of runs in the tail.
func (d Distribution) RunsAbove(most int) float64 {
	logP, sum := d.LogPMF, 0.0
	for k := 0; k <= most; k++ {
		sum += float64(k) * math.Exp(logP(k))
	}
	mean := d.Mean()
	tail := math.Min(mean, math.Max(0, mean-sum)+1e-13*float64(most+1)*(1+mean))
	k := float64(most + 1)
	if r := d.known().chanceRatio(most+1) * (k + 1) / k; r < 1 {
		tail = math.Min(tail, k*math.Exp(logP(most+1))/(1-r)*(1+numeric.ChanceRounding(most+1)))
	}
	return tail
}

// TailBound is TailAbove without summing chances, for limits of any size. It is the lesser of P[K =
// most+1]/(1-r), where r < 1 is known as in TailAbove, and Markov's E[K]/(most+1).
func (d Distribution) TailBound(most int) float64 {
	if last, ok := d.known().lastRun(); ok && last <= most {
		return 0
	}
	tail := math.Min(1, d.Mean()/(float64(most)+1)*(1+1e-9))
	if r := d.known().chanceRatio(most + 1); r < 1 {
		tail = math.Min(tail, math.Exp(d.LogPMF(most+1))/(1-r)*(1+numeric.ChanceRounding(most+1)))
	}
	return tail
}
