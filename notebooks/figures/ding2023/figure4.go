package ding2023

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure4Config describes Figure 4: iterations T against n = (u*-u0)/g.
type Figure4Config struct {
	KEpsilons   []float64 `rule:"> 0"`  // kε > 0, one curve each
	Ns          []float64 `rule:"> 1"`  // n, each > 1; g = u*/n
	Candidates  int       `rule:">= 1"` // |S| >= 1
	Repeats     int       `rule:">= 2"` // runs at each point of the figure, as in the paper, >= 2
	ManyRepeats int       `rule:">= 2"` // runs at each point behind the factors, >= Repeats
	Sizes       []int     `rule:">= 1"` // |S| of the second panel
	Seed        string
}

// Validate returns every fault, joined.
func (c Figure4Config) Validate() error {
	f := figures.Faults(c)
	f.Count("ManyRepeats", c.ManyRepeats, c.Repeats)
	return f.Err()
}

// Figure4Result has one curve for each kε.
type Figure4Result struct {
	Config Figure4Config
	Curves []IterationCurve
	Silent []float64 // T without noise, at each n: the mean over whole numbers in [n/√2, n√2]
	N      float64   // the n nearest to 100
}

// IterationCurve is T at each n, and at N for each number of candidates.
type IterationCurve struct {
	KEpsilon float64
	Few, T   []figures.Estimate // over Repeats and ManyRepeats runs
	BySize   []figures.Estimate
	Quarter  figures.Estimate // at N, with a quarter of the noise that Algorithm 1 prints
}

// Figure4 reproduces Figure 4, and adds the number of candidates.
func Figure4(cfg Figure4Config) (Figure4Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure4Result{}, err
	}
	r := Figure4Result{Config: cfg, N: nearest(cfg.Ns, 100)}
	for _, kEpsilon := range cfg.KEpsilons {
		root := streams.Fixed(cfg.Seed).Child(fmt.Sprintf("kε = %g", kEpsilon))
		c := IterationCurve{KEpsilon: kEpsilon}
		for _, n := range cfg.Ns {
			ts := iterations(kEpsilon, n, cfg.Candidates, cfg.ManyRepeats, root)
			c.Few, c.T = append(c.Few, figures.EstimateOf(ts[:cfg.Repeats])), append(c.T, figures.EstimateOf(ts))
		}
		for _, size := range cfg.Sizes {
			repeats := max(2, min(cfg.ManyRepeats, 200_000/size))
			c.BySize = append(c.BySize, figures.EstimateOf(iterations(kEpsilon, r.N, size, repeats, root)))
		}
		c.Quarter = figures.EstimateOf(iterations(4*kEpsilon, r.N, cfg.Candidates, cfg.ManyRepeats, root))
		r.Curves = append(r.Curves, c)
	}
	r.Silent = figures.Map(cfg.Ns, silent)
	return r, nil
}

// iterations returns T of repeats runs with g = u*/n. Each run has its own scores.
func iterations(kEpsilon, n float64, candidates, repeats int, root streams.Root) []float64 {
	return overRuns(repeats, candidates, root, fmt.Sprintf("n %g, candidates %d, ", n, candidates), func(scores []float64, rng *rand.Rand) float64 {
		return float64(len(Algorithm1(kEpsilon, 0, slices.Max(scores)/n).Run(scores, rng).Iterations))
	})
}

// silent returns T = 2(k+m)+1 without noise, the mean over whole numbers around n.
func silent(n float64) float64 {
	sum, count := 0.0, 0.0
	for i := max(1, int(math.Ceil(n/math.Sqrt2))); i <= int(n*math.Sqrt2); i++ {
		k, m := lemma1(i)
		sum, count = sum+float64(2*(k+m)+1), count+1
	}
	return sum / count
}

// logarithms are the readings of log n: the paper does not print the base.
var logarithms = []struct {
	name string
	of   func(float64) float64
}{{"log2", math.Log2}, {"ln", math.Log}}

// factor returns the c that minimizes Σ (T - c log n)², and its standard error.
func (r Figure4Result) factor(ts []figures.Estimate, log func(float64) float64) (c, stdErr float64) {
	xy, xx, variance := 0.0, 0.0, 0.0
	for i, n := range r.Config.Ns {
		x := log(n)
		xy, xx, variance = xy+x*ts[i].Mean, xx+x*x, variance+math.Pow(x*ts[i].StdErr(), 2)
	}
	return xy / xx, math.Sqrt(variance) / xx
}

