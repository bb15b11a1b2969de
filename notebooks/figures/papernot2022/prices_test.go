package papernot2022

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/internal/figuretest"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// A limit above a bound that was proved would be wrong. Small δ and large ε are where the
// difference of two success probabilities loses all its digits.
func TestLowerLimitStaysBelowTheBounds(t *testing.T) {
	for i, c := range []struct{ rho, delta float64 }{{0.5, 1e-9}, {0.1, 1e-12}, {2, 1e-15}} {
		base, err := baserun.New(accounting.Gaussian{NoiseMultiplier: 1 / math.Sqrt(2*c.rho)})
		if err != nil {
			t.Fatal(err)
		}
		for j, f := range []laws.Family{laws.TNB(0), laws.TNB(1), laws.TNB(5), laws.Poisson} {
			for k, mean := range []float64{1.1, 10, 40, 700, 3000} {
				if testing.Short() && (i+j+k)%8 != 0 {
					continue
				}
				law, err := f.Law(mean)
				if err != nil {
					t.Fatal(err)
				}
				price, err := selection.PriceAt(law, base, c.delta)
				if err != nil {
					t.Fatal(err)
				}
				limit, err := laws.LowerLimit(law, math.Sqrt(2*c.rho), c.delta)
				if least := price.Least(); err != nil || !(limit > 0 && limit <= least.Epsilon) {
					t.Errorf("%v, ρ = %g, δ = %g: limit %g, least bound %g (%s), %v", law, c.rho, c.delta, limit, least.Epsilon, least.Name, err)
				}
			}
		}
	}
}

// The values are those of another program, which merges the same outputs on 4,000 cells: µ = 1, δ =
// 1e-5. One run has the exact ε of the Gaussian mechanism (dp_accounting 0.6.0,
// get_epsilon_gaussian).
func TestLowerLimitAgainstOtherProgram(t *testing.T) {
	tnb := func(eta, mean float64) law.Law {
		law, err := law.TNBFromMean(eta, mean)
		if err != nil {
			t.Fatal(err)
		}
		return law
	}
	for _, c := range []struct {
		law  law.Law
		want float64
	}{
		{tnb(0, 10), 6.0812},
		{tnb(1, 10), 6.4243},
		{law.Poisson{MeanRepeats: 10}, 8.1613},
		{law.Binomial{Trials: 20, P: 0.5}, 9.1180},
		{tnb(1, 100), 8.3647},
		{law.Fixed{Count: 1}, 4.3771780957},
	} {
		if got, err := laws.LowerLimit(c.law, 1, 1e-5); err != nil || got > c.want+1e-4 || got < c.want-0.01 {
			t.Errorf("%v: %.5f, %v: want %.4f, or up to 0.01 less", c.law, got, err, c.want)
		}
	}
	if got, err := laws.LowerLimit(law.Fixed{Count: 1}, 1e-9, 1e-5); err != nil || got != 0 {
		t.Errorf("runs that say nothing: %g, %v: want 0", got, err)
	}
}

func smallPrices() PriceConfig {
	return PriceConfig{
		Rho: 0.1, Delta: 1e-6, Means: []float64{1.05, 3, 10, 200}, SuccessChance: 0.01,
		Families: []laws.Family{laws.TNB(-0.5), laws.TNB(0), laws.TNB(0.5), laws.TNB(1), laws.TNB(5), laws.Poisson, laws.Fixed},
	}
}

func TestFigure4(t *testing.T) {
	r, err := Figure4(smallPrices())
	if err != nil {
		t.Fatal(err)
	}
	figuretest.Figure(t, r.Figure(), r.Compare())
	figuretest.Rows(t, r.Compare(), figuretest.None)
	for _, c := range r.Curves {
		for i := range c.Paper {
			if !(c.Limit[i] <= c.Gaussian[i] && c.Gaussian[i] <= c.Paper[i]) {
				t.Errorf("%v: limit %g, least bound %g (%s), paper's bound %g: must be in order", c.Laws[i], c.Limit[i], c.Gaussian[i], c.GaussianBy[i], c.Paper[i])
			}
			if i > 0 && c.Paper[i] < c.Paper[i-1] {
				t.Errorf("%s: ε falls from %g to %g as the mean grows", c.Family.Label(), c.Paper[i-1], c.Paper[i])
			}
		}
	}
}

