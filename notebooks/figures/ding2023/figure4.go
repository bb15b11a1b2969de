package ding2023

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
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
	f := check.In("ding2023: Figure4Config.")
	each(f, "KEpsilons", c.KEpsilons, check.Positive)
	each(f, "Ns", c.Ns, check.Positive)
	positiveInts(f, "Sizes", c.Sizes)
	f.That(least > 1, "Ns", least, "must be > 1, each")
	f.Count("Candidates", c.Candidates, 1)
	f.Count("Repeats", c.Repeats, 2)
	f.That(c.ManyRepeats >= c.Repeats, "ManyRepeats", c.ManyRepeats, "must be at least Repeats")
	return f.Err()
}

// Figure4Result has one entry for each kε.
type Figure4Result struct {
	Config  Figure4Config
	Curves  []IterationCurve
	Silent  []float64   // T without noise, averaged over n' in [n/√2, n√2]
	BySize  [][]float64 // mean T at the n nearest to 100, for each kε and each of Sizes
	SizeErr [][]float64 // their standard errors
	SizeN   float64     // that n
}

// IterationCurve has one value for each n.
type IterationCurve struct {
	KEpsilon             float64
	Mean, StdDev         []float64  // over Repeats runs, as in the paper
	LongMean, LongStdDev []float64  // over ManyRepeats runs
	Ln, Log2             Multiplier // over ManyRepeats
}

