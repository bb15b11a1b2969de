package koskela2023

import (
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
)

// Section D.1: the larger σ, the better the line. The line lies above the curve and touches
// it.
func TestFigure9(t *testing.T) {
	configs, err := Defaults("quick")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Figure9(configs.Figure9)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range r.Curves {
		touches := false
		for k, order := range b.Orders {
			if b.Slope*order < b.Divergences[k]*(1-1e-12) {
				t.Errorf("γ %g σ %g order %g: line %g below the curve %g", b.SamplingRate, b.NoiseMultiplier, order, b.Slope*order, b.Divergences[k])
			}
			touches = touches || math.Abs(b.Slope*order/b.Divergences[k]-1) < 1e-12
		}
		if !touches {
			t.Errorf("γ %g σ %g: the line does not touch the curve", b.SamplingRate, b.NoiseMultiplier)
		}
		if i%len(r.Config.NoiseMultipliers) > 0 && b.Slack >= r.Curves[i-1].Slack {
			t.Errorf("γ %g: slack %g at σ %g is not below %g at the σ before", b.SamplingRate, b.Slack, b.NoiseMultiplier, r.Curves[i-1].Slack)
		}
	}
	n := len(r.Config.NoiseMultipliers)
	for i := range n { // and the smaller γ
		if r.Curves[i].Slack >= r.Curves[n+i].Slack {
			t.Errorf("σ %g: slack %g at γ %g is not below %g at γ %g", r.Curves[i].NoiseMultiplier, r.Curves[i].Slack, r.Curves[i].SamplingRate, r.Curves[n+i].Slack, r.Curves[n+i].SamplingRate)
		}
	}
	// Far from the end of the range the curve is near γ²T(e^(1/σ²)-1)α/2, its slope at small
	// α (second order in γ): for σ = 4 to 5 %.
	last := r.Curves[n-1]
	want := last.SamplingRate * last.SamplingRate * float64(r.Config.Steps) * math.Expm1(1.0/16) / 2
	if math.Abs(last.Slope/want-1) > 0.05 {
		t.Errorf("γ %g σ %g: slope %g: want about %g", last.SamplingRate, last.NoiseMultiplier, last.Slope, want)
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
}

// The sentence of Section D.1 holds for the rates of the caption; for noise so small that the
// curve is no line at all it does not, and a config that is not the caption's has no verdict.
func TestFigure9Claims(t *testing.T) {
	cfg := Figure9Config{SamplingRates: []float64{0.01, 0.02}, NoiseMultipliers: []float64{2, 3, 4}, Steps: 1000, MaxOrder: 24}
	for _, c := range []struct {
		change  func(*Figure9Config)
		larger  figures.Cases // the cases of the first sentence
		verdict []string
	}{
		{func(*Figure9Config) {}, figures.Cases{Hold: 6}, []string{figures.AsTextSays, figures.AsTextSays}},
		{func(c *Figure9Config) { c.NoiseMultipliers = []float64{0.3, 0.5} }, figures.Cases{Fail: 2}, []string{figures.Differs, figures.Differs}},
		{func(c *Figure9Config) { c.SamplingRates = []float64{0.01} }, figures.Cases{Hold: 3}, []string{figures.NoReference}},
		{func(c *Figure9Config) { c.MaxOrder = 20 }, figures.Cases{Hold: 6}, []string{figures.NoReference, figures.NoReference}},
	} {
		cfg := cfg
		c.change(&cfg)
		r, err := Figure9(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if row, want := r.Compare().Rows[0], float64(c.larger.Hold)/float64(c.larger.Of()); row.Ours != want {
			t.Errorf("%+v: the larger σ has the better line in a share of %g, want %g", cfg, row.Ours, want)
		}
		var verdicts []string
		for _, row := range r.Compare().Rows {
			verdicts = append(verdicts, row.Verdict())
		}
		if !slices.Equal(verdicts, c.verdict) {
			t.Errorf("%+v: verdicts %q: want %q", cfg, verdicts, c.verdict)
		}
	}
}

func TestFigure9Validate(t *testing.T) {
	for name, cfg := range map[string]Figure9Config{
		"empty": {Steps: 1, MaxOrder: 24},
		"rate":  {SamplingRates: []float64{0}, NoiseMultipliers: []float64{1}, Steps: 1, MaxOrder: 24},
		"noise": {SamplingRates: []float64{0.1}, NoiseMultipliers: []float64{-1}, Steps: 1, MaxOrder: 24},
		"steps": {SamplingRates: []float64{0.1}, NoiseMultipliers: []float64{1}, MaxOrder: 24},
		"order": {SamplingRates: []float64{0.1}, NoiseMultipliers: []float64{1}, Steps: 1, MaxOrder: 1},
	} {
		if _, err := Figure9(cfg); err == nil {
			t.Errorf("%s: must be refused", name)
		}
	}
}
