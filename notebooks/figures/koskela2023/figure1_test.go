package koskela2023

import (
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/verify"
	"github.com/dplab/dplab/notebooks/figures/koskela2023/internal/methods"
)

func small(t *testing.T) Figure1Config {
	t.Helper()
	configs, err := Defaults("quick")
	if err != nil {
		t.Fatal(err)
	}
	cfg := configs.Figure1
	cfg.TuningRates = []float64{0.005, 0.05, 0.1, 0.3, 0.5}
	return cfg
}

func TestFigure1(t *testing.T) {
	r, err := Figure1(small(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Compare().Rows {
		if !row.Holds() {
			t.Errorf("%s: ours %g, paper %g: %s (%s)", row.Quantity, row.Ours, row.Reference, row.Verdict(), row.Source)
		}
	}
	for _, c := range r.Curves {
		checkTuningCurves(t, r, c)
	}
	if row := r.Compare().Rows[7]; row.Note != "at q = 0.114" || row.Reference != 1 {
		t.Errorf("%s: note %q", row.Quantity, row.Note)
	}
	// Equations (3.6), (3.7), Theorems 4 and 5 and Lemma 3 in mpmath 1.3 at 40 digits: variant 1 is
	// the larger below these q.
	for i, want := range []float64{0.010365578, 0.11359765} {
		if c := r.Curves[i]; len(c.Crossings) != 1 || math.Abs(c.Crossings[0]/want-1) > 2e-6 || c.Variant1[0] <= c.Variant2[0] {
			t.Errorf("µ = %g: the paper's bounds cross at q = %v: want %g", c.MeanRepeats, c.Crossings, want)
		}
	}
	proved := 0
	for _, g := range r.Answers() {
		if g.Certificate == nil || g.Certificate.Proof == nil {
			continue
		}
		answer, err := verify.Of(g)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := answer.Verify(); err != nil {
			t.Errorf("ε <= %g: %v", g.Epsilon.Upper, err)
		}
		proved++
	}
	if len(r.Answers()) != 1+len(r.Curves)*(1+2*len(r.Config.TuningRates)) || proved == 0 {
		t.Errorf("%d answers, %d with a proof", len(r.Answers()), proved)
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
}

// checkTuningCurves asks that ours are never above the paper's, that variant 1 is never
// above variant 2, and that ε does not fall with q beyond one percent.
func checkTuningCurves(t *testing.T, r Figure1Result, c TuningCurves) {
	t.Helper()
	for i, q := range r.Config.TuningRates {
		if c.Variant1Least[i] > c.Variant1[i] || c.Variant2Least[i] > c.Variant2[i] {
			t.Errorf("µ %g q %g: ours %g and %g above the paper's %g and %g", c.MeanRepeats, q, c.Variant1Least[i], c.Variant2Least[i], c.Variant1[i], c.Variant2[i])
		}
		if c.Variant1Least[i] > c.Variant2Least[i]*(1+1e-9) {
			t.Errorf("µ %g q %g: variant 1 %g above variant 2 %g", c.MeanRepeats, q, c.Variant1Least[i], c.Variant2Least[i])
		}
	}
	for _, ys := range [][]float64{c.Variant1, c.Variant2, c.Variant1Least, c.Variant2Least} {
		if !slices.IsSorted(ys) && slices.Max(ys) > 1.01*ys[len(ys)-1] {
			t.Errorf("µ %g: %v: must grow with q", c.MeanRepeats, ys)
		}
	}
	if c.BaselineLeast > c.Baseline {
		t.Errorf("µ %g: our baseline %g above the paper's %g", c.MeanRepeats, c.BaselineLeast, c.Baseline)
	}
}

// A line between two points of the quick profile is nowhere more than half a percent below the
// bound: at seven points between for the paper's bounds, in the middle for ours.
func TestFigure1Lines(t *testing.T) {
	configs, err := Defaults("quick")
	if err != nil {
		t.Fatal(err)
	}
	cfg := configs.Figure1
	paper, err := methods.NewBounds(cfg.event(), cfg.Delta, cfg.MaxOrder)
	if err != nil {
		t.Fatal(err)
	}
	published := map[string]func(mean, rate float64) (float64, error){
		"variant 1": func(mean, rate float64) (float64, error) {
			first, _, err := paper.Variants(mean, rate)
			return first, err
		},
		"variant 2": func(mean, rate float64) (float64, error) {
			_, second, err := paper.Variants(mean, rate)
			return second, err
		},
	}
	parts, every := 8, 1
	if testing.Short() {
		parts, every = 4, 8
	}
	for name, bound := range published {
		t.Run("paper, "+name, func(t *testing.T) { checkLines(t, cfg, parts, every, bound) })
	}
	if testing.Short() {
		t.Skip("ours take some seconds")
	}
	ours := map[float64]subsample.Prepared{} // by the mean
	for _, mean := range cfg.MeanRepeats {
		if ours[mean], err = prepare(cfg, law.Poisson{MeanRepeats: mean}); err != nil {
			t.Fatal(err)
		}
	}
	for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
		t.Run("ours, "+variant.String(), func(t *testing.T) {
			t.Parallel()
			checkLines(t, cfg, 2, 6, func(mean, rate float64) (float64, error) {
				price, err := ours[mean].PriceAt(rate, variant)
				return price.Least().Epsilon, err
			})
		})
	}
}

// checkLines divides every so many of the intervals of the logarithmic axis, the first and the last
// among them, into parts.
func checkLines(t *testing.T, cfg Figure1Config, parts, every int, bound func(mean, rate float64) (float64, error)) {
	t.Helper()
	at := func(mean, rate float64) float64 {
		y, err := bound(mean, rate)
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	for _, mean := range cfg.MeanRepeats {
		qs := cfg.TuningRates
		if (len(qs)-2)%every != 0 {
			t.Fatalf("%d intervals: every %d-th leaves the last out", len(qs)-1, every)
		}
		for i := 1; i < len(qs); i += every {
			left, right := at(mean, qs[i-1]), at(mean, qs[i])
			for k := 1; k < parts; k++ {
				f := float64(k) / float64(parts)
				q := qs[i-1] * math.Pow(qs[i]/qs[i-1], f)
				if drawn, there := left+f*(right-left), at(mean, q); drawn < there*(1-0.005) {
					t.Errorf("µ = %g, q = %g: drawn at %g, the bound is %g", mean, q, drawn, there)
				}
			}
		}
	}
}

// Rows are compared with the paper's values only where the run is the paper's.
func TestFigure1OfOtherRuns(t *testing.T) {
	for name, change := range map[string]func(*Figure1Config){
		"noise": func(c *Figure1Config) { c.NoiseMultiplier, c.MeanRepeats = 3, []float64{1.5, 100} },
		"steps": func(c *Figure1Config) { c.Steps, c.MeanRepeats = 4000, []float64{1} },
	} {
		cfg := small(t)
		cfg.TuningRates = []float64{0.05, 0.5}
		change(&cfg)
		r, err := Figure1(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if rows := r.Compare().Rows; len(rows) != 2 {
			t.Errorf("%s: %d rows compared: must be 2", name, len(rows))
		}
		if err := r.Figure().Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestFigure1Validate(t *testing.T) {
	for name, change := range map[string]func(*Figure1Config){
		"rate":  func(c *Figure1Config) { c.SamplingRate = 2 },
		"noise": func(c *Figure1Config) { c.NoiseMultiplier = 0 },
		"steps": func(c *Figure1Config) { c.Steps = 0 },
		"delta": func(c *Figure1Config) { c.Delta = 1 },
		"order": func(c *Figure1Config) { c.MaxOrder = 2 },
		"means": func(c *Figure1Config) { c.MeanRepeats = []float64{0.5} },
		"q":     func(c *Figure1Config) { c.TuningRates = []float64{0.2, 0.1} },
	} {
		cfg := small(t)
		change(&cfg)
		if _, err := Figure1(cfg); err == nil {
			t.Errorf("%s: must be refused", name)
		}
	}
	if _, err := Defaults("slow"); err == nil {
		t.Error("profile slow: must be refused")
	}
}

// leastAt is the least bound at one rate.
func leastAt(cfg Figure1Config, k law.Law, rate float64, variant subsample.Variant) (accounting.Bound, error) {
	prepared, err := prepare(cfg, k)
	if err != nil {
		return accounting.Bound{}, err
	}
	price, err := prepared.PriceAt(rate, variant)
	return price.Least(), err
}