// Multiplier is the c of T = c log n for one base of the logarithm.
type Multiplier struct {
	Fit, FitErr float64 // least squares over n, and its standard error
	At, AtErr   float64 // T/log n at the n nearest to 100, and its standard error
	Between     int     // at how many n T/log n is in the paper's interval
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
		c.Ln, c.Log2 = c.multiplier(cfg, r.SizeN, math.Log), c.multiplier(cfg, r.SizeN, math.Log2)
		r.Curves = append(r.Curves, c)
		var bySize, sizeErr []float64
		for _, size := range cfg.Sizes {
			repeats := max(2, min(cfg.ManyRepeats, 200_000/size))
			mean, dev := stat.MeanStdDev(iterations(kEpsilon, r.SizeN, size, repeats, root), nil)
			bySize, sizeErr = append(bySize, mean), append(sizeErr, dev/math.Sqrt(float64(repeats)))
		}
		r.BySize, r.SizeErr = append(r.BySize, bySize), append(r.SizeErr, sizeErr)
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

// reading is a multiplier with the name of its logarithm.
type reading struct {
	log string
	Multiplier
}

func (c IterationCurve) readings() []reading { return []reading{{"log2", c.Log2}, {"ln", c.Ln}} }

// multiplier measures c for a logarithm.
func (c IterationCurve) multiplier(cfg Figure4Config, sizeN float64, log func(float64) float64) Multiplier {
	between := papers.Ding2023.Iterations.Between
	m := Multiplier{Fit: multiplier(cfg.Ns, c.LongMean, log)}
	variance, xx := 0.0, 0.0
	for i, n := range cfg.Ns {
		stdErr := c.LongStdDev[i] / math.Sqrt(float64(cfg.ManyRepeats))
		variance, xx = variance+math.Pow(log(n)*stdErr, 2), xx+log(n)*log(n)
		at := c.LongMean[i] / log(n)
		if n == sizeN {
			m.At, m.AtErr = at, stdErr/log(n)
		}
		if math.Abs(at-between.Number) <= between.Source.AbsErr {
			m.Between++
		}
	}
	m.FitErr = math.Sqrt(variance) / xx
	return m
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
func (r Figure4Result) Panels() chart.Panels {
	t := chart.Chart{Name: "ding2023-figure4-n", Title: "iterations against n", XLabel: "n = (u* - u0)/g", YLabel: "iterations T", XLog: true}
	for _, multiplier := range papers.Ding2023.Iterations.Multipliers {
		line := make(chart.Series, len(r.Config.Ns))
		for i, n := range r.Config.Ns {
			line[i] = multiplier * math.Log2(n)
		}
		t.Curves = append(t.Curves, chart.Curve{Label: fmt.Sprintf("%g·log2 n", multiplier), X: r.Config.Ns, Y: line, Reference: true})
	}
	t.Curves = append(t.Curves, chart.Curve{Label: "no noise", X: r.Config.Ns, Y: r.Silent, Color: 4})
	s := chart.Chart{Name: "ding2023-figure4-s", Title: fmt.Sprintf("iterations against |S|, n = %g", r.SizeN), XLabel: "number of candidates |S|", YLabel: "iterations T", XLog: true, YMin: 0}
	sizes := make(chart.Series, len(r.Config.Sizes))
	top := 0.0
	for i, size := range r.Config.Sizes {
		sizes[i] = float64(size)
	}
	for i, c := range r.Curves {
		low, high := make(chart.Series, len(c.Mean)), make(chart.Series, len(c.Mean))
		for j := range c.Mean {
			low[j], high[j] = c.Mean[j]-c.StdDev[j], c.Mean[j]+c.StdDev[j]
		}
		t.Curves = append(t.Curves, chart.Curve{Label: kLabel(c.KEpsilon), X: r.Config.Ns, Y: c.Mean, Low: low, High: high, Kind: chart.Points, Color: i + 1, Dodge: dodge(i, len(r.Curves))})
		means := banded(chart.Curve{Label: kLabel(c.KEpsilon), X: sizes, Y: r.BySize[i], Color: i + 1}, r.SizeErr[i])
		s.Curves = append(s.Curves, means)
		top = math.Max(top, maximum(means.High))
	}
	s.YMax = 1.05 * top
	return chart.Panels{Name: "ding2023-figure4", Title: "Figure 4: how many tests Algorithm 1 makes", Columns: 2, Charts: []chart.Chart{t, s},
		Notes: []string{fmt.Sprintf("Left: mean and standard deviation of %d runs, %d candidates with uniform scores, u0 = 0. Right: means of up to %d runs, band: two standard errors. Points of one n are moved apart. Factors of log n and the spread of T are over %d runs a point.", r.Config.Repeats, r.Config.Candidates, r.Config.ManyRepeats, r.Config.ManyRepeats)}}
}

// dodge is the sideways step of curve i of count; figures allow 6 steps to a side.
func dodge(i, count int) int { return max(-6, min(6, i-count/2)) }

// banded gives a curve a band of two standard errors.
func banded(c chart.Curve, stdErr []float64) chart.Curve {
	for i, y := range c.Y {
		c.Low, c.High = append(c.Low, y-2*stdErr[i]), append(c.High, y+2*stdErr[i])
	}
	return c
}

// Compare sets our multipliers beside what the text says, for both readings of log.
func (r Figure4Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "ding2023-figure4", Title: "Figure 4: the multiplier of log n"}
	it := papers.Ding2023.Iterations
	for _, curve := range r.Curves {
		for _, reading := range curve.readings() {
			fit := figures.Against(it.Multiplier, reading.Fit)
			fit.OursErr, fit.Note = 2*reading.FitErr, "kε of the figure and the base of its logarithm are not printed"
			at := figures.Against(it.Between, reading.At)
			at.Quantity += fmt.Sprintf(" = %g", r.SizeN)
			at.OursErr, at.Note = 2*reading.AtErr, "3 ± 2 stands for the two ends; the n of the figure are not printed"
			for _, row := range []figures.ComparisonRow{fit, at} {
				row.Quantity += fmt.Sprintf(", log read as %s, kε = %g", reading.log, curve.KEpsilon)
				c.Rows = append(c.Rows, row)
			}
		}
	}
	return c
}

// Findings says which reading of log n has the paper's factor, how the spread of T goes with
// kε, and T with the number of candidates.
func (r Figure4Result) Findings() []string {
	var near, between []string
	sizes := ""
	paper := papers.Ding2023.Iterations.Multiplier
	for _, c := range r.Curves {
		sizes += fmt.Sprintf(" kε = %g: %.2f ± %.2f with log2, %.2f ± %.2f with ln.", c.KEpsilon, c.Log2.Fit, 2*c.Log2.FitErr, c.Ln.Fit, 2*c.Ln.FitErr)
		for _, reading := range c.readings() {
			between = append(between, fmt.Sprintf("%d with %s at kε = %g", reading.Between, reading.log, c.KEpsilon))
			if math.Abs(reading.Fit-paper.Number) <= paper.Source.AbsErr {
				near = append(near, fmt.Sprintf("%s at kε = %g", reading.log, c.KEpsilon))
			}
		}
	}
	if len(near) == 0 {
		near = []string{"none of them"}
	}
	ns := r.Config.Ns
	out := []string{
		fmt.Sprintf("T over log n, by least squares over %d runs a point (± two standard errors).", r.Config.ManyRepeats) + sizes + fmt.Sprintf(" Within %g of the paper's “approximately equal to 3”: %s.", paper.Source.AbsErr, strings.Join(near, ", ")),
		fmt.Sprintf("“Sandwiched between 1 and 5”: of %d values of n, over %d runs a point, this holds for %s.", len(ns), r.Config.ManyRepeats, strings.Join(between, ", ")),
		fmt.Sprintf("Without noise T = 2(k+m)+1 has the factor %.2f with log2 and %.2f with ln.", multiplier(ns, r.Silent, math.Log2), multiplier(ns, r.Silent, math.Log)),
	}
	return append(append(out, r.spreadFinding()...), r.sizeFindings()...)
}

// spreadFinding compares the spread of T at the least and the largest kε.
func (r Figure4Result) spreadFinding() []string {
	at := slices.Index(r.Config.Ns, r.SizeN)
	low, high := r.Curves[0], r.Curves[0]
	for _, c := range r.Curves {
		if c.KEpsilon < low.KEpsilon {
			low = c
		}
		if c.KEpsilon > high.KEpsilon {
			high = c
		}
	}
	if low.KEpsilon == high.KEpsilon {
		return nil
	}
	a, b := low.LongStdDev[at], high.LongStdDev[at]
	sentence := fmt.Sprintf("At n = %g the standard deviation of T is %.2f at kε = %g and %.2f at kε = %g over %d runs.", r.SizeN, a, low.KEpsilon, b, high.KEpsilon, r.Config.ManyRepeats)
	// The standard deviation of R numbers has a relative error of about 1/√(2R).
	allowed := 2 * math.Hypot(a, b) / math.Sqrt(2*float64(r.Config.ManyRepeats))
	switch {
	case a-b > allowed:
		sentence += " It falls as kε grows; the paper says “the larger kε is, the larger of the variance will be”."
	case b-a > allowed:
		sentence += " It grows with kε, as the paper says."
	default:
		sentence += " No difference is seen."
	}
	return []string{sentence}
}

// sizeFindings compares T at the smallest and the largest number of candidates.
func (r Figure4Result) sizeFindings() (out []string) {
	sizes := r.Config.Sizes
	first, last := slices.Index(sizes, slices.Min(sizes)), slices.Index(sizes, slices.Max(sizes))
	if first == last {
		return nil
	}
	grows := 0
	for i, c := range r.Curves {
		a, b := r.BySize[i][first], r.BySize[i][last]
		allowed := 2 * math.Hypot(r.SizeErr[i][first], r.SizeErr[i][last])
		verdict := "no difference is seen"
		if b-a > allowed {
			verdict, grows = "it grows", grows+1
		} else if a-b > allowed {
			verdict = "it falls"
		}
		out = append(out, fmt.Sprintf("kε = %g: from |S| = %d to %d the mean T goes from %.1f to %.1f (± %.1f): %s.", c.KEpsilon, sizes[first], sizes[last], a, b, allowed, verdict))
	}
	if grows > 0 {
		out = append(out, fmt.Sprintf("So T depends on |S| in %d of %d cases; the bound of Theorem 2 has no |S| in it. Each candidate is one more chance to pass.", grows, len(r.Curves)))
	}
	return out
}

// Table has the spread of T at the n nearest to 100.
func (r Figure4Result) Table() figures.Table {
	t := figures.Table{Name: "ding2023-figure4-spread", Title: fmt.Sprintf("T at n = %g over %d runs", r.SizeN, r.Config.ManyRepeats),
		Columns: []string{"kε", "mean T", "standard deviation of T"},
		Notes:   []string{"The paper: “the larger kε is, the larger of the variance will be, resulting from the increase amount of noise”. A larger kε is less noise."}}
	for i, n := range r.Config.Ns {
		for _, c := range r.Curves {
			if n == r.SizeN {
				t.Rows = append(t.Rows, []string{fmt.Sprint(c.KEpsilon), fmt.Sprintf("%.2f", c.LongMean[i]), fmt.Sprintf("%.2f", c.LongStdDev[i])})
			}
		}
	}
	return t
}
