package koskela2023

import (
	"slices"
	"testing"
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
	// Section 3.3: "the bounds for the variants 1 and 2 cross when µ = 45 at small values of q".
	if c := r.Curves[0]; c.Crossing > 0.01 { // NaN if none
		t.Errorf("µ = %g: the paper's bounds cross at q = %g: the text says so of µ = 45 alone", c.MeanRepeats, c.Crossing)
	}
	if c := r.Curves[1]; !(c.Crossing > 0 && c.Crossing < 0.3) {
		t.Errorf("µ = %g: the paper's bounds cross at q = %g: Section 3.3 says at small q", c.MeanRepeats, c.Crossing)
	}
	if err := r.Panels().Validate(); err != nil {
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
