package koskela2023

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/koskela2023/internal/methods"
)

func quickNoise(t *testing.T) NoiseConfig {
	t.Helper()
	configs, err := Defaults("quick")
	if err != nil {
		t.Fatal(err)
	}
	return configs.Noise
}

// Theorems 4, 5 and 6, Lemma 3 and the sum of the sampled Gaussian in mpmath 1.3 at 40 digits, by
// bisection.
func TestPublishedNoise(t *testing.T) {
	cfg := quickNoise(t)
	for i, sigmas := range [][3][4]float64{ // by ε = 1, 2, 4: one run, variant 1, variant 2, baseline
		{{3.84466, 4.22087, 4.94087, 10.3952}, {2.14512, 2.79729, 3.1482, 5.421}, {1.30444, 1.96719, 2.14068, 2.87977}},
		{{4.20331, 4.61699, 5.40801, 11.3934}, {2.33095, 3.05101, 3.43744, 5.93535}, {1.39815, 2.13483, 2.32662, 3.14187}},
		{{6.85466, 7.56343, 8.88593, 18.849}, {3.70302, 4.95614, 5.60456, 9.77792}, {2.08904, 3.40356, 3.73006, 5.1087}},
	} {
		training, got := cfg.Trainings[i], newNoise(3)
		for k, epsilon := range []float64{1, 2, 4} {
			if err := got.calibrate(k, cfg.published(training), epsilon, cfg.Delta); err != nil {
				t.Fatal(err)
			}
			for m, sigma := range []float64{got.OneRun[k], got.Variant1[k], got.Variant2[k], got.Baseline[k]} {
				if want := sigmas[k][m]; math.Abs(sigma/want-1) > 1e-5 {
					t.Errorf("%s, ε = %g, method %d: σ %g: want %g", training.Name, epsilon, m, sigma, want)
				}
			}
		}
	}
}

// Our noise is the least for the ε, and never more than the paper's.
func TestNoiseMultipliers(t *testing.T) {
	cfg := quickNoise(t)
	cfg.Trainings, cfg.Epsilons = cfg.Trainings[:1], []float64{1, 4}
	r, err := NoiseMultipliers(cfg)
	if err != nil {
		t.Fatal(err)
	}
	n := r.Trainings[0]
	for k, epsilon := range cfg.Epsilons {
		cost := func(sigma float64) float64 {
			one := Figure1Config{SamplingRate: n.Training.SamplingRate, NoiseMultiplier: sigma, Steps: n.Training.Steps, Delta: cfg.Delta}
			b, err := leastAt(one, law.Poisson{MeanRepeats: cfg.MeanRepeats}, cfg.TuningRate, subsample.RestOfData)
			if err != nil {
				t.Fatal(err)
			}
			return b.Epsilon
		}
		if sigma := n.Least.Variant1[k]; cost(sigma) > epsilon || cost(sigma*(1-1e-4)) <= epsilon {
			t.Errorf("ε = %g: variant 1 at σ = %g costs %g, with a little less noise %g", epsilon, sigma, cost(sigma), cost(sigma*(1-1e-4)))
		}
		for m, pair := range [][2][]float64{{n.Least.OneRun, n.Paper.OneRun}, {n.Least.Variant1, n.Paper.Variant1}, {n.Least.Variant2, n.Paper.Variant2}, {n.Least.Baseline, n.Paper.Baseline},
			{n.Least.OneRun, n.Least.Variant1}, {n.Least.Variant1, n.Least.Variant2}} {
			if pair[0][k] > pair[1][k] {
				t.Errorf("ε = %g, pair %d: σ %g above %g", epsilon, m, pair[0][k], pair[1][k])
			}
		}
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
}

// The verdicts follow the result, and settings that are not the paper's have none.
func TestNoiseClaims(t *testing.T) {
	cfg := quickNoise(t)
	cfg.Epsilons = []float64{1, 2}
	as := func(variant1, variant2, baseline float64) NoiseResult {
		r := NoiseResult{Config: cfg}
		for _, training := range cfg.Trainings {
			n := Noise{OneRun: []float64{1, 1}, Variant1: []float64{variant1, 2}, Variant2: []float64{variant2, 4}, Baseline: []float64{baseline, 6}}
			r.Trainings = append(r.Trainings, TrainingNoise{training, n, n})
		}
		return r
	}
	for _, c := range []struct {
		result  NoiseResult
		verdict []string
	}{
		{as(3, 4, 5), []string{figures.AsTextSays, figures.AsTextSays}},
		{as(4, 3, 2), []string{figures.Differs, figures.Differs}},
	} {
		verdicts := func() (out []string) {
			for _, row := range c.result.Compare().Rows {
				out = append(out, row.Verdict())
			}
			return out
		}
		if got := verdicts(); !slices.Equal(got, c.verdict) {
			t.Errorf("verdicts %q: want %q", got, c.verdict)
		}
		c.result.Config.MeanRepeats = 45
		if got := verdicts(); !slices.Equal(got, []string{figures.NoReference, figures.NoReference}) {
			t.Errorf("µ = 45: verdicts %q: must be none", got)
		}
	}
}

func TestNoiseValidate(t *testing.T) {
	for name, change := range map[string]func(*NoiseConfig){
		"trainings": func(c *NoiseConfig) { c.Trainings = nil },
		"rate":      func(c *NoiseConfig) { c.Trainings = []Training{{"x", 2, 10}} },
		"epsilons":  func(c *NoiseConfig) { c.Epsilons = []float64{2, 1} },
		"one":       func(c *NoiseConfig) { c.Epsilons = []float64{2} },
		"delta":     func(c *NoiseConfig) { c.Delta = 0 },
		"mean":      func(c *NoiseConfig) { c.MeanRepeats = 0.5 },
		"q":         func(c *NoiseConfig) { c.TuningRate = 1 },
		"order":     func(c *NoiseConfig) { c.MaxOrder = 2 },
	} {
		cfg := quickNoise(t)
		change(&cfg)
		if _, err := NoiseMultipliers(cfg); err == nil {
			t.Errorf("%s: must be refused", name)
		}
	}
}

// counting counts the questions that reach an accountant.
type counting struct {
	accounting.Accountant
	asked *int
}

func (c counting) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	*c.asked++
	return c.Accountant.EpsilonAt(event, delta)
}

// A second calibration for the same target asks nothing, one for another target less than the
// first, and answers are the same.
func TestRemembering(t *testing.T) {
	asked := 0
	event := func(sigma float64) accounting.Event { return methods.Training(0.02, sigma, 1000) }
	plain := counting{rdp.NewAccountant(), &asked}
	memory := remembering{plain, new(sync.Map)}
	for i, epsilon := range []float64{1, 1, 2} {
		asked = 0
		want, err := auto.CalibrateNoiseMultiplier(event, accounting.Target{Epsilon: epsilon, Delta: 1e-5}, plain)
		if err != nil {
			t.Fatal(err)
		}
		all := asked
		asked = 0
		got, err := auto.CalibrateNoiseMultiplier(event, accounting.Target{Epsilon: epsilon, Delta: 1e-5}, memory)
		if err != nil || got != want {
			t.Errorf("ε = %g: σ %g, error %v: want %g", epsilon, got, err, want)
		}
		if i == 0 && asked != all || i == 1 && asked != 0 || i == 2 && asked >= all {
			t.Errorf("ε = %g, target %d: asked %d times, without a memory %d times", epsilon, i, asked, all)
		}
	}
}
