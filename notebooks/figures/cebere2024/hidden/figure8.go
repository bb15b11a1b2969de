package hidden

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
)

// Norms are the norms of the canary's gradient along the path: Figure 8. A shard has the runs of
// one network.
var Norms = experiments.Experiment[NormsConfig, experiments.Floats, NormsResult]{
	Name: "cebere2024/norms", Title: "Figure 8: norms of the gradient of A_L's canary", Version: 1,
	Profiles: map[string]NormsConfig{"quick": normsQuick(), "mid": normsFull(10), "full": normsFull(30)},
	Shards:   func(c NormsConfig) int { return len(c.Networks) },
	ModelSteps: func(c NormsConfig) float64 {
		return float64(c.Runs * c.Observe[len(c.Observe)-1])
	},
	Run: runNorms, Merge: mergeNorms,
}

// NormsConfig describes the runs of some networks. Every run draws its own initial weights and
// trains with the canary at every step.
type NormsConfig struct {
	Networks []Config // only the network, the data, σ and the first setting's learning rate and clip norm count
	Runs     int      // of each network
	Observe  []int    // numbers of steps, increasing
}

// NormsResult has the norms of the networks that are done.
type NormsResult struct {
	Config NormsConfig
	Paths  []NormPath
}

// NormPath holds the norms of one network.
type NormPath struct {
	Network, Data string
	ClipNorm      float64
	Norms         [][]float64 // [observed][run]
}

func normsFull(runs int) NormsConfig {
	c := NormsConfig{Networks: []Config{convNetEvery(1, 1), fcnn(func(*Config) {})}, Runs: runs, Observe: []int{1}}
	for steps := 10; steps <= 250; steps += 10 {
		c.Observe = append(c.Observe, steps)
	}
	return c
}

func normsQuick() NormsConfig {
	small := smallConvNetQuick(Setting{Every: 1, ClipNorm: 1, Adversaries: []string{loss}})
	return NormsConfig{Networks: []Config{small, fcnnQuick([]string{loss}, 1, []int{1})}, Runs: 8, Observe: []int{1, 10, 20, 30}}
}

func runNorms(ctx context.Context, c NormsConfig, shard int, env experiments.Env) (experiments.Floats, error) {
	network := c.Networks[shard]
	s := network.Settings[0]
	s.Observe, s.UnknownInitial = c.Observe, true
	network.Settings, network.Games, network.Block, network.Ranks = []Setting{s}, c.Runs, c.Runs, false
	play, err := network.game(ctx, place{}, env)
	if err != nil {
		return nil, err
	}
	play.Adversary = game.FlippedLabel{}
	norms, err := play.CanaryNorms(ctx, network.root(0))
	if err != nil {
		return nil, err
	}
	var out experiments.Floats
	for _, list := range norms {
		out = append(out, experiments.FloatsOf(list)...)
	}
	return out, nil
}

func mergeNorms(c NormsConfig, parts []experiments.Part[experiments.Floats]) (NormsResult, error) {
	r := NormsResult{Config: c}
	for _, part := range parts {
		if want := len(c.Observe) * c.Runs; len(part.Result) != want {
			return NormsResult{}, fmt.Errorf("hidden: %d norms: must be %d", len(part.Result), want)
		}
		network := c.Networks[part.Index]
		path := NormPath{Network: network.Network, Data: network.Data, ClipNorm: network.Settings[0].ClipNorm}
		for i := range c.Observe {
			path.Norms = append(path.Norms, figures.Floats(part.Result[i*c.Runs:(i+1)*c.Runs]))
		}
		r.Paths = append(r.Paths, path)
	}
	return r, nil
}

// NormsFigure is Figure 8, with where its runs are from.
type NormsFigure struct {
	NormsResult
	Account string
}

// Figure8 has the norms of the canary's gradient over the steps, stored ones or those of the
// profile quick.
func Figure8(ctx context.Context, o Options) (NormsFigure, error) {
	stored, err := Norms.AtHand(ctx, o)
	return NormsFigure{stored.Result, stored.Account.String()}, err
}

// Figure draws the mean and two standard deviations on both sides, as the paper does.
func (f NormsFigure) Figure() chart.Figure {
	ch := chart.Chart{
		Name: "cebere2024-figure8", Title: fmt.Sprintf("Figure 8: norm of the canary's gradient, %d runs each", f.Config.Runs), XLabel: "steps done", YLabel: "L2 norm before clipping",
		Notes: []string{"A_L's canary, in every step; mean and two standard deviations. Each run has its own initial weights."}, Sources: []string{f.Account},
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

func (p NormPath) name() string { return networks[p.Network].name }

// below returns the share of runs whose norm is below the clip norm after an observed number of
// steps.
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
