package cebere2024

import (
	"fmt"

	"github.com/dplab/dplab/notebooks/figures"
)

// Figure3 reproduces Figure 3: how much of the first step's ε is left after 25 steps in a
// loss landscape that was crafted to keep it, for the least and the largest σ, and for all
// σ as the ratio between the last and the first step. progress, if not nil, is told how many of the curves are done.
func Figure3(cfg LandscapeConfig, progress func(done, total int)) (LandscapeResult, error) {
	if err := cfg.Validate(); err != nil {
		return LandscapeResult{}, err
	}
	shown := []float64{cfg.NoiseMultipliers[0]}
	if last := cfg.NoiseMultipliers[len(cfg.NoiseMultipliers)-1]; last != shown[0] {
		shown = append(shown, last)
	}
	r, err := landscapes(cfg, shown, true, progress)
	r.name, r.title = "cebere2024-figure3", "Figure 3: one crafted gradient, a crafted loss landscape"
	return r, err
}

// Figure14 reproduces Figure 14: the curves of all σ. progress is as in Figure3.
func Figure14(cfg LandscapeConfig, progress func(done, total int)) (LandscapeResult, error) {
	if err := cfg.Validate(); err != nil {
		return LandscapeResult{}, err
	}
	r, err := landscapes(cfg, cfg.NoiseMultipliers, false, progress)
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

// Table returns the ratio between the last and the first step, the numbers of Figure 3b, which is a heat
// map: exact, and by the Gaussian reading.
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