// checkWithoutReference fails unless the first n rows have our number, no paper's, and the paper's
// setup in the note.
func checkWithoutReference(t *testing.T, c figures.Comparison, n int) {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	if len(c.Rows) < n {
		t.Fatalf("%d rows: want %d or more", len(c.Rows), n)
	}
	for _, row := range c.Rows[:n] {
		if row.Verdict() != figures.NoReference || math.IsNaN(row.Ours) || !strings.Contains(row.Note, "the paper's number is for ") {
			t.Errorf("%s: %g, %s, note %q", row.Quantity, row.Ours, row.Verdict(), row.Note)
		}
	}
}

func TestAnotherSetupHasNoReference(t *testing.T) {
	cfg := smallPrices()
	cfg.Families, cfg.Delta = []laws.Family{laws.TNB(0.5), laws.Poisson}, 1e-9
	fourth, err := Figure4(cfg)
	if err != nil {
		t.Fatal(err)
	}
	checkWithoutReference(t, fourth.Compare(), 12)
	if q := fourth.Compare().Rows[0].Quantity; !strings.Contains(q, "δ = 10⁻⁹") {
		t.Errorf("quantity %q: want the δ of the config", q)
	}
	fifth, err := Figure5(cfg)
	if err != nil {
		t.Fatal(err)
	}
	checkWithoutReference(t, fifth.Compare(), 1)
	if fifth.Compare().Tally().Of() != 7 {
		t.Errorf("%v: want the seven quantiles, which have neither ρ nor δ", fifth.Compare().Tally())
	}
	cfg.SuccessChance = 0.02
	sixth, err := Figure6(cfg)
	if err != nil {
		t.Fatal(err)
	}
	checkWithoutReference(t, sixth.Compare(), 5)
}

// The means at ε = 4 were read off the exact values by another reader: 81.3, 8.8, 3.1.
func TestFigure4Runs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r, err := Figure4(defaultFigure4(24))
	if err != nil {
		t.Fatal(err)
	}
	table := r.Table()
	if err := table.Validate(); err != nil || table.Title != "Mean number of runs for ε = 4 at δ = 10⁻⁶" {
		t.Errorf("title %q, error %v", table.Title, err)
	}
	for i, want := range []string{"3", "81", "8.8"} {
		if got := table.Rows[i][1]; got != want {
			t.Errorf("%s: %s runs, want %s", table.Rows[i][0], got, want)
		}
	}
	_, right := frame(r.Curves)
	for _, c := range r.Curves {
		if gap := c.largestGap(right); c.Family != laws.Fixed && !(gap < 0.02 || c.Family == laws.Poisson && gap < 0.15) {
			t.Errorf("%s: the least bound is %g above its limit: want them to meet where E[K] δ is small", c.Family.Label(), gap)
		}
	}
	c := r.Curves[1]
	if title := r.Figure().(chart.Panels).Charts[0].Title; title != "Theorems 2 and 6, as in the paper" {
		t.Errorf("title %q", title)
	}
	r.Config.Delta = 1e-9
	if title := r.Figure().(chart.Panels).Charts[0].Title; title != "Theorems 2 and 6" {
		t.Errorf("another δ than the paper's: title %q", title)
	}
	if got := runsFor(c, c.Paper, 1e9); got != "more than 100,000" {
		t.Errorf("beyond the curve: %q", got)
	}
	if got := runsFor(c, c.Paper, 0.1); got != "none" {
		t.Errorf("before the curve: %q", got)
	}
}

