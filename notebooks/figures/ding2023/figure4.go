package ding2023

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figure4Config describes Figure 4: iterations T against n = (u*-u0)/g.
type Figure4Config struct {
	KEpsilons   []float64 // kε > 0, one curve each
	Ns          []float64 // n, each > 1; g = u*/n
	Candidates  int       // |S| >= 1
	Repeats     int       // runs at each point of the figure, as in the paper, >= 2
	ManyRepeats int       // runs at each point behind the multipliers, >= Repeats
	Sizes       []int     // |S| of the second panel
	Seed        string
}

// Validate returns every fault, joined.
func (c Figure4Config) Validate() error {
	least := math.Inf(1)
	for _, n := range c.Ns {
		least = math.Min(least, n)
	}
	return faults("Figure4Config",
		positiveList("KEpsilons", c.KEpsilons, false), positiveList("Ns", c.Ns, false), positiveInts("Sizes", c.Sizes),
		fault{"Ns", least, least > 1, "> 1, each"},
		fault{"Candidates", float64(c.Candidates), c.Candidates >= 1, ">= 1"},
		fault{"Repeats", float64(c.Repeats), c.Repeats >= 2, ">= 2"},
		fault{"ManyRepeats", float64(c.ManyRepeats), c.ManyRepeats >= c.Repeats, "at least Repeats"})
}

// Figure4Result has one entry for each kε.
type Figure4Result struct {
	Config Figure4Config
	Curves []IterationCurve
	Silent []float64   // T without noise, averaged over n' in [n/√2, n√2]
	BySize [][]float64 // mean T at the n nearest to 100, for each kε and each of Sizes
	SizeN  float64     // that n
}

// IterationCurve has one value for each n.
type IterationCurve struct {
	KEpsilon                float64
	Mean, StdDev            []float64 // over Repeats runs, as in the paper
	LongMean, LongStdDev    []float64 // over ManyRepeats runs
	Multiplier, Multiplier2 float64   // least-squares c of T = c ln n, and of T = c log2 n, over ManyRepeats
}

// Figure4 reproduces Figure 4, and adds the number of candidates.
func Figure4(cfg Figure4Config) (Figure4Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure4Result{}, err
	}
	r := Figure4Result{Config: cfg, SizeN: nearest(cfg.Ns, 100)}
	for _, kEpsilon := range cfg.KEpsilons {
		root := streams.Fixed(cfg.Seed).Child(fmt.Sprintf("kε = %g", kEpsilon))
		c := IterationCurve{KEpsilon: kEpsilon}
		for _, n := range cfg.Ns {
			ts := iterations(kEpsilon, n, cfg.Candidates, cfg.ManyRepeats, root)
			mean, dev := stat.MeanStdDev(ts[:cfg.Repeats], nil)
			c.Mean, c.StdDev = append(c.Mean, mean), append(c.StdDev, dev)
			mean, dev = stat.MeanStdDev(ts, nil)
			c.LongMean, c.LongStdDev = append(c.LongMean, mean), append(c.LongStdDev, dev)
		}
		c.Multiplier = multiplier(cfg.Ns, c.LongMean, math.Log)
		c.Multiplier2 = multiplier(cfg.Ns, c.LongMean, math.Log2)
		r.Curves = append(r.Curves, c)
		var bySize []float64
		for _, size := range cfg.Sizes {
			repeats := max(2, min(cfg.ManyRepeats, 200_000/size))
			bySize = append(bySize, stat.Mean(iterations(kEpsilon, r.SizeN, size, repeats, root), nil))
		}
		r.BySize = append(r.BySize, bySize)
	}
	for _, n := range cfg.Ns {
		r.Silent = append(r.Silent, silent(n))
	}
	return r, nil
}

// iterations returns T of repeats runs with g = u*/n, each with scores of its own.
func iterations(kEpsilon, n float64, candidates, repeats int, root streams.Root) []float64 {
	ts := make([]float64, repeats)
	for i := range ts {
		rng := root.Rand(fmt.Sprintf("n %g, candidates %d, run %d", n, candidates, i))
		scores := uniformScores(candidates, rng)
		ts[i] = float64(len(Algorithm1(kEpsilon, 0, maximum(scores)/n).Run(scores, rng).Iterations))
	}
	return ts
}

// silent returns T without noise, the mean over whole numbers around n.
func silent(n float64) float64 {
	sum, count := 0.0, 0.0
	for i := max(1, int(math.Ceil(n/math.Sqrt2))); i <= int(n*math.Sqrt2); i++ {
		k, m := lemma1(i)
		sum, count = sum+float64(2*(k+m)+1), count+1
	}
	return sum / count
}

