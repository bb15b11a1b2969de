package cebere2024

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// SignsConfig describes the comparison of equation (3) as printed with the other sign.
type SignsConfig struct {
	NoiseMultiplier float64 `rule:"any"`
	BatchSizes      []int   `rule:">= 1"`
	Steps           int     `rule:"in [2, 1000]"`
}

// Validate returns every fault, joined.
func (c SignsConfig) Validate() error {
	f := figures.Faults(c)
	for _, b := range c.BatchSizes {
		f.Add(exact.Process{NoiseMultiplier: c.NoiseMultiplier, BatchSize: b}.Validate())
	}
	return f.Err()
}

// SignsResult has the total variation after each step, for each drift and B.
type SignsResult struct {
	Config       SignsConfig
	Away, Toward [][]float64
}

// Signs computes the best advantage of any test on the final parameter for both signs.
func Signs(cfg SignsConfig) (SignsResult, error) {
	r := SignsResult{Config: cfg}
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	for drift, to := range map[exact.Drift]*[][]float64{exact.Away: &r.Away, exact.Toward: &r.Toward} {
		var err error
		if *to, err = parallel.Map(len(cfg.BatchSizes), func(i int) ([]float64, error) {
			laws, err := exact.Process{NoiseMultiplier: cfg.NoiseMultiplier, BatchSize: cfg.BatchSizes[i], Drift: drift}.Laws(cfg.Steps)
			return figures.Map(laws, func(law exact.Law) float64 { return law.TotalVariation().Upper }), err
		}); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Compare counts, for each sign, the B at which the first step is still to be seen after the last.
func (r SignsResult) Compare() figures.Comparison {
	c := figures.Comparison{Name: "cebere2024-signs", Title: "Equation (3): is the first step still to be seen?"}
	for _, sign := range []struct {
		name string
		left [][]float64
	}{{"as printed: a valley", r.Toward}, {"the other sign: a ridge", r.Away}} {
		var keeps figures.Cases
		for _, variation := range sign.left {
			keeps.AddIf(variation[r.Config.Steps-1] >= variation[0]/2)
		}
		share, _ := keeps.Share()
		c.Rows = append(c.Rows, row(papers.Cebere2024.FirstStepKept, sign.name, share, "", r.Config.Steps == papers.Cebere2024.Steps))
	}
	return c
}

// Table lists what each sign leaves of the first step's advantage.
func (r SignsResult) Table() figures.Table {
	t := figures.Table{Name: "cebere2024-signs-left", Title: "The best advantage of any test on the final parameter",
		Columns: []string{"B", "after the first step", fmt.Sprintf("after %d steps, as printed", r.Config.Steps), "the other sign"}}
	for i, b := range r.Config.BatchSizes {
		t.Rows = append(t.Rows, []string{fmt.Sprint(b), fmt.Sprintf("%.3f", r.Away[i][0]), fmt.Sprintf("%.3g", r.Toward[i][r.Config.Steps-1]), fmt.Sprintf("%.3f", r.Away[i][r.Config.Steps-1])})
	}
	return t
}

// Figure draws both.
func (r SignsResult) Figure() chart.Figure {
	least := 1.0
	for _, y := range slices.Concat(r.Away, r.Toward) {
		least = min(least, slices.Min(y))
	}
	panel := func(name, title string, rows [][]float64) chart.Chart {
		ch := chart.Chart{Name: "cebere2024-signs-" + name, Title: title, XLabel: "step t", YLabel: "total variation", YLog: true, YMin: least / 2, YMax: 1, XMin: 0.5, XMax: float64(r.Config.Steps) + 0.5}
		steps := figures.UpTo(r.Config.Steps)
		for i, y := range rows {
			ch.Curves = append(ch.Curves, chart.Curve{Label: fmt.Sprintf("B = %d", r.Config.BatchSizes[i]), X: steps, Y: y, Color: i + 1})
		}
		return ch
	}
	return chart.Panels{
		Name: "cebere2024-signs", Title: fmt.Sprintf("The sign of equation (3), σ = %g", r.Config.NoiseMultiplier), Columns: 2,
		Charts: []chart.Chart{panel("away", "away from the threshold", r.Away), panel("toward", "as printed: toward it", r.Toward)},
		Notes:  []string{"Total variation: the best advantage TPR - FPR of any test on the final parameter, exact."},
	}
}

// Figure10 reproduces Figure 10: the loss landscape for B = 1 and C = 1. The gradient of equation
// (3) is g = BC above h and -BC below. Its loss is BC|θ-h|, a valley that descent falls into. The
// ridge -BC|θ-h| is the landscape that keeps the canary's push. The text of appendix F calls it
// Figure 11.
func Figure10() chart.Chart {
	theta := []float64{-2, 0.5, 3}
	valley := figures.Map(theta, func(x float64) float64 { return math.Abs(x - 0.5) })
	ridge := figures.Map(valley, func(loss float64) float64 { return -loss })
	return chart.Chart{
		Name: "cebere2024-figure10", Title: "Figure 10: the crafted loss landscape, C = 1",
		XLabel: "parameter θ", YLabel: "loss of the batch",
		Curves: []chart.Curve{
			{Label: "ridge at h = 1/2: pushes away", X: theta, Y: ridge, Color: 1},
			{Label: "valley: equation (3) as printed", X: theta, Y: valley, Color: 2},
		},
		Notes: []string{"Without the canary the first step ends around 0, with it around 1."},
	}
}
