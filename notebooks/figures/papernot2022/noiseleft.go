package papernot2022

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
)

// NoiseLeftConfig asks how much noise a tuning needs at a given total ε, if the law of K and the
// noise are chosen together.
type NoiseLeftConfig struct {
	SamplingRate float64   `rule:"in (0, 1]"` // of one run, DP-SGD
	Steps        int       `rule:">= 1"`
	Delta        float64   `rule:"in (0, 1)"`
	Epsilons     []float64 `rule:"> 0; increasing"` // of the whole tuning
	// Success is the chance that the best of K runs is among the Top share of all.
	Success float64 `rule:"in (0, 1)"`
	Top     float64 `rule:"in (0, 1)"`
}

// Validate returns every fault, joined.
func (c NoiseLeftConfig) Validate() error {
	f := figures.Faults(c)
	f.That(c.Success > c.Top, "Success", c.Success, "must be above Top")
	return f.Err()
}

// NoiseLeft is the least noise multiplier at one ε.
type NoiseLeft struct {
	Alone           float64 // of one training that costs as much as the tuning
	Published, Ours selection.Optimum
}

// NoiseLeftResult has one NoiseLeft for each ε.
type NoiseLeftResult struct {
	Config NoiseLeftConfig
	Noise  []NoiseLeft
}

// LeastNoise finds for each ε the law, its mean and the least noise of a tuning that is as good as
// asked, by published bounds only and by all bounds. See selection.Target.
func LeastNoise(cfg NoiseLeftConfig) (NoiseLeftResult, error) {
	if err := cfg.Validate(); err != nil {
		return NoiseLeftResult{}, err
	}
	r := NoiseLeftResult{Config: cfg, Noise: make([]NoiseLeft, len(cfg.Epsilons))}
	run := func(sigma float64) accounting.Event { return figures.SGD(cfg.SamplingRate, sigma, cfg.Steps) }
	err := parallel.Each(3*len(cfg.Epsilons), func(k int) (err error) {
		out := &r.Noise[k/3]
		target := selection.Target{Event: run, Epsilon: cfg.Epsilons[k/3], Delta: cfg.Delta, Success: cfg.Success, Top: cfg.Top}
		switch k % 3 {
		case 0:
			out.Alone, err = auto.CalibrateNoiseMultiplier(run, accounting.Target{Epsilon: target.Epsilon, Delta: cfg.Delta})
		case 1:
			target.Published = true
			out.Published, err = target.Optimize()
		default:
			out.Ours, err = target.Optimize()
		}
		return err
	})
	return r, err
}

// defaultNoiseLeft asks for one of the best tenth of all settings, nine times of ten.
func defaultNoiseLeft(points int) NoiseLeftConfig {
	return NoiseLeftConfig{SamplingRate: 0.01, Steps: 1000, Delta: 1e-5, Epsilons: laws.LogSpace(0.5, 8, points), Success: 0.9, Top: 0.1}
}

// Figure draws the noise multiplier over ε.
func (r NoiseLeftResult) Figure() chart.Figure {
	var alone, published, ours []float64
	for _, n := range r.Noise {
		alone, published, ours = append(alone, n.Alone), append(published, n.Published.NoiseMultiplier), append(ours, n.Ours.NoiseMultiplier)
	}
	return chart.Chart{
		Name: "papernot2022-least-noise", Title: "What the price of tuning costs in noise",
		XLabel: "ε of the whole at δ = " + chart.Scientific(r.Config.Delta), YLabel: "least noise multiplier σ", XLog: true, YLog: true,
		Curves: []chart.Curve{
			{Label: "tuning, published bounds", X: r.Config.Epsilons, Y: published, Color: 2},
			{Label: "tuning, all bounds", X: r.Config.Epsilons, Y: ours, Color: 1},
			{Label: "one training, no tuning", X: r.Config.Epsilons, Y: alone, Reference: true},
		},
		Notes: []string{fmt.Sprintf("DP-SGD, q = %g, %d steps. The law of K, its mean and σ are chosen for the least σ at which the winner is among the best %g %% of all runs with chance %g.",
			r.Config.SamplingRate, r.Config.Steps, 100*r.Config.Top, r.Config.Success)},
	}
}

// Table lists what was chosen.
func (r NoiseLeftResult) Table() figures.Table {
	t := figures.Table{Name: "papernot2022-least-noise-table", Title: "The least noise of a tuning",
		Columns: []string{"ε", "σ, one training", "σ, published bounds", "law", "σ, all bounds", "law", "noise saved", "share of what tuning costs in noise"}}
	for i, n := range r.Noise {
		t.Rows = append(t.Rows, []string{chart.Format(r.Config.Epsilons[i], 0), chart.Places(n.Alone, 3), chart.Places(n.Published.NoiseMultiplier, 3), fmt.Sprint(n.Published.Law),
			chart.Places(n.Ours.NoiseMultiplier, 3), fmt.Sprint(n.Ours.Law), chart.Places(100*n.saved(), 1) + " %", chart.Places(100*n.recovered(), 1) + " %"})
	}
	return t
}

// saved is the share of the noise that published bounds ask for and ours do not.
func (n NoiseLeft) saved() float64 { return 1 - n.Ours.NoiseMultiplier/n.Published.NoiseMultiplier }

// recovered is the share of what tuning costs in noise, by published bounds, that ours give back.
func (n NoiseLeft) recovered() float64 {
	return (n.Published.NoiseMultiplier - n.Ours.NoiseMultiplier) / (n.Published.NoiseMultiplier - n.Alone)
}
