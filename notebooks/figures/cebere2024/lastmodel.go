package cebere2024

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/lastiterate"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// LastModelConfig describes what the last model costs on convex losses: upper bounds, and the exact
// price of linear losses. Training has the strong convexity and the diameter, which the curves
// switch off in turn. Its Steps and Batches are those of each point.
type LastModelConfig struct {
	Training lastiterate.Training
	Periods  []int   `rule:">= 1"` // k: the example is in every k-th step
	Steps    []int   `rule:">= 1; increasing"`
	Delta    float64 `rule:">= 1e-12; in (0, 1)"`
}

// LastModelResult has, for each period, ε at each number of steps by each way.
type LastModelResult struct {
	Config LastModelConfig
	Ways   []string
	Curves [][]chart.Series // by period, then by way
}

// LastModel computes all curves. Only the exact one is not an upper bound: with linear losses and a
// ridge of strength m, an example that is in the last step moves the model by Σ c^(T-1-i) over its
// steps, and noise of variance Σ c^(2(T-1-i)) hides it. The heuristic is that of lastiterate.
func LastModel(cfg LastModelConfig) (LastModelResult, error) {
	t := cfg.Training
	r := LastModelResult{Config: cfg, Ways: []string{
		"all models (networks too)", fmt.Sprintf("last, convex, diameter %g", t.Diameter),
		fmt.Sprintf("last, %g-strongly convex", t.StrongConvexity), fmt.Sprintf("exact: linear losses, ridge %g", t.StrongConvexity),
		"heuristic, not a bound",
	}}
	if err := figures.Faults(cfg).Err(); err != nil {
		return r, err
	}
	all, err := parallel.Map(len(cfg.Periods)*len(cfg.Steps), func(i int) ([]float64, error) {
		at := t
		at.Batches, at.Steps = cfg.Periods[i/len(cfg.Steps)], cfg.Steps[i%len(cfg.Steps)]
		convex, strongly := at, at
		convex.StrongConvexity, strongly.Diameter = 0, 0
		joined := (at.Steps + at.Batches - 1) / at.Batches
		events := []accounting.Event{oneRelease(math.Sqrt(float64(joined)) / at.NoiseMultiplier)}
		for _, bound := range []lastiterate.Training{convex, strongly} {
			event, err := bound.Bounding(cfg.Delta)
			if err != nil {
				return nil, err
			}
			events = append(events, event)
		}
		events = append(events, oneRelease(linear(strongly)))
		var epsilons []float64
		for _, e := range events {
			g, err := auto.NewAccountant().EpsilonAt(e, cfg.Delta)
			if err != nil {
				return nil, err
			}
			epsilons = append(epsilons, g.Epsilon.Upper)
		}
		h, err := at.Heuristic(cfg.Delta)
		return append(epsilons, h.Epsilon), err
	})
	for k := range cfg.Periods {
		curves := make([]chart.Series, len(r.Ways))
		for s := range cfg.Steps {
			for way := range curves {
				if err == nil {
					curves[way] = append(curves[way], all[k*len(cfg.Steps)+s][way])
				}
			}
		}
		r.Curves = append(r.Curves, curves)
	}
	return r, err
}

func oneRelease(µ float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: 1 / µ} }

// linear returns µ of an example that is in the last step, if losses are linear, with a ridge as
// strong as the convexity.
func linear(t lastiterate.Training) float64 {
	c, moved, variance := 1-t.LearningRate*t.StrongConvexity, 0.0, 0.0
	for i := range t.Steps {
		moved, variance = c*moved, c*c*variance+1
		if i%t.Batches == (t.Steps-1)%t.Batches {
			moved += 1 / t.NoiseMultiplier
		}
	}
	return moved / math.Sqrt(variance)
}

// Table lists ε after the last number of steps.
func (r LastModelResult) Table() figures.Table {
	steps := r.Config.Steps[len(r.Config.Steps)-1]
	t := figures.Table{Name: "cebere2024-last-model", Title: fmt.Sprintf("ε at δ = %s after %s steps", chart.Scientific(r.Config.Delta), chart.Grouped(float64(steps))), Columns: []string{"k"}}
	t.Columns = append(t.Columns, r.Ways...)
	for k, curves := range r.Curves {
		row := []string{fmt.Sprint(r.Config.Periods[k])}
		for _, c := range curves {
			row = append(row, fmt.Sprintf("%.3f", c[len(c)-1]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Figure draws ε against the number of steps, with one panel for each period.
func (r LastModelResult) Figure() chart.Figure {
	var x chart.Series
	for _, s := range r.Config.Steps {
		x = append(x, float64(s))
	}
	p := chart.Panels{
		Name: "cebere2024-last-model-curves", Columns: 3,
		Title: fmt.Sprintf("The last model from both sides, σ = %g, η = %g, B = %g", r.Config.Training.NoiseMultiplier, r.Config.Training.LearningRate, r.Config.Training.Divisor),
		Notes: []string{"Curves: upper ends. Gray: as if all losses were linear, whatever they are. Points: exact for linear losses with a ridge, which are strongly convex. The example is in every k-th step, the last included."},
	}
	for k, curves := range r.Curves {
		c := chart.Chart{
			Name: fmt.Sprintf("cebere2024-last-model-%d", r.Config.Periods[k]), Title: fmt.Sprintf("k = %d", r.Config.Periods[k]),
			XLabel: "steps T", YLabel: "ε at δ = " + chart.Scientific(r.Config.Delta), XLog: true, YLog: true,
		}
		for way, y := range curves {
			curve := chart.Curve{Label: r.Ways[way], X: x, Y: y, Color: way + 1}
			switch way {
			case 3:
				curve.Kind, curve.OnTop = chart.Points, true
			case 4:
				curve.Reference = true
			}
			c.Curves = append(c.Curves, curve)
		}
		p.Charts = append(p.Charts, c)
	}
	return p
}
