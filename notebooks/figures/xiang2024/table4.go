package xiang2024

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/xiang2024/internal/base"
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
func calibratedRuns(cfg Table4Config) (map[[2]float64]base.Run, error) {
	runs := map[[2]float64]base.Run{}
	for _, cell := range cfg.Cells {
		key := [2]float64{cell.BaseEpsilon, cell.SamplingRate}
		if _, ok := runs[key]; ok {
			continue
		}
		run, err := base.Calibrated(cell.BaseEpsilon, cell.SamplingRate, cfg.Steps, cfg.Delta)
		if err != nil {
			return nil, err
		}
		runs[key] = run
	}
	return runs, nil
}

func table4Cell(paper papers.Xiang2024Cell, run base.Run, delta float64) (Table4Cell, error) {
	law := law.TwoPoint{Runs: paper.Runs, Single: paper.Single}
	cell := Table4Cell{Paper: paper}
	var err error
	if cell.G, err = variant(law, run.G, delta); err != nil {
		return cell, err
	}
	cell.O, err = variant(law, run.O, delta)
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

// pair is a printed value with ours.
type pair struct {
	cell    papers.Xiang2024Cell
	printed papers.Value
	ours    Variant
}

// String names the pair as its row is named.
func (p pair) String() string {
	return fmt.Sprintf("%s, ε_B = %g, τ = %g, L = %d, s = %g", p.printed.Quantity, p.cell.BaseEpsilon, p.cell.SamplingRate, p.cell.Runs, p.cell.Single)
}

// asPrinted reports whether δ and N are those of the printed table.
func (r Table4Result) asPrinted() bool {
	return r.Config.Delta == papers.Xiang2024.Delta && r.Config.Steps == papers.Xiang2024.Steps
}

// pairs lists ε_U-G and ε_U-O of every cell.
func (r Table4Result) pairs() (out []pair) {
	for _, c := range r.Cells {
		out = append(out, pair{c.Paper, c.Paper.G, c.G}, pair{c.Paper, c.Paper.O, c.O})
	}
	return out
}

// Compare sets Algorithm 3 as printed next to the printed values. The note of a row that differs
// has the other readings.
func (r Table4Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "xiang2024-table4", Title: "Table 4: the two-point law, Algorithm 3 as printed (line 4)"}
	for _, p := range r.pairs() {
		row := figures.Against(p.printed, float64(p.ours.Line4)).ByOurChoice() // the paper does not state the orders
		row.Quantity = p.String()
		if !r.asPrinted() {
			row = row.WithoutReference("the paper prints none for this δ and N")
		} else if row.Verdict() == figures.Differs {
			row.Note = fmt.Sprintf("each direction by itself: %.3f; cut at x = -6: %.3f, each direction by itself %.3f", float64(p.ours.Each), p.ours.CutLine4, p.ours.CutEach)
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// reach is how near one reading comes to the printed values.
type reach struct {
	digit, hundredth int     // values within half of the last digit, and within 0.01
	above, below     int     // values further than 0.01 off, by side
	largest          float64 // difference
	at               pair
}

func (r Table4Result) reaches() (out [len(readings)]reach) {
	for _, p := range r.pairs() {
		for i, reading := range readings {
			difference := reading.of(p.ours) - p.printed.Number
			size := math.Abs(difference)
			switch {
			case size <= 0.01:
				out[i].hundredth++
				if size <= p.printed.Source.AbsErr {
					out[i].digit++
				}
			case difference > 0:
				out[i].above++
			default:
				out[i].below++
			}
			if size >= out[i].largest {
				out[i].largest, out[i].at = size, p
			}
		}
	}
	return out
}

// Readings compares four readings of Algorithm 3 with all printed values.
func (r Table4Result) Readings() figures.Table {
	t := figures.Table{
		Name: "xiang2024-table4-readings", Title: fmt.Sprintf("Table 4: how near four readings come to the %d printed values", len(r.pairs())),
		Columns: []string{"reading", "within 0.005", "within 0.01", "largest difference", "at", "more than 0.01 above", "below"},
		Notes:   []string{"The paper does not state the orders. With the whole integral: the best of all real orders. Cut: the best of the integers from 2 to 256."},
	}
	for i, n := range r.reaches() {
		t.Rows = append(t.Rows, []string{readings[i].name, fmt.Sprint(n.digit), fmt.Sprint(n.hundredth), fmt.Sprintf("%.3f", n.largest), n.at.String(), fmt.Sprint(n.above), fmt.Sprint(n.below)})
	}
	return t
}

// withoutAnchor counts the cells with τ = 1 that Fitted leaves out.
func (r Table4Result) withoutAnchor() (count int) {
	for _, c := range r.Cells {
		if c.Paper.SamplingRate == 1 {
			count++
		}
	}
	return count - len(r.Fitted)
}

// Table compares the printed ε_U-O with τ = 1 with the readings of Algorithm 3, the exact ε, and a
// limit for all scores.
func (r Table4Result) Table() figures.Table {
	t := figures.Table{
		Name:  "xiang2024-table4-exact",
		Title: "Table 4 at τ = 1: ε_U-O, printed and computed, with the µ that the table implies",
		Columns: []string{"ε_B", "L", "s", "printed", readings[3].name, readings[1].name, readings[0].name, "line 4 at every order at least",
			"exact, monotone score", "any score at least", "printed value"},
		Notes: []string{
			"Exact: the ε of the game that the printed value bounds, certified to more digits than are shown.",
			"Any score: an order of the outputs that is bad for privacy costs at least this much.",
			"µ is not above the least at which Algorithm 3 gives the printed value of L = 10, s = 0.1, so those rows cannot fail.",
			"Too small: below Algorithm 3 as printed at every order.",
		},
	}
	if left := r.withoutAnchor(); left > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Left out: %d cells at τ = 1 whose ε_B has no cell with L = 10, s = 0.1, the one that µ is read from.", left))
	}
	for _, c := range r.Fitted {
		verdict := "possible"
		switch {
		case c.anchors():
			verdict = "µ is read from it"
		case c.Refuted():
			verdict = "too small"
		}
		if !r.asPrinted() {
			verdict = "for another δ or N"
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%g", c.Paper.BaseEpsilon), fmt.Sprintf("%d", c.Paper.Runs), fmt.Sprintf("%g", c.Paper.Single),
			fmt.Sprintf("%.2f", c.Paper.O.Number), fmt.Sprintf("%.3f", c.CutEach), fmt.Sprintf("%.3f", c.Each.Upper), fmt.Sprintf("%.3f", c.Line4.Upper),
			fmt.Sprintf("%.3f", c.Line4Least), fmt.Sprintf("%.3f", c.Exact.Estimate), fmt.Sprintf("%.3f", c.AnyScore), verdict,
		})
	}
	return t
}

// Possible counts the printed ε_U-O with τ = 1 that are not below what they claim to be, at the µ
// of Fitted. Those that µ is read from do not count.
func (r Table4Result) Possible() figures.Comparison {
	c := figures.Comparison{Name: "xiang2024-table4-possible", Title: "Table 4 at τ = 1: printed ε_U-O that are possible"}
	var every, each, exact figures.Cases
	farthest, worst := math.Inf(-1), FittedCell{}
	for _, f := range r.Fitted {
		if f.anchors() {
			continue
		}
		every.AddIf(!f.Refuted())
		each.AddIf(f.atMost() >= f.EachLeast)
		exact.AddIf(f.atMost() >= f.Exact.Lower)
		if below := f.Line4Least - f.atMost(); below > farthest {
			farthest, worst = below, f
		}
	}
	if every.Of() == 0 {
		return c
	}
	for _, claim := range []struct {
		cases figures.Cases
		what  string
		of    float64
	}{
		{every, "Algorithm 3 as printed, at every order", worst.Line4Least},
		{each, "Algorithm 3 for each direction by itself, at every order", worst.EachLeast},
		{exact, "the exact ε of the game, with the least µ that the table allows", worst.Exact.Lower},
	} {
		v := papers.Xiang2024.Table4IsAlgorithm3
		v.Quantity = fmt.Sprintf("share of %d printed values that are not below %s", every.Of(), claim.what)
		row := claim.cases.Against(v).WithNote("at ε_B = %g, L = %d, s = %g: printed %.2f, at least %.3f", worst.Paper.BaseEpsilon, worst.Paper.Runs, worst.Paper.Single, worst.Paper.O.Number, claim.of)
		if !r.asPrinted() {
			row = row.WithoutReference("the paper prints none for this δ and N")
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}
