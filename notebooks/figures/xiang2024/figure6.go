package xiang2024

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/xiang2024/internal/base"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure6Config describes Figure 6: bounds and audits of tuning DP-SGD over the base ε.
type Figure6Config struct {
	Delta         float64   `rule:"in (0, 1)"`
	Steps         int       `rule:">= 1"`      // N
	SamplingRates []float64 `rule:"in (0, 1]"` // τ, one row of charts each
	Laws          []law.TNB // one column each, with γ for the paper's ν; the text does not print the paper's
	BaseEpsilons  []float64 `rule:"in (0, 100]; increasing; at least 2"` // ε_B
	Games         int       `rule:">= 100"`                              // of one audit, half with each data set
	Trials        int       `rule:">= 2"`                                // audits at each point
	Confidence    float64   `rule:"in (0, 1)"`                           // of the audits
	Seed          uint64    // of the audits
}

// Validate returns every fault, joined.
func (c Figure6Config) Validate() error { return figures.Faults(c).Err() }

// Figure6Result has one entry for each sampling rate and law, rates first.
type Figure6Result struct {
	Config Figure6Config
	Charts []Figure6Chart
}

// Figure6Chart has one value for each base ε, all in nats.
type Figure6Chart struct {
	SamplingRate float64
	Law          law.TNB
	Generic      []float64                     // ε_U-P: Theorem 2 of Papernot and Steinke, a bound
	Ours         []float64                     // the least bound of accounting/selection
	OursBy       []string                      // and its name
	G, O         []monotone.ApproximateEpsilon // ε_U-G and ε_U-O, by Algorithm 3 as printed
	MuO          []float64                     // µ of ε_U-O, and of the game that is simulated
	Exact        []float64                     // exact ε of that game; for τ = 1 that of the tuning with a monotone score
	Audits       [][]float64                   // ε_L of each trial: a lower bound from games with N(µ_O, 1)

	// ReadG and ReadO are ε_U-G and ε_U-O by the reading of Table 4, with its σ (reading.go). Not
	// bounds. NaN is a base ε that its bisection does not reach.
	ReadG, ReadO []float64
}

// Figure6 reproduces Figure 6.
func Figure6(cfg Figure6Config) (Figure6Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure6Result{}, err
	}
	r := Figure6Result{Config: cfg}
	n := len(cfg.BaseEpsilons)
	for _, rate := range cfg.SamplingRates {
		for _, law := range cfg.Laws {
			r.Charts = append(r.Charts, Figure6Chart{
				SamplingRate: rate, Law: law,
				Generic: make([]float64, n), Ours: make([]float64, n), OursBy: make([]string, n), MuO: make([]float64, n), Exact: make([]float64, n),
				Audits: make([][]float64, n), G: make([]monotone.ApproximateEpsilon, n), O: make([]monotone.ApproximateEpsilon, n),
				ReadG: make([]float64, n), ReadO: make([]float64, n),
			})
		}
	}
	if err := parallel.Each(n*len(r.Charts), func(k int) error { return r.Charts[k/n].fill(cfg, k%n) }); err != nil {
		return Figure6Result{}, err
	}
	for i := range cfg.Laws {
		for trial := range cfg.Trials {
			if err := r.audit(i, uint64(i*cfg.Trials+trial)); err != nil {
				return Figure6Result{}, err
			}
		}
	}
	return r, nil
}

// fill computes all values at one base ε but the audits.
func (c Figure6Chart) fill(cfg Figure6Config, i int) error {
	run, err := base.Calibrated(cfg.BaseEpsilons[i], c.SamplingRate, cfg.Steps, cfg.Delta)
	if err != nil {
		return err
	}
	if c.Generic[i], err = base.Generic(c.Law, run.Event, cfg.Delta); err != nil {
		return err
	}
	price, err := selection.EventAt(selection.BestOf{Law: c.Law, Base: run.Event}, cfg.Delta, contour.NewAccountant())
	if err != nil {
		return err
	}
	c.Ours[i], c.OursBy[i] = price.Least().Epsilon, price.Least().Name
	if c.G[i], err = run.G.Algorithm3Epsilon(c.Law, conversion, cfg.Delta); err != nil {
		return err
	}
	if c.O[i], err = run.O.Algorithm3Epsilon(c.Law, conversion, cfg.Delta); err != nil {
		return err
	}
	c.MuO[i] = run.O.Mu
	exact, err := monotone.Gaussian{Law: c.Law, Mu: run.O.Mu}.EpsilonAt(cfg.Delta)
	if err != nil {
		return err
	}
	c.Exact[i] = exact.Estimate
	run, err = bisected(cfg.BaseEpsilons[i], c.SamplingRate, cfg.Steps, cfg.Delta)
	if c.ReadG[i], c.ReadO[i] = math.NaN(), math.NaN(); err == nil {
		c.ReadG[i], c.ReadO[i] = read(c.Law, run.G, cfg.Delta), read(c.Law, run.O, cfg.Delta)
	} else if errors.Is(err, errBisected) {
		err = nil
	}
	return err
}

