package xiang2024

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// Table4Config describes Table 4: the best of K runs of DP-SGD with a monotone score, K from
// the two-point law.
type Table4Config struct {
	Delta float64 // δ in (0, 1)
	Steps int     // N >= 1
	Cells []papers.Xiang2024Cell
}

// Validate returns every fault, joined.
func (c Table4Config) Validate() error {
	f := check.In("xiang2024: Table4Config.")
	f.Add(accounting.ValidateDelta(c.Delta))
	f.Count("Steps", c.Steps, 1)
	f.That(len(c.Cells) > 0, "Cells", "is empty", "must have at least one cell")
	for i, cell := range c.Cells {
		of := fmt.Sprintf("Cells[%d]", i)
		f.Number(of+".BaseEpsilon", cell.BaseEpsilon, check.Positive.OfAnySize())
		f.Number(of+".SamplingRate", cell.SamplingRate, check.Rate.OfAnySize())
		f.Below(of, law.TwoPoint{Runs: cell.Runs, Single: cell.Single}.Validate())
	}
	return f.Err()
}

// Table4Result has one entry for each cell.
type Table4Result struct {
	Config Table4Config
	Cells  []Table4Cell
	Fitted []FittedCell
}

// Table4Cell holds ε, in nats, at the config's δ.
type Table4Cell struct {
	Paper papers.Xiang2024Cell
	G, O  Variant
}

// Variant is the ε of one µ, read in four ways; see readings.
type Variant struct {
	Mu                monotone.ApproximateMu
	Line4, Each       monotone.ApproximateEpsilon // certified quadrature
	CutLine4, CutEach float64                     // with the integral from x = -6 on; see CutEpsilon
}

// readings are the ways to read Algorithm 3. Line 4 is what is printed; each direction by
// itself is a bound too, and a lower one.
var readings = [4]struct {
	name string
	of   func(v Variant) float64
}{
	{"Algorithm 3 as printed (line 4)", func(v Variant) float64 { return float64(v.Line4) }},
	{"each direction by itself", func(v Variant) float64 { return float64(v.Each) }},
	{"line 4, cut at x = -6", func(v Variant) float64 { return v.CutLine4 }},
	{"each direction by itself, cut at x = -6", func(v Variant) float64 { return v.CutEach }},
}

// Table4 reproduces Table 4.
func Table4(cfg Table4Config) (Table4Result, error) {
	if err := cfg.Validate(); err != nil {
		return Table4Result{}, err
	}
	runs, err := calibratedRuns(cfg)
	if err != nil {
		return Table4Result{}, err
	}
	r := Table4Result{Config: cfg, Cells: make([]Table4Cell, len(cfg.Cells))}
	err = parallel.Each(len(cfg.Cells), func(i int) error {
		paper := cfg.Cells[i]
		cell, err := table4Cell(paper, runs[[2]float64{paper.BaseEpsilon, paper.SamplingRate}], cfg.Delta)
		r.Cells[i] = cell
		return err
	})
	if err != nil {
		return Table4Result{}, err
	}
	r.Fitted, err = fitted(cfg, r.Cells)
	return r, err
}

// calibratedRuns returns the base run of each pair of base ε and sampling rate.
func calibratedRuns(cfg Table4Config) (map[[2]float64]baseRun, error) {
	runs := map[[2]float64]baseRun{}
	for _, cell := range cfg.Cells {
		key := [2]float64{cell.BaseEpsilon, cell.SamplingRate}
		if _, ok := runs[key]; ok {
			continue
		}
		run, err := calibrated(cell.BaseEpsilon, cell.SamplingRate, cfg.Steps, cfg.Delta)
		if err != nil {
			return nil, err
		}
		runs[key] = run
	}
	return runs, nil
}

func table4Cell(paper papers.Xiang2024Cell, run baseRun, delta float64) (Table4Cell, error) {
	law := law.TwoPoint{Runs: paper.Runs, Single: paper.Single}
	cell := Table4Cell{Paper: paper}
	var err error
	if cell.G, err = variant(law, run.g, delta); err != nil {
		return cell, err
	}
	cell.O, err = variant(law, run.o, delta)
	return cell, err
}

func variant(k law.Law, mu monotone.ApproximateMu, delta float64) (Variant, error) {
	v := Variant{Mu: mu}
	var err error
	if v.Line4, err = mu.Algorithm3Epsilon(k, conversion, delta); err != nil {
		return v, err
	}
	if v.Each, err = mu.TuningEpsilon(k, conversion, delta); err != nil {
		return v, err
	}
	v.CutLine4, v.CutEach = CutEpsilon(monotone.Gaussian{Law: k, Mu: mu.Mu}, delta)
	return v, nil
}