func TestFigure5(t *testing.T) {
	cfg := defaultFigure5(24)
	cfg.Families = []laws.Family{laws.TNB(0.5), laws.Poisson}
	r, err := Figure5(cfg)
	if err != nil {
		t.Fatal(err)
	}
	figuretest.Figure(t, r.Figure(), r.Compare())
	figuretest.Rows(t, r.Compare(), figuretest.None)
	// The generating function gives the quantile too: 1 - ∫ f, by the midpoint rule.
	for k, c := range r.Curves {
		for i, law := range c.Laws {
			if testing.Short() && i%6 > 0 {
				continue
			}
			const n = 20000
			sum := 0.0
			for j := range n {
				u := (float64(j) + 0.5) / n
				sum += law.Distribution().PGF(1-u*u*u) * 3 * u * u / n // f bends at 1: x = 1-u³
			}
			if math.Abs(r.Bought[k][i]-(1-sum)) > 1e-6 {
				t.Errorf("%v: expected quantile %.9g: want %.9g by the midpoint rule", law, r.Bought[k][i], 1-sum)
			}
		}
	}
	// By the paper's bounds Poisson leads up to 4.16; for Gaussian runs η = 0.5 is ahead of the
	// cheapest Poisson law.
	if paper, gaussian := r.crossing(byPaper), r.crossing(byGaussian); math.Abs(paper-4.16) > 0.06 || gaussian > r.Curves[1].Gaussian[0] {
		t.Errorf("crossings at ε = %g and %g", paper, gaussian)
	}
	poisson := func(r PriceResult) (ours [2]float64) {
		rows := r.Compare().Rows
		return [2]float64{rows[len(rows)-2].Ours, rows[len(rows)-1].Ours}
	}
	if got := poisson(r); got != [2]float64{1, 0} || len(r.Table().Rows) < 3 {
		t.Errorf("Poisson leads somewhere: %v, want by the paper's bounds only; rows %q", got, r.Table().Rows)
	}
	cfg.Families = []laws.Family{laws.TNB(0)}
	if r, err = Figure5(cfg); err != nil || !math.IsNaN(r.crossing(byPaper)) {
		t.Errorf("without the two families: crossing %g, error %v: want NaN", r.crossing(byPaper), err)
	}
	if got := poisson(r); !math.IsNaN(got[0]) || !math.IsNaN(got[1]) {
		t.Errorf("without Poisson: it leads %v, want NaN, which is no verdict on the paper's sentence", got)
	}
}

func TestFigure6(t *testing.T) {
	r, err := Figure6(smallPrices())
	if err != nil {
		t.Fatal(err)
	}
	figuretest.Figure(t, r.Figure(), r.Compare())
	figuretest.Rows(t, r.Compare(), figuretest.None)
	for k, c := range r.Curves {
		for i, law := range c.Laws {
			// Markov: no more than the mean number of successes; and a run succeeds if K >= 1 does.
			if p := r.Bought[k][i]; p > 0.01*law.Distribution().Mean()+1e-15 || p < 0.01*(1-law.Distribution().PGF(0))-1e-15 {
				t.Errorf("%s, mean %g: success probability %g", c.Family.Label(), law.Distribution().Mean(), p)
			}
		}
	}
	// With runs that nearly always succeed, one run that is sure to take place is as good as any.
	cfg := smallPrices()
	cfg.Families, cfg.SuccessChance = []laws.Family{laws.TNB(0), laws.Poisson}, 0.999
	if r, err = Figure6(cfg); err != nil {
		t.Fatal(err)
	}
	if first := r.Table().Rows[0]; first[0] != "the paper's" || first[1] != "logarithmic η = 0" {
		t.Errorf("the first leader is %q", first)
	}
}

func TestCrossing(t *testing.T) {
	xs := []float64{0, 1, 2, 3}
	flat, rising := []float64{0.5, 0.5, 0.5, 0.5}, []float64{0, 0.4, 0.6, 0.9}
	if got := crossing(xs, flat, xs, rising); math.Abs(got-1.5) > 0.01 {
		t.Errorf("crossing %g: want 1.5", got)
	}
	if got := crossing(xs, rising, xs, flat); !math.IsNaN(got) {
		t.Errorf("a curve that ends below: %g: want NaN", got)
	}
	if got := crossing(xs, flat, []float64{7, 8}, []float64{1, 1}); !math.IsNaN(got) {
		t.Errorf("no common range: %g: want NaN", got)
	}
	if got := crossing(xs, flat, xs, []float64{1, 1, 1, 1}); got != 0 {
		t.Errorf("above from the start: %g: want 0", got)
	}
}