// Figure draws T against n, and against the number of candidates.
func (r Figure4Result) Figure() chart.Figure {
	ns, sizes := r.Config.Ns, figures.Floats(r.Config.Sizes)
	t := chart.Chart{Name: "ding2023-figure4-n", Title: "iterations against n", XLabel: "n = (u* - u_0)/g", YLabel: "iterations T", XLog: true}
	s := chart.Chart{Name: "ding2023-figure4-s", Title: fmt.Sprintf("iterations against |S|, n = %g", r.N), XLabel: "number of candidates |S|", YLabel: "iterations T", XLog: true}
	for _, c := range papers.Ding2023.Iterations.Multipliers {
		y := figures.Map(ns, func(n float64) float64 { return c * math.Log2(n) })
		t.Curves = append(t.Curves, chart.Curve{Label: fmt.Sprintf("%g·log_2 n", c), X: ns, Y: y, Reference: true})
	}
	t.Curves = append(t.Curves, chart.Curve{Label: "no noise", X: ns, Y: r.Silent, Color: 4})
	for i, c := range r.Curves {
		points := chart.Curve{Label: kLabel(c.KEpsilon), X: ns, Kind: chart.Points, Color: i + 1, Dodge: figures.Dodged(i, len(r.Curves))}
		t.Curves = append(t.Curves, figures.Means(points, c.Few, 1, figures.Estimate.Spread))
		means := figures.Means(chart.Curve{Label: kLabel(c.KEpsilon), X: sizes, Color: i + 1}, c.BySize, 2, figures.Estimate.StdErr)
		s.Curves, s.YMax = append(s.Curves, means), max(s.YMax, 1.05*slices.Max(means.High))
	}
	return chart.Panels{Name: "ding2023-figure4", Title: "Figure 4: how many tests Algorithm 1 makes", Columns: 2, Charts: []chart.Chart{t, s},
		Notes: []string{fmt.Sprintf("Left: mean and standard deviation of %d runs, %d candidates with uniform scores, u_0 = 0. Right: means of up to %d runs, band: two standard errors. Points of one n are moved apart. Factors of log n and the spread of T are over %d runs a point.", r.Config.Repeats, r.Config.Candidates, r.Config.ManyRepeats, r.Config.ManyRepeats)}}
}

// Compare sets our factors next to those of the text, for both readings of log.
func (r Figure4Result) Compare() figures.Comparison {
	c, at := figures.Comparison{Name: "ding2023-figure4", Title: "Figure 4: the multiplier of log n"}, slices.Index(r.Config.Ns, r.N)
	add := func(v papers.Value, at string, ours, stdErr float64, note string) {
		c.Rows = append(c.Rows, figures.Against(v, ours).Of(at).WithErr(2*stdErr).WithNote("%s", note).ByOurChoice())
	}
	for _, curve := range r.Curves {
		for _, log := range logarithms {
			of, x := fmt.Sprintf(", log read as %s, kε = %g", log.name, curve.KEpsilon), log.of(r.N)
			fit, fitErr := r.factor(curve.T, log.of)
			add(papers.Ding2023.Iterations.Multiplier, of, fit, fitErr, "kε of the figure and the base of its logarithm are not printed")
			add(papers.Ding2023.Iterations.Between, fmt.Sprintf(" = %g", r.N)+of, curve.T[at].Mean/x, curve.T[at].StdErr()/x,
				"3 ± 2 is for the two ends; the n of the figure are not printed")
		}
	}
	byNoise := func(a, b IterationCurve) int { return cmp.Compare(a.KEpsilon, b.KEpsilon) }
	low, high := slices.MinFunc(r.Curves, byNoise), slices.MaxFunc(r.Curves, byNoise)
	if low.KEpsilon < high.KEpsilon {
		// The standard deviation of R numbers has a relative error of about 1/√(2R).
		a, b := low.T[at].StdDev, high.T[at].StdDev
		var larger figures.Cases
		larger.Add(b-a, 2*math.Hypot(a, b)/math.Sqrt(2*float64(r.Config.ManyRepeats)))
		c.Rows = append(c.Rows, larger.Against(papers.Ding2023.Iterations.Variance).
			WithNote("standard deviation %.2f at kε = %g, %.2f at kε = %g: a larger kε is less noise", a, low.KEpsilon, b, high.KEpsilon))
	}
	return c
}

// Table has T at N, at how many n the factor is “between 1 and 5”, and T at N by |S|.
func (r Figure4Result) Table() figures.Table {
	t := figures.Table{Name: "ding2023-figure4-spread", Title: fmt.Sprintf("T at n = %g over %d runs", r.N, r.Config.ManyRepeats),
		Columns: []string{"kε", "mean T", "standard deviation of T", "n with T/log2 n in 1 to 5", "with T/ln n", "mean T over log2 n", "at a quarter of the noise"},
		Notes:   []string{"± two standard errors, of up to as many runs."}}
	for _, size := range r.Config.Sizes {
		t.Columns = append(t.Columns, fmt.Sprintf("mean T, |S| = %d", size))
	}
	between := papers.Ding2023.Iterations.Between
	for _, c := range r.Curves {
		at := c.T[slices.Index(r.Config.Ns, r.N)]
		row := []string{fmt.Sprint(c.KEpsilon), fmt.Sprintf("%.2f", at.Mean), fmt.Sprintf("%.2f", at.StdDev)}
		for _, log := range logarithms {
			within := 0
			for i, n := range r.Config.Ns {
				if math.Abs(c.T[i].Mean/log.of(n)-between.Number) <= between.Source.AbsErr {
					within++
				}
			}
			row = append(row, fmt.Sprintf("%d of %d", within, len(r.Config.Ns)))
		}
		row = append(row, fmt.Sprintf("%.2f", at.Mean/math.Log2(r.N)), fmt.Sprintf("%.2f", c.Quarter.Mean/math.Log2(r.N)))
		for _, e := range c.BySize {
			row = append(row, e.Text(1))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func nearest(values []float64, x float64) float64 {
	return slices.MinFunc(values, func(a, b float64) int {
		return cmp.Compare(math.Abs(math.Log(a/x)), math.Abs(math.Log(b/x)))
	})
}