// audit plays the reduced games of Figure 5 for all charts of the law at index. It adds a lower
// bound on ε to each point: Clopper-Pearson at a threshold that is chosen on a random half of the
// games, which keeps its confidence. All points of a law use the same draws: N(µ, 1) is N(0, 1)
// moved by µ. This makes their differences sharper.
func (r Figure6Result) audit(index int, stream uint64) error {
	law := r.Config.Laws[index].Distribution()
	rng := rand.New(rand.NewPCG(r.Config.Seed, stream))
	var draws [2][]float64
	for range r.Config.Games / 2 {
		for i := range draws {
			x, err := base.BestOfNormal(law, rng)
			if err != nil {
				return err
			}
			draws[i] = append(draws[i], x)
		}
	}
	slices.Sort(draws[0]) // the audit sorts: this is quicker than once for each point
	slices.Sort(draws[1])
	n := len(r.Config.BaseEpsilons)
	at := func(k int) Figure6Chart { return r.Charts[k/n*len(r.Config.Laws)+index] } // of the law
	bounds, err := parallel.Map(n*len(r.Config.SamplingRates), func(k int) (float64, error) {
		moved := make([]float64, len(draws[1]))
		for i, x := range draws[1] {
			moved[i] = x + at(k).MuO[k%n]
		}
		level := audit.Config{Delta: r.Config.Delta, Confidence: r.Config.Confidence}
		halves := rand.New(rand.NewPCG(r.Config.Seed+1, stream))
		bound, err := audit.ClopperPearsonSplit(audit.Scores{NonMember: draws[0], Member: moved}, 1, level, halves)
		return bound.Epsilon, err
	})
	for k, epsilon := range bounds {
		of := &at(k).Audits[k%n]
		*of = append(*of, epsilon)
	}
	return err
}

// gap is ε_U - ε_L of a law at the smallest τ and at τ = 1, each the mean over all base ε.
type gap struct {
	law          law.TNB
	name         string // of ε_U
	small, one   Figure6Chart
	atSmall, at1 float64 // means over the trials
	left, err    float64 // their ratio, the mean over the trials and half of its range
}

// gaps returns one gap for each law and each of ε_U-O and ε_U-G, and none unless
// there are τ = 1 and a smaller one.
func (r Figure6Result) gaps() (out []gap) {
	rates := r.Config.SamplingRates
	smallest := slices.Index(rates, slices.Min(rates))
	one := slices.Index(rates, 1)
	if one < 0 || rates[smallest] == 1 {
		return nil
	}
	laws := len(r.Config.Laws)
	for i := range laws {
		small, full := r.Charts[smallest*laws+i], r.Charts[one*laws+i]
		for _, upper := range []struct {
			name string
			of   func(Figure6Chart) []monotone.ApproximateEpsilon
		}{
			{"ε_U-O", func(c Figure6Chart) []monotone.ApproximateEpsilon { return c.O }},
			{"ε_U-G", func(c Figure6Chart) []monotone.ApproximateEpsilon { return c.G }},
		} {
			g := gap{law: full.Law, name: upper.name, small: small, one: full}
			var a, b, ratios []float64
			for trial := range r.Config.Trials {
				a = append(a, meanGap(upper.of(small), small.Audits, trial))
				b = append(b, meanGap(upper.of(full), full.Audits, trial))
				ratios = append(ratios, a[trial]/b[trial])
			}
			g.atSmall, g.at1, g.left = stat.Mean(a, nil), stat.Mean(b, nil), stat.Mean(ratios, nil)
			g.err = (slices.Max(ratios) - slices.Min(ratios)) / 2
			out = append(out, g)
		}
	}
	return out
}

func meanGap(upper []monotone.ApproximateEpsilon, audits [][]float64, trial int) (mean float64) {
	for i, u := range upper {
		mean += (float64(u) - audits[i][trial]) / float64(len(upper))
	}
	return mean
}

// Compare sets the approximations next to ε_U-P, and what is left of the gap at the smallest τ next
// to the sentence of Section 5.4.
func (r Figure6Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "xiang2024-figure6", Title: "Figure 6: what the approximations take off, and what is left of the gap at a small τ"}
	var tighter figures.Cases
	for _, chart := range r.Charts {
		for i, generic := range chart.Generic {
			tighter.AddIf(math.Max(float64(chart.O[i]), float64(chart.G[i])) < generic)
		}
	}
	c.Rows = append(c.Rows, tighter.Against(papers.Xiang2024.Figure6.Tighter).WithNote("“much” is not tested; for τ < 1 neither is a bound"))
	for _, g := range r.gaps() {
		row := figures.Against(papers.Xiang2024.Figure6.GapLeft, g.left).WithErr(g.err).
			WithNote("the same sentence in every row; 0 is for “almost vanishes”, up to a quarter; our error is half of the range of the trials").ByOurChoice()
		row.Quantity = fmt.Sprintf("%s - ε_L at τ = %g over that at τ = 1, mean over ε_B, η = %g, ν = %g", g.name, g.small.SamplingRate, g.law.Eta, g.law.Gamma)
		c.Rows = append(c.Rows, row)
	}
	return c
}

