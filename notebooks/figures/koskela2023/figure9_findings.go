package koskela2023

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// pairs counts pairs of curves.
type pairs struct{ hold, all int }

func (p pairs) String() string { return fmt.Sprintf("%d of %d pairs of curves", p.hold, p.all) }

// larger counts the pairs with the same γ and different σ, and those of them in which the line
// above the curve of the larger σ gives away less.
func (r Figure9Result) larger() pairs {
	return r.count(func(a, b LineBound) bool {
		return a.SamplingRate == b.SamplingRate && a.NoiseMultiplier > b.NoiseMultiplier
	})
}

// smaller counts the pairs with the same σ and different γ, likewise for the smaller γ.
func (r Figure9Result) smaller() pairs {
	return r.count(func(a, b LineBound) bool {
		return a.NoiseMultiplier == b.NoiseMultiplier && a.SamplingRate < b.SamplingRate
	})
}

// count takes the pairs of which the paper says that a's line is better than b's.
func (r Figure9Result) count(better func(a, b LineBound) bool) (p pairs) {
	for _, a := range r.Curves {
		for _, b := range r.Curves {
			if !better(a, b) {
				continue
			}
			p.all++
			if a.Slack < b.Slack {
				p.hold++
			}
		}
	}
	return p
}

// Findings says what the lines give away, and how they compare with the slope of Section D.1.
func (r Figure9Result) Findings() []string {
	slack := make([]float64, len(r.Curves))
	form := make([]float64, len(r.Curves))
	for i, b := range r.Curves {
		slack[i], form[i] = b.Slack, b.ClosedForm/b.Slope
	}
	found := []string{fmt.Sprintf("The lines give away %s to %s at the worst order.", percent(slices.Min(slack)), percent(slices.Max(slack)))}
	if p := r.larger(); p.all > 0 {
		found = append(found, fmt.Sprintf("The larger σ has the better line in %v that differ in σ alone.", p))
	}
	if p := r.smaller(); p.all > 0 {
		found = append(found, fmt.Sprintf("The smaller γ has the better line in %v that differ in γ alone.", p))
	}
	return append(found, fmt.Sprintf("The slope 2γ²T/σ² of Section D.1 is %.3g to %.3g times the least slope.", slices.Min(form), slices.Max(form)))
}

// Compare sets the sentence of Section D.1 beside the curves. It has a verdict if γ and the
// orders are the caption's.
func (r Figure9Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "koskela2023-figure9", Title: "Figure 9 and Section D.1: where the line is better"}
	p := papers.Koskela2023.Figure9
	caption := r.Config.MaxOrder == p.MaxOrder && slices.Equal(r.Config.SamplingRates, p.SamplingRates)
	for _, claim := range []struct {
		said  papers.Value
		pairs pairs
	}{{p.LargerNoise, r.larger()}, {p.SmallerRate, r.smaller()}} {
		if claim.pairs.all > 0 {
			c.Rows = append(c.Rows, against(claim.said, float64(claim.pairs.hold)/float64(claim.pairs.all), caption))
		}
	}
	return c
}
