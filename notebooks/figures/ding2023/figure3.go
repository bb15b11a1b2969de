package ding2023

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure3Config describes Figure 3: the fidelity of the winner over the iterations.
type Figure3Config struct {
	KEpsilons   []float64 `rule:"> 0"`       // kε > 0, one panel each
	Seeds       int       `rule:">= 1"`      // runs that are drawn, >= 1
	Repeats     int       `rule:">= 2"`      // runs behind the means, >= Seeds
	Candidates  int       `rule:">= 1"`      // |S| >= 1, with uniform scores
	Granularity float64   `rule:"in (0, 1)"` // g in (0, 1)
	Sweep       []float64 `rule:"> 0"`       // kε of the second chart, increasing
	Seed        string
}

// Validate returns every fault, joined.
func (c Figure3Config) Validate() error {
	f := figures.Faults(c)
	f.Count("Repeats", c.Repeats, c.Seeds)
	return f.Err()
}

// Figure3Result has one entry for each kε.
type Figure3Result struct {
	Config Figure3Config
	Groups []FidelityGroup
	Sweep  []FidelityGroup // without Runs

	// Quarter has each kε at a quarter of the noise that Algorithm 1 prints, so at 4kε; without Runs.
	Quarter []FidelityGroup
}

// FidelityGroup has the runs of one kε. Fidelity is the winner's score over the best; 0
// before there is a winner.
type FidelityGroup struct {
	KEpsilon float64
	Runs     [][]float64        // fidelity after each iteration, of the runs that are drawn
	Path     []figures.Estimate // after each iteration; a run that has ended keeps its winner
	Final    figures.Estimate   // of all repeats
	Below    float64            // share of runs that end below 0.9
	Random   float64            // mean fidelity of a candidate chosen at random
}

// Figure3 reproduces Figure 3.
func Figure3(cfg Figure3Config) (Figure3Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure3Result{}, err
	}
	of := func(kEpsilon float64) FidelityGroup { return fidelities(cfg, kEpsilon) }
	r := Figure3Result{Config: cfg, Groups: figures.Map(cfg.KEpsilons, of)}
	cfg.Seeds, cfg.Repeats = 0, max(2, cfg.Repeats/2)
	r.Sweep = figures.Map(cfg.Sweep, of)
	r.Quarter = figures.Map(cfg.KEpsilons, func(kEpsilon float64) FidelityGroup { return of(4 * kEpsilon) })
	return r, nil
}

func fidelities(cfg Figure3Config, kEpsilon float64) FidelityGroup {
	g := FidelityGroup{KEpsilon: kEpsilon}
	search, root := Algorithm1(kEpsilon, 0, cfg.Granularity), streams.Fixed(cfg.Seed).Child(fmt.Sprintf("kε = %g", kEpsilon))
	var paths [][]float64
	var random []float64
	final := overRuns(cfg.Repeats, cfg.Candidates, root, "", func(scores []float64, rng *rand.Rand) float64 {
		best := slices.Max(scores)
		random = append(random, stat.Mean(scores, nil)/best)
		trace := search.Run(scores, rng)
		run := make([]float64, len(trace.Iterations))
		for j, it := range trace.Iterations {
			if it.Winner >= 0 {
				run[j] = scores[it.Winner] / best
			}
		}
		paths = append(paths, run)
		return run[len(run)-1]
	})
	for _, fidelity := range final {
		if fidelity < reasonable {
			g.Below += 1 / float64(cfg.Repeats)
		}
	}
	g.Runs, g.Path, g.Final, g.Random = paths[:cfg.Seeds], meanPath(paths), figures.EstimateOf(final), stat.Mean(random, nil)
	return g
}

func longest(runs [][]float64) (most int) {
	for _, run := range runs {
		most = max(most, len(run))
	}
	return most
}

// meanPath returns the estimate of runs at each iteration.
func meanPath(runs [][]float64) (path []figures.Estimate) {
	for j := range longest(runs) {
		at := make([]float64, len(runs))
		for i, run := range runs {
			at[i] = run[min(j, len(run)-1)]
		}
		path = append(path, figures.EstimateOf(at))
	}
	return path
}

// Figure draws one panel for each kε.
func (r Figure3Result) Figure() chart.Figure {
	p := chart.Panels{Name: "ding2023-figure3", Title: "Figure 3: fidelity of the winner over the iterations", Columns: min(3, len(r.Groups)),
		Notes: []string{fmt.Sprintf("Algorithm 1; %d candidates with uniform scores. Settings ours: u_0 = 0, g = %g. Fidelity is 0 before there is a winner. In the mean curve, a run that has ended keeps its winner. Band: two standard errors.",
			r.Config.Candidates, r.Config.Granularity)}}
	most := 1
	for _, g := range r.Groups {
		most = max(most, longest(g.Runs))
	}
	for _, g := range r.Groups {
		c := chart.Chart{Name: fmt.Sprintf("ding2023-figure3-%d", len(p.Charts)+1), Title: fmt.Sprintf("kε = %g", g.KEpsilon), XLabel: "iteration", YLabel: "fidelity α",
			YMin: 0, YMax: 1.05, XMin: 0, XMax: float64(most) + 1}
		for i, run := range g.Runs {
			label := ""
			if i == 0 {
				label = fmt.Sprintf("%d single runs", len(g.Runs))
			}
			c.Curves = append(c.Curves, chart.Curve{Label: label, X: figures.UpTo(len(run)), Y: run, Kind: chart.Step, Reference: true})
		}
		shown := min(most, len(g.Path))
		mean := figures.Means(chart.Curve{Label: fmt.Sprintf("mean of %d runs", r.Config.Repeats), X: figures.UpTo(shown), Color: 1}, g.Path[:shown], 2, figures.Estimate.StdErr)
		random := chart.Curve{Label: "a random candidate, mean", X: chart.Series{1, float64(most)}, Y: chart.Series{g.Random, g.Random}, Color: 2}
		c.Curves = append(c.Curves, mean, random)
		p.Charts = append(p.Charts, c)
	}
	return p
}

