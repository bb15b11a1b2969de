package ding2023

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/experiments/bank"
)

// oneGood is a bank of which the third candidate alone is good, on every part and on all data.
func oneGood(t *testing.T) bank.Bank {
	t.Helper()
	cfg := quickTask.Profiles["quick"]
	cfg.LearningRates, cfg.Repeats, cfg.Runs = []float64{0.01, 0.1, 1}, 1, 2
	var shards []bank.Shard
	for i, part := range []bank.Part{bank.Sample, bank.Rest, bank.All} {
		s := bank.Shard{Part: part, Training: 0, Repeat: 0}
		rates := []int{3, 3, 4}[i] // on all data the scaled ones too, of which two are of the grid
		for rate := range rates {
			x := float32(0.1)
			if rate == rates-1 {
				x = 0.9
			}
			for range cfg.Runs {
				s.Scores, s.Accuracies = append(s.Scores, x), append(s.Accuracies, x)
			}
		}
		shards = append(shards, s)
	}
	b, err := bank.New(cfg, shards)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// With scores that do not vary the exponential mechanism's chances are a closed form, and all
// searches find the good candidate where noise is small and not where it is large.
func TestRealTaskByHand(t *testing.T) {
	cfg := quick(t).RealTask
	cfg.Epsilons, cfg.Searches = []float64{0.01, 2, 1000}, 400
	r := must[RealTaskResult](t)(RealTask(t.Context(), oneGood(t), "made up", cfg))
	if want := []float64{0.1, 0.1, 0.9}; !near(r.Scores, want) || !near(r.Trained, want) {
		t.Fatalf("scores %v, trained %v, want %v", r.Scores, r.Trained, want)
	}
	for i, epsilon := range cfg.Epsilons {
		good := math.Exp(epsilon * 10 / 2 * 0.8) // k = 10
		if got, want := r.Searches[2].Winners[i][2], good/(good+2); !(math.IsInf(good, 1) && got == 1) && math.Abs(got-want) > 1e-6 {
			t.Errorf("ε = %g: exponential mechanism chooses the good one with chance %g, want %g", epsilon, got, want)
		}
	}
	for _, s := range r.Searches {
		last := len(cfg.Epsilons) - 1
		if math.Abs(s.Winners[last][2]-1) > 1e-9 || math.Abs(s.Accuracy[last].Mean-0.9) > 1e-6 || math.Abs(s.Fidelity[last]-1) > 1e-6 {
			t.Errorf("%s, no noise: winners %v, accuracy %g", s.Name, s.Winners[last], s.Accuracy[last].Mean)
		}
		if s.Winners[0][2] > 0.7 { // next to no information; of 400 searches 0.7 is far off any even chance
			t.Errorf("%s, much noise: winners %v", s.Name, s.Winners[0])
		}
	}
	valid(t, r.Figure(), r.Table())
	if note := r.Table().Notes[0]; !strings.Contains(note, "best mean score: 90.0 %") {
		t.Errorf("note %q", note)
	}
}

func near(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })
}

// Trained for real: the best learning rate is far better than a drawn one.
func TestRealTaskOnDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for some seconds")
	}
	r := must[RealTaskResult](t)(OnDigits(t.Context(), quick(t).RealTask, nil))
	if r.best() < r.drawn()+0.05 {
		t.Errorf("the best candidate has %.3f, a drawn one %.3f", r.best(), r.drawn())
	}
	if err := quickTask.Validate(); err != nil {
		t.Error(err)
	}
	valid(t, r.Figure(), r.Table())
	t.Log(r.Scores, r.Trained)
}

func TestRealTaskRefuses(t *testing.T) {
	for field, change := range map[string]func(*RealTaskConfig){
		"Level": func(c *RealTaskConfig) { c.Level = -1 }, "Epsilons": func(c *RealTaskConfig) { c.Epsilons = nil }, "Delta": func(c *RealTaskConfig) { c.Delta = 0 },
		"Granularity": func(c *RealTaskConfig) { c.Granularity = 1 }, "MaxTests": func(c *RealTaskConfig) { c.MaxTests = 0 }, "Searches": func(c *RealTaskConfig) { c.Searches = 1 },
	} {
		cfg := quick(t).RealTask
		change(&cfg)
		if _, err := RealTask(t.Context(), oneGood(t), "made up", cfg); err == nil {
			t.Errorf("%s: must be refused", field)
		}
	}
	cfg := quick(t).RealTask
	cfg.Level = 1
	if _, err := RealTask(t.Context(), oneGood(t), "made up", cfg); err == nil {
		t.Error("a level that the bank lacks: must be refused")
	}
}
