package ding2023

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figure3Config describes Figure 3: the fidelity of the winner over the iterations.
type Figure3Config struct {
	KEpsilons   []float64 // kε > 0, one panel each
	Seeds       int       // runs that are drawn, >= 1
	Repeats     int       // runs behind the means, >= Seeds
	Candidates  int       // |S| >= 1, with uniform scores
	Granularity float64   // g in (0, 1)
	Sweep       []float64 // kε of the second chart, increasing
	Seed        string
}

// Validate returns every fault, joined.
func (c Figure3Config) Validate() error {
	return faults("Figure3Config",
		positiveList("KEpsilons", c.KEpsilons, false), positiveList("Sweep", c.Sweep, false),
		fault{"Seeds", float64(c.Seeds), c.Seeds >= 1, ">= 1"},
		fault{"Repeats", float64(c.Repeats), c.Repeats >= max(2, c.Seeds), "at least Seeds, and 2"},
		fault{"Candidates", float64(c.Candidates), c.Candidates >= 1, ">= 1"},
		fault{"Granularity", c.Granularity, c.Granularity > 0 && c.Granularity < 1, "in (0, 1)"})
}

// Figure3Result has one entry for each kε.
type Figure3Result struct {
	Config Figure3Config
	Groups []FidelityGroup
	Sweep  []FidelityGroup // without Runs
}

// FidelityGroup has the runs of one kε. Fidelity is the winner's score over the best; 0
// before there is a winner.
type FidelityGroup struct {
	KEpsilon     float64
	Runs         [][]float64 // fidelity after each iteration, of the runs that are drawn
	Mean, StdDev float64     // of the final fidelity, over all repeats
	StdErr       float64     // of Mean
	Below        float64     // share of runs that end below 0.9
	Random       float64     // mean fidelity of a candidate chosen at random
}

// Figure3 reproduces Figure 3.
func Figure3(cfg Figure3Config) (Figure3Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure3Result{}, err
	}
	r := Figure3Result{Config: cfg}
	for _, kEpsilon := range cfg.KEpsilons {
		r.Groups = append(r.Groups, fidelities(cfg, kEpsilon))
	}
	cfg.Seeds, cfg.Repeats = 0, max(2, cfg.Repeats/2)
	for _, kEpsilon := range cfg.Sweep {
		r.Sweep = append(r.Sweep, fidelities(cfg, kEpsilon))
	}
	return r, nil
}

func fidelities(cfg Figure3Config, kEpsilon float64) FidelityGroup {
	g := FidelityGroup{KEpsilon: kEpsilon}
	search := Algorithm1(kEpsilon, 0, cfg.Granularity)
	root := streams.Fixed(cfg.Seed).Child(fmt.Sprintf("kε = %g", kEpsilon))
	final, random := make([]float64, cfg.Repeats), make([]float64, cfg.Repeats)
	for i := range cfg.Repeats {
		rng := root.Rand(fmt.Sprintf("run %d", i))
		scores := uniformScores(cfg.Candidates, rng)
		best := maximum(scores)
		random[i] = stat.Mean(scores, nil) / best
		trace := search.Run(scores, rng)
		run := make([]float64, len(trace.Iterations))
		for j, it := range trace.Iterations {
			if it.Winner >= 0 {
				run[j] = scores[it.Winner] / best
			}
		}
		final[i] = run[len(run)-1]
		if final[i] < 0.9 {
			g.Below += 1 / float64(cfg.Repeats)
		}
		if i < cfg.Seeds {
			g.Runs = append(g.Runs, run)
		}
	}
	g.Mean, g.StdDev = stat.MeanStdDev(final, nil)
	g.StdErr = g.StdDev / math.Sqrt(float64(cfg.Repeats))
	g.Random = stat.Mean(random, nil)
	return g
}

func maximum(values []float64) float64 {
	best := values[0]
	for _, v := range values {
		best = math.Max(best, v)
	}
	return best
}