// SweepChart draws the mean final fidelity against kε.
func (r Figure3Result) SweepChart() chart.Chart {
	var x, mean, low, high chart.Series
	for _, g := range r.Sweep {
		x, mean = append(x, g.KEpsilon), append(mean, g.Final.Mean)
		low, high = append(low, math.Max(0, g.Final.Mean-g.Final.StdDev)), append(high, math.Min(1, g.Final.Mean+g.Final.StdDev))
	}
	return chart.Chart{Name: "ding2023-figure3-sweep", Title: "Final fidelity of Algorithm 1 against its noise", XLabel: "kε", YLabel: "final fidelity", XLog: true, YMin: 0, YMax: 1.02,
		Curves: []chart.Curve{
			{Label: "mean, with one standard deviation", X: x, Y: mean, Low: low, High: high},
			figures.Level("a random candidate", x, r.Sweep[0].Random),
		},
		Notes: []string{fmt.Sprintf("%d candidates with uniform scores, u_0 = 0, g = %g. The paper's heuristic is kε ≥ %g.", r.Config.Candidates, r.Config.Granularity, papers.Ding2023.Fidelity.LeastProduct.Number)}}
}

// reasonable is the mean fidelity that we take the paper's word for.
const reasonable = 0.9

// leastProduct returns the kε at which the mean fidelity of the sweep first is reasonable, and
// where that is so two standard errors higher and lower. NaN is nowhere, or already at the
// first.
func (r Figure3Result) leastProduct() (middle, low, high float64) {
	return crossing(r.Sweep, 0), crossing(r.Sweep, 2), crossing(r.Sweep, -2)
}

// crossing is between two kε of the sweep, on their logarithm.
func crossing(sweep []FidelityGroup, errors float64) float64 {
	for i := 1; i < len(sweep); i++ {
		from, to := sweep[i-1].Final.Mean+errors*sweep[i-1].Final.StdErr(), sweep[i].Final.Mean+errors*sweep[i].Final.StdErr()
		if from < reasonable && to >= reasonable {
			share := (reasonable - from) / (to - from)
			return sweep[i-1].KEpsilon * math.Pow(sweep[i].KEpsilon/sweep[i-1].KEpsilon, share)
		}
	}
	return math.NaN()
}

// Compare sets the least kε with a reasonable mean fidelity next to the heuristic.
func (r Figure3Result) Compare() figures.Comparison {
	middle, low, high := r.leastProduct()
	row := figures.Against(papers.Ding2023.Fidelity.LeastProduct, middle)
	row.Quantity += fmt.Sprintf(", ours: mean fidelity %g", reasonable)
	if row.OursErr = math.Max(middle-low, high-middle); math.IsNaN(row.OursErr) {
		row.Ours, row.OursErr = math.NaN(), 0 // an end of the interval is beyond the sweep
	}
	row.Note = fmt.Sprintf("at kε = %g a score of [0, 1] gets Laplace noise of scale 4/(kε) = %g", row.Reference, 4/row.Reference)
	c := figures.Comparison{Name: "ding2023-figure3", Title: "Figure 3: how much noise the search bears", Rows: []figures.ComparisonRow{row}}
	var rapidly, unlikely figures.Cases
	for _, g := range r.Groups {
		if over, err := g.Final.Mean-reasonable, 2*g.Final.StdErr(); g.KEpsilon >= row.Reference {
			rapidly.Add(over, err)
		} else {
			unlikely.Add(-over, err)
		}
	}
	rapidly.AddTo(&c, papers.Ding2023.Fidelity.Rapidly, "")
	unlikely.AddTo(&c, papers.Ding2023.Fidelity.Unlikely, "")
	for i := range c.Rows {
		c.Rows[i].OurChoice = true // the text does not state which fidelity is reasonable
	}
	return c
}

// Table has the final fidelity over all repeats.
func (r Figure3Result) Table() figures.Table {
	t := figures.Table{Name: "ding2023-figure3-final", Title: "Final fidelity of Algorithm 1",
		Columns: []string{"kε", "mean", "standard deviation", fmt.Sprintf("runs below %g", reasonable), "a random candidate", "mean at a quarter of the noise", "in the paper"},
		Notes:   []string{fmt.Sprintf("%d runs each. Paper: %v.", r.Config.Repeats, papers.Ding2023.Fidelity.Source)}}
	for i, g := range r.Groups {
		says := "“converges towards 1 rapidly”"
		if g.KEpsilon < papers.Ding2023.Fidelity.LeastProduct.Number {
			says = "“unlikely to achieve a reasonable fidelity score”"
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(g.KEpsilon), g.Final.Text(3), fmt.Sprintf("%.2f", g.Final.StdDev),
			fmt.Sprintf("%.0f %%", 100*g.Below), fmt.Sprintf("%.3f", g.Random), r.Quarter[i].Final.Text(3), says})
	}
	return t
}
