package cebere2024

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit/exact"
)

// SignsConfig describes the comparison of equation (3) as printed with the other sign.
type SignsConfig struct {
	NoiseMultiplier float64
	BatchSizes      []int
	Steps           int
}

// Validate returns every fault, joined.
func (c SignsConfig) Validate() error {
	var errs []error
	if len(c.BatchSizes) == 0 {
		errs = append(errs, errors.New("cebere2024: SignsConfig.BatchSizes: must have at least one"))
	}
	if c.Steps < 2 || c.Steps > 1000 {
		errs = append(errs, fmt.Errorf("cebere2024: SignsConfig.Steps %d: must be in [2, 1000]", c.Steps))
	}
	for _, b := range c.BatchSizes {
		errs = append(errs, exact.Process{NoiseMultiplier: c.NoiseMultiplier, BatchSize: b}.Validate())
	}
	return errors.Join(errs...)
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
		for _, b := range cfg.BatchSizes {
			laws, err := exact.Process{NoiseMultiplier: cfg.NoiseMultiplier, BatchSize: b, Drift: drift}.Laws(cfg.Steps)
			if err != nil {
				return r, err
			}
			var y []float64
			for _, law := range laws {
				y = append(y, law.TotalVariation().Upper)
			}
			*to = append(*to, y)
		}
	}
	return r, nil
}

// Findings says what each sign leaves of the first step's advantage.
func (r SignsResult) Findings() []string {
	steps := r.Config.Steps
	var left []string
	more, least, most := 0, math.Inf(1), math.Inf(-1)
	for i, b := range r.Config.BatchSizes {
		away, toward := r.Away[i][steps-1], r.Toward[i][steps-1]
		left = append(left, fmt.Sprintf("%.3f and %.3g (B = %d)", away, toward, b))
		least, most = min(least, away/r.Away[i][0]), max(most, toward/r.Toward[i][0])
		if away > toward {
			more++
		}
	}
	out := []string{fmt.Sprintf("The best advantage of any test is %.3f after the first step. After %d steps the ridge and the valley leave %s.", r.Away[0][0], steps, strings.Join(left, ", "))}
	if least > 0.5 && most < 0.5 {
		return append(out, "Only the ridge keeps most of the first step, at every B shown: the behaviour that the paper describes needs the ridge, not equation (3) as printed.")
	}
	return append(out, fmt.Sprintf("The ridge leaves more than the valley at %d of %d B. It does not keep most of the first step at every B shown, or the valley does not lose most: these settings say less about the sign.", more, len(r.Config.BatchSizes)))
}

// Figure draws both.
func (r SignsResult) Figure() chart.Figure {
	least := 1.0
	for _, y := range slices.Concat(r.Away, r.Toward) {
		least = min(least, slices.Min(y))
	}
	panel := func(name, title string, rows [][]float64) chart.Chart {
		ch := chart.Chart{Name: "cebere2024-signs-" + name, Title: title, XLabel: "step t", YLabel: "total variation", YLog: true, YMin: least / 2, YMax: 1, XMin: 0.5, XMax: float64(r.Config.Steps) + 0.5}
		steps := make([]float64, r.Config.Steps)
		for i := range steps {
			steps[i] = float64(i + 1)
		}
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