// Figure draws one chart for each sampling rate and law.
func (r Figure6Result) Figure() chart.Figure {
	p := chart.Panels{
		Name: "xiang2024-figure6", Title: "Figure 6: what tuning DP-SGD costs", Columns: min(2, len(r.Config.Laws)),
		Notes: []string{
			"Lines of ε_U-G and ε_U-O: Algorithm 3 as printed, certified, at the least σ for ε_B. For τ < 1 they are approximations, not bounds. Bounds hold for every score.",
			fmt.Sprintf("Crosses: the same by a cut integral at the σ up to %g where a bisection stops, which is the reading of Table 4. They are not bounds at any τ.", bisectedTo),
			"The simulated game is N(0, 1) against N(µ_O, 1), best of K. At τ = 1 that is DP-SGD itself with a monotone score.",
			fmt.Sprintf("ε_L by equation (4): mean, least and largest of %d audits with %s games each, confidence %g; the charts of a law share their draws. δ = %s, N = %d. Settings ours: base ε, η and ν, which the text does not print.",
				r.Config.Trials, chart.Grouped(float64(r.Config.Games)), r.Config.Confidence, chart.Scientific(r.Config.Delta), r.Config.Steps),
		},
	}
	for i, c := range r.Charts {
		x := r.Config.BaseEpsilons
		p.Charts = append(p.Charts, chart.Chart{
			Name:   fmt.Sprintf("xiang2024-figure6-%d", i+1),
			Title:  fmt.Sprintf("τ = %g, η = %g, ν = %g, E[K] = %.3g", c.SamplingRate, c.Law.Eta, c.Law.Gamma, c.Law.Distribution().Mean()),
			XLabel: "base ε_B", YLabel: fmt.Sprintf("ε at δ = %s", chart.Scientific(r.Config.Delta)), Curves: []chart.Curve{
				{Label: "ε_U-P, Theorem 2 (bound)", X: x, Y: c.Generic, Color: 1},
				{Label: "lowest bound of dplab", X: x, Y: c.Ours, Color: 3},
				{Label: "ε_U-G (central limit)", X: x, Y: figures.Floats(c.G), Color: 2},
				{Label: "ε_U-O (large numbers)", X: x, Y: figures.Floats(c.O), Color: 4},
				{Label: "exact ε of the simulated game", X: x, Y: c.Exact, Color: 5},
				figures.Ranges(chart.Curve{Label: "ε_L, audit", X: x, Kind: chart.Points, Color: 6}, c.Audits),
				{Label: "ε_U-G and ε_U-O, cut integral", X: slices.Concat(x, x), Y: slices.Concat(c.ReadG, c.ReadO), Kind: chart.Points, OnTop: true},
				{Label: "one run", X: x, Y: x, Reference: true},
			},
		})
	}
	return p
}

// Table lists all values.
func (r Figure6Result) Table() figures.Table {
	t := figures.Table{
		Name: "xiang2024-figure6-values", Title: "Figure 6 in numbers: ε, in nats",
		Columns: []string{"τ", "η", "ν", "ε_B", "µ_O", "ε_L: mean", "least to largest", "exact, game of µ_O", "ε_U-O", "ε_U-O, read", "ε_U-G", "ε_U-G, read", "lowest bound", "ε_U-P", "by"},
	}
	for _, c := range r.Charts {
		for i, base := range r.Config.BaseEpsilons {
			t.Rows = append(t.Rows, []string{
				fmt.Sprintf("%g", c.SamplingRate), fmt.Sprintf("%g", c.Law.Eta), fmt.Sprintf("%g", c.Law.Gamma), fmt.Sprintf("%g", base), fmt.Sprintf("%.4f", c.MuO[i]),
				fmt.Sprintf("%.2f", stat.Mean(c.Audits[i], nil)), fmt.Sprintf("%.2f to %.2f", slices.Min(c.Audits[i]), slices.Max(c.Audits[i])), fmt.Sprintf("%.3f", c.Exact[i]),
				fmt.Sprintf("%.3f", float64(c.O[i])), chart.Places(c.ReadO[i], 3), fmt.Sprintf("%.3f", float64(c.G[i])), chart.Places(c.ReadG[i], 3), fmt.Sprintf("%.3f", c.Ours[i]), fmt.Sprintf("%.3f", c.Generic[i]), c.OursBy[i],
			})
		}
	}
	return t
}
