package xiang2024

import (
	"fmt"
	"math"
	"slices"

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
	Delta float64 `rule:"in (0, 1)"`
	Steps int     `rule:">= 1"` // N
	Cells []papers.Xiang2024Cell
}

// Validate returns every fault, joined.
func (c Table4Config) Validate() error {
	f := figures.Faults(c)
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
}

// Table4Cell holds ε, in nats, at the config's δ.
type Table4Cell struct {
	Paper papers.Xiang2024Cell
	G, O  Variant
}

// Variant is the ε of one µ. Reading gives the printed values, and is not a bound; see reading.go.
// The others are certified.
type Variant struct {
	Mu      monotone.ApproximateMu
	Reading float64
	Line4   accounting.Interval // Algorithm 3 as printed: the larger divergence at each order
	Each    accounting.Interval // each direction by itself, a lower bound than Line4
	Floor   float64             // each direction by itself at every order costs at least this much
	Exact   accounting.Interval // of the game of µ

	cut cut // of Reading
}

// tooSmall reports whether a printed value, rounded up, is below the Rényi divergences at every
// order.
func (v Variant) tooSmall(printed papers.Value) bool {
	return printed.Number+printed.Source.AbsErr < v.Floor
}

// Table4 reproduces Table 4.
func Table4(cfg Table4Config) (Table4Result, error) {
	if err := cfg.Validate(); err != nil {
		return Table4Result{}, err
	}
	runs := map[[2]float64]base.Run{} // of each pair of base ε and sampling rate
	for _, c := range cfg.Cells {
		run, err := bisected(c.BaseEpsilon, c.SamplingRate, cfg.Steps, cfg.Delta)
		if err != nil {
			return Table4Result{}, err
		}
		runs[[2]float64{c.BaseEpsilon, c.SamplingRate}] = run
	}
	r := Table4Result{Config: cfg, Cells: make([]Table4Cell, len(cfg.Cells))}
	return r, parallel.Each(2*len(cfg.Cells), func(i int) (err error) {
		paper, cell := cfg.Cells[i/2], &r.Cells[i/2]
		run, of, mu := runs[[2]float64{paper.BaseEpsilon, paper.SamplingRate}], &cell.G, monotone.ApproximateMu{}
		if mu = run.G; i%2 == 1 {
			of, mu = &cell.O, run.O
			cell.Paper = paper
		}
		*of, err = variant(law.TwoPoint{Runs: paper.Runs, Single: paper.Single}, mu, cfg.Delta)
		return err
	})
}

func variant(k law.Law, mu monotone.ApproximateMu, delta float64) (v Variant, err error) {
	game := monotone.Gaussian{Law: k, Mu: mu.Mu}
	v = Variant{Mu: mu, cut: cutTo(printedLeft, printedRight, game)}
	v.Reading = v.cut.epsilon(delta, printedTop)
	if v.Line4, _, err = game.Algorithm3Epsilon(conversion, delta); err != nil {
		return v, err
	}
	if v.Each, _, err = game.RDPEpsilon(conversion, delta); err != nil {
		return v, err
	}
	if v.Floor, err = game.RDPEpsilonFloor(delta); err != nil {
		return v, err
	}
	v.Exact, err = game.EpsilonAt(delta)
	return v, err
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

// game returns the game of the pair.
func (p pair) game() monotone.Gaussian {
	return monotone.Gaussian{Law: law.TwoPoint{Runs: p.cell.Runs, Single: p.cell.Single}, Mu: p.ours.Mu.Mu}
}

// otherSetup is empty if δ and N are those of the printed table.
func (r Table4Result) otherSetup() string {
	if r.Config.Delta == papers.Xiang2024.Delta && r.Config.Steps == papers.Xiang2024.Steps {
		return ""
	}
	return "the paper prints none for this δ and N"
}

// pairs lists ε_U-G and ε_U-O of every cell.
func (r Table4Result) pairs() (out []pair) {
	for _, c := range r.Cells {
		out = append(out, pair{c.Paper, c.Paper.G, c.G}, pair{c.Paper, c.Paper.O, c.O})
	}
	return out
}

// Compare sets the reading next to the printed values. The note of a row has the bound, where what
// is printed is too small.
func (r Table4Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "xiang2024-table4", Title: "Table 4: the two-point law, printed and read"}
	for _, p := range r.pairs() {
		row := figures.Against(p.printed, p.ours.Reading).ByOurChoice() // three constants were found by a search
		row.Quantity = p.String()
		if p.ours.tooSmall(p.printed) {
			row.Note = fmt.Sprintf("too small for a bound: at least %.3f", p.ours.Floor)
		}
		c.Rows = append(c.Rows, row.WithoutReference(r.otherSetup()))
	}
	return c
}

