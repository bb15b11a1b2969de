package koskela2023

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
)

// Findings says, for each mean number of runs, where the paper's bounds cross, what ours
// take off, and where tuning on a sample costs less than tuning on all data.
func (r Figure1Result) Findings() []string {
	c := r.Config
	found := []string{fmt.Sprintf("One training (γ = %g, σ = %g, T = %d) costs ε = %.3f at δ = %s by the paper's method, %.3f by the least bound known.",
		c.SamplingRate, c.NoiseMultiplier, c.Steps, r.Base, chart.Scientific(c.Delta), r.Least)}
	if len(r.checked) == 0 {
		found = append(found, "This is not the run of the paper's Figure 1: its values are not set beside these.")
	}
	for _, curves := range r.Curves {
		found = append(found, r.order(curves), r.gain(curves), r.againstBaseline(curves), leastMethods(curves))
	}
	return found
}

// order is about the two variants.
func (r Figure1Result) order(c TuningCurves) string {
	qs := r.Config.TuningRates
	said := fmt.Sprintf("µ = %g: the paper's bounds of the two variants do not cross for q from %s to %s", c.MeanRepeats, short(qs[0]), short(qs[len(qs)-1]))
	if len(c.Crossings) > 0 {
		said = fmt.Sprintf("µ = %g: the paper's bounds of the two variants cross at q = %s", c.MeanRepeats, crossingText(c.Crossings))
	}
	if n := countAbove(c.Variant1, c.Variant2); n > 0 {
		excess, at := largest(ratios(c.Variant1, c.Variant2))
		said += fmt.Sprintf("; variant 1's is the larger %s, by %s at the most (q = %s). ", r.countText(n), percent(excess-1), short(qs[at]))
	} else {
		said += "; variant 1's is nowhere the larger. "
	}
	if n := countAbove(c.Variant1Least, c.Variant2Least); n > 0 {
		return said + fmt.Sprintf("Ours of variant 1 is the larger %s.", r.countText(n))
	}
	return said + "Ours of variant 1 is nowhere the larger."
}

// gain is about our bounds and the paper's.
func (r Figure1Result) gain(c TuningCurves) string {
	return fmt.Sprintf("µ = %g: our bound of variant 1 is %s the paper's, of variant 2 %s.", c.MeanRepeats,
		below(ratios(c.Variant1Least, c.Variant1)), below(ratios(c.Variant2Least, c.Variant2)))
}

// againstBaseline is about tuning on a sample and on all data.
func (r Figure1Result) againstBaseline(c TuningCurves) string {
	cheaper := func(ys []float64, baseline float64) string {
		switch n := countAbove(slices.Repeat([]float64{baseline}, len(ys)), ys); n {
		case len(ys):
			return "at every q"
		case 0:
			return "at no q"
		default:
			return r.countText(n)
		}
	}
	return fmt.Sprintf("µ = %g: by the paper's bounds variant 1 costs less than tuning on all data (%.3f) %s, variant 2 %s; by ours (%.3f) variant 1 %s, variant 2 %s.",
		c.MeanRepeats, c.Baseline, cheaper(c.Variant1, c.Baseline), cheaper(c.Variant2, c.Baseline),
		c.BaselineLeast, cheaper(c.Variant1Least, c.BaselineLeast), cheaper(c.Variant2Least, c.BaselineLeast))
}

// leastMethods counts which of our bounds is the least.
func leastMethods(c TuningCurves) string {
	return fmt.Sprintf("µ = %g: our least bound of variant 1 is %s; of variant 2 %s.", c.MeanRepeats, counted(c.Variant1Method), counted(c.Variant2Method))
}

func counted(names []string) string {
	count := map[string]int{}
	for _, name := range names {
		count[name]++
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("“%s” at %d q", name, count[name]))
	}
	return strings.Join(parts, ", ")
}

func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

func largest(xs []float64) (x float64, at int) {
	x = slices.Max(xs)
	return x, slices.Index(xs, x)
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
