package hidden

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
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
	steps := numbers(f.Config.Observe)
	ch.XMax = steps[len(steps)-1]
	for i, p := range f.Paths {
		c := chart.Curve{Label: p.name(), X: steps, Color: i + 1}
		for _, norms := range p.Norms {
			mean, dev := stat.MeanStdDev(norms, nil)
			c.Y, c.Low, c.High = append(c.Y, mean), append(c.Low, max(0, mean-2*dev)), append(c.High, mean+2*dev)
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

// Findings says how often the canary uses less than the clip norm allows.
func (f NormsFigure) Findings() []string {
	var out []string
	last := len(f.Config.Observe) - 1
	for _, p := range f.Paths {
		out = append(out, fmt.Sprintf("%s: the canary's gradient has the norm %.2f after step %d and %.2f after step %d (means of %d runs); it is below the clip norm %g in %.0f %% of the runs at first and in %.0f %% at the end.",
			p.name(), stat.Mean(p.Norms[0], nil), f.Config.Observe[0], stat.Mean(p.Norms[last], nil), f.Config.Observe[last], f.Config.Runs, p.ClipNorm, 100*p.below(0), 100*p.below(last)))
	}
	return out
}
