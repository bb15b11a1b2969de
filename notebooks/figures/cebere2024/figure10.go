package cebere2024

import (
	"math"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
)

// Figure10Config describes Figure 10: the loss landscape, C = 1.
type Figure10Config struct {
	BatchSize int     // B: the slope is BC
	Low, High float64 // ends of the axis, around h = 1/2
}

// Validate returns every fault, joined.
func (c Figure10Config) Validate() error {
	f := check.In("cebere2024: Figure10Config.")
	f.Count("BatchSize", c.BatchSize, 1)
	f.That(c.Low < 0.5, "Low", c.Low, "must be below 1/2")
	f.That(c.High > 0.5 && c.High-c.Low < 1e6, "High", c.High, "must be above 1/2, and less than 1e6 above Low")
	return f.Err()
}

// Figure10Result holds the two landscapes.
type Figure10Result struct {
	Config       Figure10Config
	Theta        []float64
	Away, Toward []float64 // losses, -B|θ-h| and B|θ-h|
}

// Figure10 reproduces Figure 10. The gradient of equation (3) is g = BC above h and -BC
// below, so that its loss is BC|θ-h|, a valley that descent falls into; the ridge -BC|θ-h|
// is the landscape that keeps the canary's push. The text of appendix F calls it Figure 11.
func Figure10(cfg Figure10Config) (Figure10Result, error) {
	r := Figure10Result{Config: cfg}
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	for _, theta := range []float64{cfg.Low, 0.5, cfg.High} {
		loss := float64(cfg.BatchSize) * math.Abs(theta-0.5)
		r.Theta, r.Away, r.Toward = append(r.Theta, theta), append(r.Away, -loss), append(r.Toward, loss)
	}
	return r, nil
}

// Figure draws both.
func (r Figure10Result) Figure() chart.Figure {
	return chart.Chart{
		Name: "cebere2024-figure10", Title: "Figure 10: the crafted loss landscape, C = 1",
		XLabel: "parameter θ", YLabel: "loss of the batch",
		Curves: []chart.Curve{
			{Label: "ridge at h = 1/2: pushes away", X: r.Theta, Y: r.Away, Color: 1},
			{Label: "valley: equation (3) as printed", X: r.Theta, Y: r.Toward, Color: 2},
		},
		Notes: []string{"Without the canary the first step ends around 0, with it around 1."},
	}
}