// multiplier returns the c that minimizes Σ (T - c log n)².
func multiplier(ns, ts []float64, log func(float64) float64) float64 {
	xy, xx := 0.0, 0.0
	for i, n := range ns {
		xy, xx = xy+log(n)*ts[i], xx+log(n)*log(n)
	}
	return xy / xx
}

func nearest(values []float64, x float64) float64 {
	best := values[0]
	for _, v := range values {
		if math.Abs(math.Log(v/x)) < math.Abs(math.Log(best/x)) {
			best = v
		}
	}
	return best
}

// Panels draws T against n, and against the number of candidates.
func (r Figure4Result) Panels() figures.Panels {
	t := figures.Chart{Name: "ding2023-figure4-n", Title: "iterations against n", XLabel: "n = (u* - u0)/g", YLabel: "iterations T", XLog: true}
	for _, multiplier := range papers.Ding2023.Iterations.Multipliers {
		line := make(figures.Numbers, len(r.Config.Ns))
		for i, n := range r.Config.Ns {
			line[i] = multiplier * math.Log2(n)
		}
		t.Curves = append(t.Curves, figures.Curve{Label: fmt.Sprintf("%g·log2 n", multiplier), X: r.Config.Ns, Y: line, Reference: true})
	}
	t.Curves = append(t.Curves, figures.Curve{Label: "no noise", X: r.Config.Ns, Y: r.Silent, Color: 4})
	s := figures.Chart{Name: "ding2023-figure4-s", Title: fmt.Sprintf("iterations against |S|, n = %g", r.SizeN), XLabel: "number of candidates |S|", YLabel: "iterations T", XLog: true, YMin: 0}
	sizes := make(figures.Numbers, len(r.Config.Sizes))
	top := 0.0
	for i, size := range r.Config.Sizes {
		sizes[i] = float64(size)
	}
	for i, c := range r.Curves {
		low, high := make(figures.Numbers, len(c.Mean)), make(figures.Numbers, len(c.Mean))
		for j := range c.Mean {
			low[j], high[j] = c.Mean[j]-c.StdDev[j], c.Mean[j]+c.StdDev[j]
		}
		t.Curves = append(t.Curves, figures.Curve{Label: kLabel(c.KEpsilon), X: r.Config.Ns, Y: c.Mean, Low: low, High: high, Kind: figures.Points, Color: i + 1})
		s.Curves = append(s.Curves, figures.Curve{Label: kLabel(c.KEpsilon), X: sizes, Y: r.BySize[i], Color: i + 1})
		top = math.Max(top, maximum(r.BySize[i]))
	}
	s.YMax = 1.1 * top
	return figures.Panels{Name: "ding2023-figure4", Title: "Figure 4: how many tests Algorithm 1 makes", Columns: 2, Charts: []figures.Chart{t, s},
		Notes: []string{fmt.Sprintf("Left: mean and standard deviation of %d runs, %d candidates with uniform scores, u0 = 0. Right: means of up to %d runs.", r.Config.Repeats, r.Config.Candidates, r.Config.ManyRepeats)}}
}

// Compare sets our multipliers beside the printed one, for both readings of log.
func (r Figure4Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "ding2023-figure4", Title: "Figure 4: the multiplier of log n"}
	paper := papers.Ding2023.Iterations.Multiplier
	for _, curve := range r.Curves {
		for _, reading := range []struct {
			log  string
			ours float64
		}{{"log2", curve.Multiplier2}, {"ln", curve.Multiplier}} {
			c.Rows = append(c.Rows, figures.ComparisonRow{
				Quantity: fmt.Sprintf("%s, log read as %s, kε = %g", paper.Quantity, reading.log, curve.KEpsilon),
				Ours:     reading.ours, Reference: paper.Number, AbsErr: paper.Source.AbsErr, Read: paper.Source.Read, Source: paper.Source.String(), Note: "kε of the figure and the base of its logarithm are not printed",
			})
		}
	}
	return c
}

// Table has the spread of T at the n nearest to 100.
func (r Figure4Result) Table() figures.Table {
	t := figures.Table{Name: "ding2023-figure4-spread", Title: fmt.Sprintf("T at n = %g over %d runs", r.SizeN, r.Config.ManyRepeats),
		Columns: []string{"kε", "mean T", "standard deviation of T"},
		Notes:   []string{"The paper says that the spread grows with kε, “resulting from the increase amount of noise”. A larger kε is less noise."}}
	for i, n := range r.Config.Ns {
		for _, c := range r.Curves {
			if n == r.SizeN {
				t.Rows = append(t.Rows, []string{fmt.Sprint(c.KEpsilon), fmt.Sprintf("%.2f", c.LongMean[i]), fmt.Sprintf("%.2f", c.LongStdDev[i])})
			}
		}
	}
	return t
}
