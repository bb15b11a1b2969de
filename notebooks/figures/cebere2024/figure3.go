package cebere2024

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figure3 reproduces Figure 3: how much of the first step's ε is left after 25 steps in a
// loss landscape that was crafted to keep it, for the least and the largest σ, and for all
// σ as the ratio between the last and the first step.
func Figure3(cfg LandscapeConfig) (LandscapeResult, error) {
	if err := cfg.Validate(); err != nil {
		return LandscapeResult{}, err
	}
	shown := []float64{cfg.NoiseMultipliers[0]}
	if last := cfg.NoiseMultipliers[len(cfg.NoiseMultipliers)-1]; last != shown[0] {
		shown = append(shown, last)
	}
	r, err := landscapes(cfg, shown)
	r.name, r.title = "cebere2024-figure3", "Figure 3: one crafted gradient, a crafted loss landscape"
	return r, err
}

// Figure14 reproduces Figure 14: the curves of all σ.
func Figure14(cfg LandscapeConfig) (LandscapeResult, error) {
	if err := cfg.Validate(); err != nil {
		return LandscapeResult{}, err
	}
	r, err := landscapes(cfg, cfg.NoiseMultipliers)
	r.name, r.title = "cebere2024-figure14", "Figure 14: ε of the final model over the steps"
	return r, err
}

// Named returns the result under another name, for a second figure in one notebook.
func (r LandscapeResult) Named(name, title string) LandscapeResult {
	r.name, r.title = name, title
	return r
}

// ratios returns last over first for each σ, of what a curve has at each step.
func (r LandscapeResult) ratios(batch int, of func(LandscapeCurve) []float64) []float64 {
	var out []float64
	for _, row := range r.Curves {
		y := of(row[batch])
		out = append(out, y[len(y)-1]/y[0])
	}
	return out
}

func exactEpsilon(c LandscapeCurve) []float64 { return c.EpsilonUpper }

func gaussian(c LandscapeCurve) []float64 { return c.Gaussian }

// Compare sets the sentences about the figure beside what we get, once by the paper's
// Gaussian reading of the trade-off curve (without the noise of an audit), once exactly.
func (r LandscapeResult) Compare() figures.Comparison {
	paper := papers.Cebere2024
	c := figures.Comparison{Name: r.name, Title: r.title + ", what the text says"}
	for _, way := range []struct {
		name string
		of   func(LandscapeCurve) []float64
	}{{"Gaussian reading", gaussian}, {"exact", exactEpsilon}} {
		if b := slices.Index(r.Config.BatchSizes, paper.TightBatchSize); b >= 0 {
			c.Rows = append(c.Rows, row(paper.TightRatio, way.name+", least over σ", slices.Min(r.ratios(b, way.of)), "tight only if the trade-off curve is taken for Gaussian"))
		}
		first, last := r.ratios(0, way.of), r.ratios(len(r.Config.BatchSizes)-1, way.of)
		if n := len(first); n > 1 {
			c.Rows = append(c.Rows, row(paper.RatioOverNoise, way.name, sign(first[n-1]-first[0]), fmt.Sprintf("%.3f at σ = %g, %.3f at σ = %g", first[0], r.Config.NoiseMultipliers[0], first[n-1], r.Config.NoiseMultipliers[n-1])))
		}
		if n := len(first); len(r.Config.BatchSizes) > 1 {
			c.Rows = append(c.Rows, row(paper.RatioOverBatch, way.name, sign(last[n-1]-first[n-1]), fmt.Sprintf("%.3f at B = %d, %.3f at B = %d", first[n-1], r.Config.BatchSizes[0], last[n-1], r.Config.BatchSizes[len(r.Config.BatchSizes)-1])))
		}
	}
	return c
}

func row(v papers.Value, way string, ours float64, note string) figures.ComparisonRow {
	r := figures.Against(v, ours)
	r.Quantity, r.Note = v.Quantity+" ("+way+")", note
	return r
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// Table returns the ratio between the last and the first step, the heat map of Figure 3b:
// exact, and by the Gaussian reading.
func (r LandscapeResult) Table() figures.Table {
	t := figures.Table{
		Name: r.name + "-ratio", Title: fmt.Sprintf("%s. ε at step %d over ε at step 1: exact (Gaussian reading)", r.title, r.Config.Steps[len(r.Config.Steps)-1]),
		Columns: []string{"σ"},
	}
	for _, b := range r.Config.BatchSizes {
		t.Columns = append(t.Columns, fmt.Sprintf("B = %d", b))
	}
	for i, sigma := range r.Config.NoiseMultipliers {
		cells := []string{fmt.Sprintf("%g", sigma)}
		for b := range r.Config.BatchSizes {
			cells = append(cells, fmt.Sprintf("%.3f (%.3f)", r.ratios(b, exactEpsilon)[i], r.ratios(b, gaussian)[i]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
