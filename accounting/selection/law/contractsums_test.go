package law_test

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
)

// mostRuns is the last K of sums over the chances.
const mostRuns = 4000

// Tolerance of a sum over 4000 chances, each the exponential of some ln Γ with an error of 1e-13.
const tolerance = 1e-11

// sums compares the results of a law with their definitions, sums over its chances.
func sums(l law.Law, _ size) (faults []error) {
	d := l.Distribution()
	weights, total := chances(d)
	if !(math.Abs(total-1) <= tolerance) {
		return []error{fmt.Errorf("the chances of K = 0 to %d sum to %.15g: must be 1", mostRuns, total)}
	}
	compare := func(name string, got, want, slack float64) {
		if got != want && !(math.Abs(got-want) <= slack*math.Abs(want)) {
			faults = append(faults, fmt.Errorf("%s = %.15g, want %.15g, the sum over the chances", name, got, want))
		}
	}
	sum := func(f func(k float64) float64) (s float64) {
		for k, w := range weights {
			if w > 0 {
				s += w * f(float64(k))
			}
		}
		return s
	}
	mean := sum(func(k float64) float64 { return k })
	compare("Mean", d.Mean(), mean, tolerance)
	compare("PGF(1)", d.PGF(1), total, tolerance)
	compare("ExpectedQuantile", d.ExpectedQuantile(), 1-sum(func(k float64) float64 { return 1 / (k + 1) }), tolerance)
	near := d.Derivatives()
	for _, p := range []float64{1e-9, 1e-3, 0.15, 0.2, 0.9} {
		logX := math.Log1p(-p)
		power := func(n float64) float64 { return math.Exp(n * logX) }
		first := sum(func(k float64) float64 { return k * power(k-1) })
		second := sum(func(k float64) float64 { return k * (k - 1) * power(k-2) })
		compare(fmt.Sprintf("PGF(1-%g)", p), d.PGF(1-p), sum(power), tolerance)
		compare(fmt.Sprintf("SuccessProbability(%g)", p), d.SuccessProbability(p), sum(func(k float64) float64 { return -math.Expm1(k * logX) }), tolerance)
		compare(fmt.Sprintf("f'(1-%g)", p), math.Exp(d.LogPGFDerivative(1-p)), first, tolerance)
		compare(fmt.Sprintf("Derivatives.First(%g)", p), math.Exp(near.First(p)), first, tolerance+near.Slack)
		compare(fmt.Sprintf("Derivatives.Second(%g)", p), math.Exp(near.Second(p)), second, tolerance+near.Slack)
	}
	compare("f'(1)", math.Exp(d.LogPGFDerivative(1)), mean, tolerance)
	return faults
}

// chances returns P[K = k] for k from 0 to mostRuns, and their sum.
func chances(d law.Distribution) (weights []float64, total float64) {
	weights = make([]float64, mostRuns+1)
	for k := range weights {
		weights[k] = math.Exp(d.LogPMF(k))
		total += weights[k]
	}
	return weights, total
}
