package koskela2023

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
)

// countAbove returns at how many points a lies above b by more than rounding.
func countAbove(a, b []float64) (n int) {
	for i := range a {
		if a[i] > b[i]*(1+1e-9) {
			n++
		}
	}
	return n
}

func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

// below says by how much ratios lie below 1.
func below(ratios []float64) string {
	least, most := 1-slices.Max(ratios), 1-slices.Min(ratios)
	if least >= 0 {
		return fmt.Sprintf("%s to %s below", percent(least), percent(most))
	}
	return fmt.Sprintf("between %s above and %s below", percent(-least), percent(most))
}

func percent(x float64) string {
	return chart.Format(chart.Round(100*x, 2), 0) + " %"
}

// short writes x with three digits.
func short(x float64) string { return chart.Format(chart.Round(x, 3), 0) }

// epsilonAt is the label of an axis.
func epsilonAt(delta float64) string { return "ε at δ = " + chart.Scientific(delta) }
