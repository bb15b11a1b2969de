package xiang2024

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// gap is ε_U - ε_L of a law at the smallest τ and at τ = 1, each the mean over all base ε.
type gap struct {
	law          law.TNB
	name         string // of ε_U
	small, one   Figure6Chart
	atSmall, at1 float64 // means over the trials
	left, err    float64 // their ratio, the mean over the trials and half of its range
}

// gaps returns one gap for each law and each of ε_U-O and ε_U-G, and none unless
// there are τ = 1 and a smaller one.
func (r Figure6Result) gaps() (out []gap) {
	rates := r.Config.SamplingRates
	smallest := slices.Index(rates, slices.Min(rates))
	one := slices.Index(rates, 1)
	if one < 0 || rates[smallest] == 1 {
		return nil
	}
	laws := len(r.Config.Laws)
	for i := range laws {
		small, full := r.Charts[smallest*laws+i], r.Charts[one*laws+i]
		for _, upper := range []struct {
			name string
			of   func(Figure6Chart) []monotone.ApproximateEpsilon
		}{
			{"ε_U-O", func(c Figure6Chart) []monotone.ApproximateEpsilon { return c.O }},
			{"ε_U-G", func(c Figure6Chart) []monotone.ApproximateEpsilon { return c.G }},
		} {
			g := gap{law: full.Law, name: upper.name, small: small, one: full}
			var a, b, ratios []float64
			for trial := range r.Config.Trials {
				a = append(a, meanGap(upper.of(small), small.Audits, trial))
				b = append(b, meanGap(upper.of(full), full.Audits, trial))
				ratios = append(ratios, a[trial]/b[trial])
			}
			g.atSmall, g.at1, g.left = stat.Mean(a, nil), stat.Mean(b, nil), stat.Mean(ratios, nil)
			g.err = (slices.Max(ratios) - slices.Min(ratios)) / 2
			out = append(out, g)
		}
	}
	return out
}

func meanGap(upper []monotone.ApproximateEpsilon, audits [][]float64, trial int) (mean float64) {
	for i, u := range upper {
		mean += (float64(u) - audits[i][trial]) / float64(len(upper))
	}
	return mean
}

// Compare sets the approximations next to ε_U-P, and what is left of the gap at the smallest τ next
// to the sentence of Section 5.4.
func (r Figure6Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "xiang2024-figure6", Title: "Figure 6: what the approximations take off, and what is left of the gap at a small τ"}
	var tighter figures.Cases
	for _, chart := range r.Charts {
		for i, generic := range chart.Generic {
			tighter.AddIf(math.Max(float64(chart.O[i]), float64(chart.G[i])) < generic)
		}
	}
	row := tighter.Against(papers.Xiang2024.Figure6.Tighter)
	row.Note = "“much” is not tested; for τ < 1 neither is a bound"
	c.Rows = append(c.Rows, row)
	for _, g := range r.gaps() {
		row := figures.Against(papers.Xiang2024.Figure6.GapLeft, g.left)
		row.Quantity = fmt.Sprintf("%s - ε_L at τ = %g over that at τ = 1, mean over ε_B, η = %g, ν = %g", g.name, g.small.SamplingRate, g.law.Eta, g.law.Gamma)
		row.OursErr = g.err
		row.Note = "the same sentence in every row; 0 stands for “almost vanishes”, up to a quarter; our error is half of the range of the trials"
		c.Rows = append(c.Rows, row)
	}
	return c
}