// Panels draws one panel for each kε.
func (r Figure3Result) Panels() figures.Panels {
	p := figures.Panels{Name: "ding2023-figure3", Title: "Figure 3: fidelity of the winner over the iterations", Columns: min(3, len(r.Groups)),
		Notes: []string{fmt.Sprintf("%d runs of Algorithm 1; %d candidates with uniform scores, u0 = 0, g = %g.", r.Config.Seeds, r.Config.Candidates, r.Config.Granularity)}}
	for _, g := range r.Groups {
		c := figures.Chart{Name: fmt.Sprintf("ding2023-figure3-%d", len(p.Charts)+1), Title: fmt.Sprintf("kε = %g", g.KEpsilon), XLabel: "iteration", YLabel: "fidelity α", YMin: 0, YMax: 1.05}
		longest := 0
		for i, run := range g.Runs {
			x := make(figures.Numbers, len(run))
			for j := range x {
				x[j] = float64(j + 1)
			}
			longest = max(longest, len(run))
			c.Curves = append(c.Curves, figures.Curve{X: x, Y: run, Kind: figures.Step, Color: i%figures.PaletteSize + 1})
		}
		c.Curves = append(c.Curves, figures.Curve{Label: "mean of final values", X: figures.Numbers{1, float64(longest)}, Y: figures.Numbers{g.Mean, g.Mean}, Reference: true})
		p.Charts = append(p.Charts, c)
	}
	return p
}

// SweepChart draws the mean final fidelity against kε.
func (r Figure3Result) SweepChart() figures.Chart {
	var x, mean, low, high figures.Numbers
	for _, g := range r.Sweep {
		x, mean = append(x, g.KEpsilon), append(mean, g.Mean)
		low, high = append(low, math.Max(0, g.Mean-g.StdDev)), append(high, math.Min(1, g.Mean+g.StdDev))
	}
	return figures.Chart{Name: "ding2023-figure3-sweep", Title: "Final fidelity of Algorithm 1 against its noise", XLabel: "kε", YLabel: "final fidelity", XLog: true, YMin: 0, YMax: 1.02,
		Curves: []figures.Curve{
			{Label: "mean, with one standard deviation", X: x, Y: mean, Low: low, High: high},
			{Label: "a random candidate", X: figures.Numbers{x[0], x[len(x)-1]}, Y: figures.Numbers{r.Sweep[0].Random, r.Sweep[0].Random}, Reference: true},
		},
		Notes: []string{fmt.Sprintf("%d candidates with uniform scores, u0 = 0, g = %g. The paper's heuristic is kε >= %g.", r.Config.Candidates, r.Config.Granularity, papers.Ding2023.Fidelity.LeastProduct.Number)}}
}

// Compare sets the least kε of the sweep with a mean fidelity of 0.9 beside the heuristic.
func (r Figure3Result) Compare() figures.Comparison {
	v := papers.Ding2023.Fidelity.LeastProduct
	row := figures.ComparisonRow{Quantity: v.Quantity + ", ours: mean fidelity 0.9", Ours: math.NaN(), Reference: v.Number, AbsErr: v.Source.AbsErr, Read: v.Source.Read, Source: v.Source.String(),
		Note: "at kε = 5 a score of [0, 1] gets Laplace noise of scale 4/(kε) = 0.8"}
	for _, g := range r.Sweep {
		if g.Mean >= 0.9 {
			row.Ours = g.KEpsilon
			break
		}
	}
	return figures.Comparison{Name: "ding2023-figure3", Title: "Figure 3: how much noise the search bears", Rows: []figures.ComparisonRow{row}}
}

// Table has the final fidelity over all repeats.
func (r Figure3Result) Table() figures.Table {
	t := figures.Table{Name: "ding2023-figure3-final", Title: "Final fidelity of Algorithm 1",
		Columns: []string{"kε", "mean", "standard deviation", "runs below 0.9", "a random candidate", "the paper says"},
		Notes:   []string{fmt.Sprintf("%d runs each. Paper: %v.", r.Config.Repeats, papers.Ding2023.Fidelity.Source)}}
	for _, g := range r.Groups {
		says := "grows stably, converges towards 1 rapidly"
		if g.KEpsilon < papers.Ding2023.Fidelity.LeastProduct.Number {
			says = "unlikely to be reasonable"
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(g.KEpsilon), fmt.Sprintf("%.3f ± %.3f", g.Mean, 2*g.StdErr), fmt.Sprintf("%.2f", g.StdDev),
			fmt.Sprintf("%.0f %%", 100*g.Below), fmt.Sprintf("%.3f", g.Random), says})
	}
	return t
}
