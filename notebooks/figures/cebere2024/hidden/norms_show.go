package hidden

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// NormsFigure is Figure 8, with where its runs are from.
type NormsFigure struct {
	NormsResult
	Profile, Account string
}

// Figure8 has the norms of the canary's gradient over the steps, stored ones or those of the profile quick.
func Figure8(ctx context.Context, o Options) (NormsFigure, error) {
	stored, profile, err := load(ctx, Norms, o)
	return NormsFigure{stored.Result, profile, stored.Account.String()}, err
}

// Figure draws the mean and two standard deviations on both sides, as the paper does.
func (f NormsFigure) Figure() chart.Figure {
	ch := chart.Chart{
		Name: "cebere2024-figure8", Title: fmt.Sprintf("Figure 8: norm of the canary's gradient, %d runs each", f.Config.Runs), XLabel: "steps done", YLabel: "L2 norm before clipping",
		Notes: []string{"A_L's canary, in every step; mean and two standard deviations. Each run has initial weights of its own.", fmt.Sprintf("Profile %s: %s", f.Profile, f.Account)},
	}
	steps := figures.Floats(f.Config.Observe)
	ch.XMax = steps[len(steps)-1]
	for i, p := range f.Paths {
		c := chart.Curve{Label: p.name(), X: steps, Color: i + 1}
		for _, norms := range p.Norms {
			e := figures.EstimateOf(norms)
			c.Y, c.Low, c.High = append(c.Y, e.Mean), append(c.Low, max(0, e.Mean-2*e.StdDev)), append(c.High, e.Mean+2*e.StdDev)
		}
		ch.Curves = append(ch.Curves, c)
	}
	return ch
}

func (p NormPath) name() string { return Config{Network: p.Network}.network() }

// below returns the share of runs whose norm is below the clip norm after an observed number of steps.
func (p NormPath) below(at int) float64 {
	count := 0
	for _, norm := range p.Norms[at] {
		if norm < p.ClipNorm {
			count++
		}
	}
	return float64(count) / float64(len(p.Norms[at]))
}

// Table lists how often the canary uses less than the clip norm allows.
func (f NormsFigure) Table() figures.Table {
	last := len(f.Config.Observe) - 1
	after := func(at int) string { return fmt.Sprintf("after step %d", f.Config.Observe[at]) }
	t := figures.Table{Name: "cebere2024-figure8-norms", Title: fmt.Sprintf("Norm of the canary's gradient, means of %d runs", f.Config.Runs),
		Columns: []string{"network", "clip norm", after(0), after(last), "runs below the clip norm, " + after(0), after(last)}}
	for _, p := range f.Paths {
		t.Rows = append(t.Rows, []string{p.name(), fmt.Sprint(p.ClipNorm), fmt.Sprintf("%.2f", stat.Mean(p.Norms[0], nil)), fmt.Sprintf("%.2f", stat.Mean(p.Norms[last], nil)),
			figures.Percent(p.below(0), 0), figures.Percent(p.below(last), 0)})
	}
	return t
}