// Readings compares the reading with its neighbors, and with the divergences themselves.
func (r Table4Result) Readings() figures.Table {
	pairs := r.pairs()
	t := figures.Table{
		Name: "xiang2024-table4-readings", Title: fmt.Sprintf("Table 4: how near readings come to the %d printed values", len(pairs)),
		Columns: []string{"reading", "within 0.005", "within 0.01", "largest difference", "at", "more than 0.01 above", "below"},
		Notes: []string{
			fmt.Sprintf("All rows: σ where a bisection on [0, %g] stops, %g from ε_B. Certified: the whole integral, and the best of all real orders.", bisectedTo, bisectedNear),
			"The ends of the integral and the largest order were found by a search against the printed values.",
		},
	}
	read := func(p pair) float64 { return p.ours.Reading }
	add := func(name string, pairs []pair, epsilon func(p pair) float64) {
		n := reachOf(pairs, epsilon)
		t.Rows = append(t.Rows, []string{name, fmt.Sprint(n.digit), fmt.Sprint(n.hundredth), fmt.Sprintf("%.3f", n.largest), n.at.String(), fmt.Sprint(n.above), fmt.Sprint(n.below)})
	}
	add(fmt.Sprintf("integral from %g to %g, orders to %d, each direction by itself", printedLeft, printedRight, printedTop), pairs, read)
	for _, ends := range [][2]float64{{-6.6, printedRight}, {-6.4, printedRight}, {printedLeft, 7}, {printedLeft, 8}} {
		other := slices.Clone(pairs)
		_ = parallel.Each(len(other), func(i int) error {
			other[i].ours.Reading = cutTo(ends[0], ends[1], other[i].game()).epsilon(r.Config.Delta, printedTop)
			return nil
		})
		add(fmt.Sprintf("the same from %g to %g", ends[0], ends[1]), other, read)
	}
	for _, top := range []int{100, searched} {
		add(fmt.Sprintf("the same, orders to %d", top), pairs, func(p pair) float64 { return p.ours.cut.epsilon(r.Config.Delta, top) })
	}
	add("the same, the larger at each order (line 4)", pairs, func(p pair) float64 { return p.ours.cut.line4(r.Config.Delta) })
	add("certified, each direction by itself", pairs, func(p pair) float64 { return p.ours.Each.Upper })
	add("certified, Algorithm 3 as printed (line 4)", pairs, func(p pair) float64 { return p.ours.Line4.Upper })
	return t
}

// reach is how near one reading comes to the printed values.
type reach struct {
	digit, hundredth int     // values within half of the last digit, and within 0.01
	above, below     int     // values further than 0.01 off, by side
	largest          float64 // difference
	at               pair
}

func reachOf(pairs []pair, epsilon func(p pair) float64) (out reach) {
	for _, p := range pairs {
		difference := epsilon(p) - p.printed.Number
		size := math.Abs(difference)
		switch {
		case size <= 0.01:
			out.hundredth++
			if size <= p.printed.Source.AbsErr {
				out.digit++
			}
		case difference > 0:
			out.above++
		default:
			out.below++
		}
		if size >= out.largest {
			out.largest, out.at = size, p
		}
	}
	return out
}

// Table compares the printed ε_U-O at τ = 1, where a run is a Gaussian and ε_U-O claims to be a
// bound, with certified values.
func (r Table4Result) Table() figures.Table {
	t := figures.Table{
		Name: "xiang2024-table4-exact", Title: "Table 4 at τ = 1: ε_U-O, printed and computed",
		Columns: []string{"ε_B", "σ", "L", "s", "printed", "read", "exact, monotone score", "each direction by itself", "at every order at least", "Algorithm 3 as printed (line 4)", "printed value"},
		Notes: []string{
			"Read: the cut integral and the orders of the first row of the third table.",
			"Exact: the ε of the game that the printed value bounds, certified to more digits than are shown.",
			"Too small: below the Rényi divergences of the game at every order.",
		},
	}
	for _, c := range r.Cells {
		if c.Paper.SamplingRate != 1 {
			continue
		}
		verdict := "possible"
		if c.O.tooSmall(c.Paper.O) {
			verdict = "too small"
		}
		if r.otherSetup() != "" {
			verdict = "for another δ or N"
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%g", c.Paper.BaseEpsilon), fmt.Sprintf("%.8g", math.Sqrt(float64(r.Config.Steps))/c.O.Mu.Mu), fmt.Sprintf("%d", c.Paper.Runs), fmt.Sprintf("%g", c.Paper.Single),
			fmt.Sprintf("%.2f", c.Paper.O.Number), fmt.Sprintf("%.3f", c.O.Reading), fmt.Sprintf("%.3f", c.O.Exact.Estimate), fmt.Sprintf("%.3f", c.O.Each.Upper),
			fmt.Sprintf("%.3f", c.O.Floor), fmt.Sprintf("%.3f", c.O.Line4.Upper), verdict,
		})
	}
	return t
}

// Possible counts the printed values that are not below what they claim to be.
func (r Table4Result) Possible() figures.Comparison {
	c := figures.Comparison{Name: "xiang2024-table4-possible", Title: "Table 4: printed values that are possible"}
	var bounds, exact figures.Cases
	farthest, worst := math.Inf(-1), pair{}
	for _, p := range r.pairs() {
		bounds.AddIf(!p.ours.tooSmall(p.printed))
		exact.AddIf(p.printed.Number+p.printed.Source.AbsErr >= p.ours.Exact.Lower)
		if below := p.ours.Floor - p.printed.Number; below > farthest {
			farthest, worst = below, p
		}
	}
	for _, claim := range []struct {
		cases figures.Cases
		what  string
		of    float64
	}{
		{bounds, "the Rényi divergences of the game, at every order", worst.ours.Floor},
		{exact, "the exact ε of the game", worst.ours.Exact.Lower},
	} {
		v := papers.Xiang2024.Table4IsAlgorithm3
		v.Quantity = fmt.Sprintf("share of %d printed values that are not below %s", len(r.pairs()), claim.what)
		row := claim.cases.Against(v).WithNote("at %v: printed %.2f, at least %.3f", worst, worst.printed.Number, claim.of)
		c.Rows = append(c.Rows, row.WithoutReference(r.otherSetup()))
	}
	return c
}