func TestPriceConfigRefuses(t *testing.T) {
	cases := []struct {
		spoil func(c *PriceConfig)
		want  string
	}{
		{func(c *PriceConfig) { c.Rho = -1 }, "Rho -1"},
		{func(c *PriceConfig) { c.Delta = 0 }, "Delta 0"},
		{func(c *PriceConfig) { c.Delta = 1 }, "Delta 1"},
		{func(c *PriceConfig) { c.Families = nil }, "Families is empty"},
		{func(c *PriceConfig) { c.Families = []laws.Family{{}} }, "Families[0]"},
		{func(c *PriceConfig) { c.Means = []float64{2} }, "Means: number of values 1"},
		{func(c *PriceConfig) { c.Means = []float64{1, 2} }, "Means[0] 1"},
		{func(c *PriceConfig) { c.SuccessChance = 1 }, "SuccessChance 1"},
	}
	for _, c := range cases {
		cfg := smallPrices()
		c.spoil(&cfg)
		if _, err := Figure6(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one with %q", err, c.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	for _, profile := range []string{"quick", "full"} {
		c, err := Defaults(profile)
		if err != nil {
			t.Fatal(err)
		}
		for i, check := range []func() error{
			c.Figure1.Validate, c.Figure2.Validate, c.Figure3.Validate, c.Figure4.Validate,
			c.Figure5.Validate, c.Figure6.Validate, c.Figure7.Validate, c.Figure8.Validate,
		} {
			if err := check(); err != nil {
				t.Errorf("%s, figure %d: %v", profile, i+1, err)
			}
		}
		if c.Figure4.Rho != papers.Papernot2022.Rho || c.Figure4.Delta != papers.Papernot2022.Delta {
			t.Errorf("%s: ρ %g, δ %g", profile, c.Figure4.Rho, c.Figure4.Delta)
		}
	}
	if _, err := Defaults("slow"); err == nil || !strings.Contains(err.Error(), `"slow"`) {
		t.Errorf("error %v", err)
	}
}

// The picture names the laws whose bound and limit are one line, and no others: 1.6 of 360 points
// of the axis.
func TestPictureSaysWhereBoundsTouchTheirLimits(t *testing.T) {
	curve := func(f laws.Family, gap float64) PriceCurve {
		c := PriceCurve{Family: f, Paper: []float64{2, 3}, Gaussian: []float64{2, 3}, Limit: []float64{2, 3 - gap}}
		for _, mean := range []float64{2, 4} {
			l, err := f.Law(mean)
			if err != nil {
				t.Fatal(err)
			}
			c.Laws = append(c.Laws, l)
		}
		return c
	}
	cfg := smallPrices()
	cfg.Means = []float64{2, 4}
	for want, gaps := range map[string][2]float64{ // the axis goes from 1.5 to 8
		" Bound and limit coincide to the width of the line.":                                  {0.02, 0.028},
		" Bound and limit coincide to the width of the line for " + laws.Poisson.Label() + ".": {0.03, 0.02},
		"left of it.": {0.03, 1},
	} {
		p := PriceResult{Config: cfg, Curves: []PriceCurve{curve(laws.Fixed, gaps[0]), curve(laws.Poisson, gaps[1])}, Bought: [][]float64{{2, 4}, {2, 4}}, look: look4(cfg)}.Figure().(chart.Panels)
		if got := p.Notes[1]; !strings.HasSuffix(got, want) {
			t.Errorf("gaps %v: %q, want %q at its end", gaps, got, want)
		}
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
		limits := 0
		for _, k := range p.Charts[1].Curves {
			if k.OnTop {
				limits++
			}
		}
		if limits != 2 || p.Charts[1].Curves[2].Label != "limit of each" || p.Charts[1].Curves[3].Label != "" {
			t.Errorf("%d limits on top, labels %q and %q", limits, p.Charts[1].Curves[2].Label, p.Charts[1].Curves[3].Label)
		}
	}
}
