package ding2023

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure1Config describes Figure 1: step and level u over the iterations.
type Figure1Config struct {
	Best        float64   `rule:"in (0, 1]"` // u*, the best score, in (0, 1]; the others are uniform below it
	Candidates  int       `rule:">= 1"`      // >= 1
	Granularity float64   `rule:"in (0, 1)"` // g in (0, 1)
	KEpsilons   []float64 `rule:"any"`       // kε > 0, one run each; +Inf means no noise
	Seed        string
}

// Validate returns every fault, joined.
func (c Figure1Config) Validate() error {
	f := figures.Faults(c)
	f.Each("KEpsilons", c.KEpsilons, check.Rule{Text: "must be > 0", Holds: func(x float64) bool { return x > 0 }})
	return f.Err()
}

// Figure1Result has one run for each kε.
type Figure1Result struct {
	Config Figure1Config
	Runs   []Trace
}

// Figure1 reproduces Figure 1: the elastic step, and the level that it lifts.
func Figure1(cfg Figure1Config) (Figure1Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure1Result{}, err
	}
	root := streams.Fixed(cfg.Seed)
	scores := uniformScores(cfg.Candidates, root.Rand("scores"))
	for i := range scores {
		scores[i] *= cfg.Best
	}
	scores[len(scores)/2] = cfg.Best
	r := Figure1Result{Config: cfg}
	for _, kEpsilon := range cfg.KEpsilons {
		r.Runs = append(r.Runs, Algorithm1(kEpsilon, 0, cfg.Granularity).Run(scores, root.Rand(fmt.Sprintf("noise, kε = %g", kEpsilon))))
	}
	return r, nil
}

// runColor keeps crimson for the bar of Equation (11).
func runColor(i int) int {
	colors := []int{1, 2, 4, 5, 6, 7, 8}
	return colors[i%len(colors)]
}

// stepBound is Equation (11): the step at the first test of the convergence phase, where u is
// above u* - g log n, is at most 2(n+1), n = (u*-u0)/g.
func (r Figure1Result) stepBound() float64 { return 2 * (r.Config.Best/r.Config.Granularity + 1) }

// Figure draws level and step.
func (r Figure1Result) Figure() chart.Figure {
	level := chart.Chart{Name: "ding2023-figure1-level", Title: "level", XLabel: "iteration", YLabel: "u"}
	step := chart.Chart{Name: "ding2023-figure1-step", Title: "step", XLabel: "iteration", YLabel: "step, in units of g", YLog: true}
	longest := 0
	for i, run := range r.Runs {
		x, u, s := chart.Series{0}, chart.Series{0}, chart.Series{1}
		for j, it := range run.Iterations {
			x, u = append(x, float64(j+1)), append(u, it.Level)
			s = append(s, math.Max(it.Step, 0.5)) // 0 has no place on a log axis
		}
		longest = max(longest, len(x)-1)
		label := kLabel(r.Config.KEpsilons[i])
		level.Curves = append(level.Curves, chart.Curve{Label: label, X: x, Y: u, Kind: chart.Step, Color: runColor(i)})
		step.Curves = append(step.Curves, chart.Curve{Label: label, X: x, Y: s, Kind: chart.Step, Color: runColor(i)})
	}
	ends := []float64{0, float64(longest)}
	bound := chart.Curve{Label: "Equation (11): 2(n+1)", X: ends, Y: chart.Series{r.stepBound(), r.stepBound()}, Color: 3}
	level.Curves, step.Curves = append(level.Curves, figures.Level("best score u*", ends, r.Config.Best)), append(step.Curves, bound)
	return chart.Panels{Name: "ding2023-figure1", Title: "Figure 1: Algorithm 1 over its iterations", Columns: 2, Charts: []chart.Chart{level, step},
		Notes: []string{fmt.Sprintf("%d candidates. Settings ours: u_0 = 0, g = %g, and the scores. A step of 0, where a run ends, is drawn at 0.5.", r.Config.Candidates, r.Config.Granularity)}}
}

// passes counts the tests with success.
func (t Trace) passes() (count int) {
	for _, it := range t.Iterations {
		if it.Passed {
			count++
		}
	}
	return count
}

// Compare sets the length of the run without noise next to that of Lemma 1.
func (r Figure1Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "ding2023-figure1", Title: "Lemma 1 and Equation (11): tests without noise, and the step"}
	n := r.steps()
	k, m := lemma1(n)
	for i, kEpsilon := range r.Config.KEpsilons {
		if !math.IsInf(kEpsilon, 1) {
			continue
		}
		c.Rows = append(c.Rows, figures.ComparisonRow{
			Quantity: fmt.Sprintf("iterations T at n = %d (rounded down), no noise", n), Ours: float64(len(r.Runs[i].Iterations)), Reference: float64(2*k + 2*m), Read: papers.Recomputed,
			Source: "Ding, Wu, Xu and Pan (2023), proof of Lemma 1: 2m + 2k, evaluated", Note: "the last iteration, in which a step of 1 becomes 0, is not counted there",
		})
	}
	if reached, bound := r.converging(), r.stepBound(); len(reached) > 0 {
		var holds figures.Cases
		for _, step := range reached {
			holds.AddIf(step <= bound)
		}
		c.Rows = append(c.Rows, holds.Against(papers.Ding2023.StepBound).
			WithNote("2(n+1) = %.4g; the largest step is %.4g", bound, slices.Max(slices.Collect(maps.Values(reached)))))
	}
	return c
}

// converging returns, for each run that reaches the convergence phase, the step at the first test
// there: the first above u* - g log n.
func (r Figure1Result) converging() map[int]float64 {
	n, steps := r.Config.Best/r.Config.Granularity, map[int]float64{}
	for i, run := range r.Runs {
		for _, it := range run.Iterations {
			if it.Level > r.Config.Best-r.Config.Granularity*math.Log(n) {
				steps[i] = it.Step
				break
			}
		}
	}
	return steps
}

// Table lists where each run ends.
func (r Figure1Result) Table() figures.Table {
	t := figures.Table{Name: "ding2023-figure1-ends", Title: fmt.Sprintf("Where the runs end; u* = %.3g, g = %g", r.Config.Best, r.Config.Granularity),
		Columns: []string{"noise", "tests T", "with success", "level at the end", "step at the first test of the convergence phase"}}
	steps := r.converging()
	for i, run := range r.Runs {
		step := "not reached"
		if at, ok := steps[i]; ok {
			step = fmt.Sprintf("%.4g", at)
		}
		t.Rows = append(t.Rows, []string{kLabel(r.Config.KEpsilons[i]), fmt.Sprint(len(run.Iterations)), fmt.Sprint(run.passes()),
			fmt.Sprintf("%.3g", run.Iterations[len(run.Iterations)-1].Level), step})
	}
	return t
}

// steps is n, rounded down.
func (r Figure1Result) steps() int { return int(r.Config.Best/r.Config.Granularity + 1e-9) }

// lemma1 returns k and m of Lemma 1: n = 2^k - 1 + n' with 0 <= n' < 2^k. m is the number of ones
// of n' in base 2. A run without noise passes k+m tests and takes 2(k+m)+1.
func lemma1(n int) (k, m int) {
	k = bits.Len(uint(n+1)) - 1
	return k, bits.OnesCount(uint(n + 1 - 1<<k))
}

func kLabel(kEpsilon float64) string {
	if math.IsInf(kEpsilon, 1) {
		return "no noise"
	}
	return fmt.Sprintf("kε = %g", kEpsilon)
}
