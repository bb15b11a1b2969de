package ding2023

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// MachineConfig describes Section 4.1: the search as a machine that an optimizer sends
// candidates to, and that answers with the winner of each test. The candidates are learning
// rates from 1e-4 to 1; the score has one peak, at a place that differs from repeat to repeat.
type MachineConfig struct {
	Batch       int     `rule:">= 2"`      // candidates that the optimizer sends for a test, >= 2
	GridSize    int     `rule:">= 2"`      // candidates of the grid that it is compared with, >= 2
	Parts       int     `rule:">= 1"`      // k
	Epsilon     float64 `rule:"> 0"`       // of the search, without the training, > 0
	Delta       float64 `rule:"in (0, 1)"` // δ in (0, 1)
	Granularity float64 `rule:"in (0, 1)"` // g
	MaxTests    int     `rule:">= 1"`      // T_max
	Repeats     int     `rule:">= 2"`      // >= 2
	Seed        string
}

// Validate returns every fault, joined.
func (c MachineConfig) Validate() error { return figures.Faults(c).Err() }

// MachineResult has one entry for each way to propose.
type MachineResult struct {
	Config    MachineConfig
	Proposers []ProposerResult
}

// ProposerResult has one value for each repeat.
type ProposerResult struct {
	Name     string
	Scored   []float64 // candidates that were trained and scored, on all parts
	Fidelity []float64 // score of the winner over the peak; 0 without a winner
	Tests    []float64
	Epsilon  float64 // of the search at δ
}

// peak is the largest score, width the standard deviation of the peak, in decades.
const peak, width = 0.95, 0.25

// Machine runs dptune.ThresholdSearch with three proposers.
func Machine(cfg MachineConfig) (MachineResult, error) {
	if err := cfg.Validate(); err != nil {
		return MachineResult{}, err
	}
	r := MachineResult{Config: cfg}
	grid, coarse := make(dptune.Grid[float64], cfg.GridSize), make(dptune.Grid[float64], cfg.Batch)
	spread(grid, -4, 0)
	spread(coarse, -4, 0)
	ways := []struct {
		name     string
		proposer dptune.Proposer[float64]
	}{
		{fmt.Sprintf("grid of %d", cfg.GridSize), grid},
		{fmt.Sprintf("grid of %d", cfg.Batch), coarse},
		{fmt.Sprintf("adaptive, %d a test", cfg.Batch), dptune.ProposerFunc[float64](cfg.propose)},
	}
	var err error
	r.Proposers, err = parallel.Map(len(ways), func(i int) (ProposerResult, error) { return cfg.run(ways[i].name, ways[i].proposer) })
	return r, err
}

// spread fills values with equally spaced points of [low, high].
func spread(values []float64, low, high float64) {
	for i := range values {
		values[i] = low + (high-low)*float64(i)/float64(len(values)-1)
	}
}

// propose sends the coarse grid until a test has no winner. At low thresholds all candidates pass,
// and the winner means nothing. Then it sends a batch around the winner so far, and the winner
// last; half as wide after each further test without one.
func (c MachineConfig) propose(tests []dptune.Test[float64]) []float64 {
	batch := make([]float64, c.Batch)
	spread(batch, -4, 0)
	radius, center, found, local := 8/float64(c.Batch-1), 0.0, false, false
	for _, t := range tests {
		if t.Passed() {
			center, found = t.Candidates[t.Winner], true
		} else {
			radius, local = radius/2, true
		}
	}
	if !found || !local {
		return batch
	}
	spread(batch, math.Max(-4, center-radius), math.Min(0, center+radius))
	return append(batch, center)
}

func (c MachineConfig) run(name string, proposer dptune.Proposer[float64]) (ProposerResult, error) {
	out := ProposerResult{Name: name}
	root := streams.Fixed(c.Seed)
	template := c.search(proposer)
	tests, err := threshold.Calibrate(accounting.Target{Epsilon: c.Epsilon, Delta: c.Delta}, template.Scores.Sensitivity(), c.MaxTests, template.Refresh, template.Noise)
	if err != nil {
		return out, err
	}
	template.ThresholdNoise, template.ScoreNoise = tests.ThresholdNoise, tests.ScoreNoise
	for i := range c.Repeats {
		place := root.Rand(fmt.Sprintf("peak %d", i)).Float64()*3 - 3.5
		score := func(log10 float64) float64 {
			return peak * math.Exp(-(log10-place)*(log10-place)/(2*width*width))
		}
		scored := map[float64]bool{}
		search := template
		search.Scores.Score = func(_ context.Context, _ []int, h float64, _ streams.Root) (float64, error) { return score(h), nil }
		search.Progress = func(t dptune.Test[float64]) {
			for j, h := range t.Candidates {
				if t.Winner < 0 || j <= t.Winner {
					scored[h] = true
				}
			}
		}
		result, err := search.Run(context.Background(), root.Child(name).Child(fmt.Sprintf("run %d", i)))
		if err != nil && !errors.Is(err, dptune.ErrCapReached) {
			return out, err
		}
		fidelity := 0.0
		if !result.Empty {
			fidelity = score(result.Hyperparameters) / peak
		}
		out.Fidelity, out.Scored = append(out.Fidelity, fidelity), append(out.Scored, float64(len(scored)))
		out.Tests, out.Epsilon = append(out.Tests, float64(len(result.Details.Tests))), result.Statement.Guarantee.Epsilon.Upper
	}
	return out, nil
}

// search lacks its Score.
func (c MachineConfig) search(proposer dptune.Proposer[float64]) dptune.ThresholdSearch[float64, struct{}] {
	return dptune.ThresholdSearch[float64, struct{}]{
		Proposer: proposer, Scores: dptune.PartScores[float64]{Records: c.Parts, Parts: c.Parts},
		Granularity: c.Granularity, MaxTests: c.MaxTests, Refresh: threshold.Once, KeepAtCap: true,
		Delta: c.Delta, Unit: "one record",
	}
}

// Table has the means.
func (r MachineResult) Table() figures.Table {
	t := figures.Table{Name: "ding2023-machine", Title: "Section 4.1: candidates from an adaptive optimizer",
		Columns: []string{"proposer", "candidates scored", "tests", "fidelity", fmt.Sprintf("ε of the search, δ = %s", chart.Scientific(r.Config.Delta))},
		Notes: []string{fmt.Sprintf("Means of %d searches with k = %d, g = %g, T_max = %d. A score has one peak of %g, of width %g decades, somewhere in four decades of learning rates. Each scored candidate is trained k times on 1/k of the data.",
			r.Config.Repeats, r.Config.Parts, r.Config.Granularity, r.Config.MaxTests, peak, width)}}
	for _, p := range r.Proposers {
		t.Rows = append(t.Rows, []string{p.Name, fmt.Sprintf("%.1f", stat.Mean(p.Scored, nil)), fmt.Sprintf("%.1f", stat.Mean(p.Tests, nil)),
			figures.EstimateOf(p.Fidelity).Text(3), accounting.FormatUpper(p.Epsilon)})
	}
	return t
}

// Figure draws each search.
func (r MachineResult) Figure() chart.Figure {
	c := chart.Chart{Name: "ding2023-machine-runs", Title: "Section 4.1: what a search scores, and what it finds", XLabel: "candidates trained and scored", YLabel: "fidelity of the winner", XLog: true, YMin: 0, YMax: 1.05}
	for i, p := range r.Proposers {
		c.Curves = append(c.Curves, chart.Curve{Label: p.Name, X: p.Scored, Y: p.Fidelity, Kind: chart.Points, Color: i + 1})
	}
	return c
}
