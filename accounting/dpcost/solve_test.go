package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/gdp"
)

type solvedAnswer struct {
	jsonAnswer
	Steps        int
	SamplingRate float64 `json:"sampling_rate"`
}

func askSolved(t *testing.T, line string) solvedAnswer {
	t.Helper()
	stdout, stderr, code := call(t, line+" -json")
	var a solvedAnswer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || code != 0 || stderr != "" {
		t.Fatalf("%s: code %d, %s, %v in %s", line, code, stderr, err, stdout)
	}
	return a
}

// With rate 1 the steps are Gaussian releases, so T of them cost the target if √T/σ is at most its
// µ. With other rates the answer meets the target, and a little more does not.
func TestSolve(t *testing.T) {
	upper := func(rate, noise float64, steps int) float64 {
		g, err := auto.NewAccountant().EpsilonAt(poissonSteps(rate, noise, steps), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		return g.Epsilon.Upper
	}
	mu, err := gdp.MuAt(accounting.Target{Epsilon: 2, Delta: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	if a, want := askSolved(t, "sgd -rate 1 -noise 30 -target-epsilon 2 -solve steps"), int(mu*mu*900); a.Steps != want || want < 100 {
		t.Errorf("%d steps, want %d by the closed form", a.Steps, want)
	}
	for line, rate := range map[string]float64{"-rate 0.01": 0.01, "-examples 6000 -batch 60": 0.01, "-examples 3000 -batch 1": 1. / 3000} {
		a := askSolved(t, "sgd "+line+" -noise 1.1 -target-epsilon 0.5 -solve steps")
		here, more := upper(rate, 1.1, a.Steps), upper(rate, 1.1, a.Steps+1)
		if here > 0.5 || more <= 0.5 || !near(a.Epsilon.Upper, here, 1e-9) {
			t.Errorf("%s: %d steps cost %v (answered %v), one more %v, want the target between", line, a.Steps, here, a.Epsilon.Upper, more)
		}
	}
	a := askSolved(t, "sgd -steps 5000 -noise 1.1 -target-epsilon 2 -solve rate")
	if here, more := upper(a.SamplingRate, 1.1, 5000), upper(a.SamplingRate*(1+3*accounting.CalibrationTolerance), 1.1, 5000); here > 2 || more <= 2 {
		t.Errorf("rate %v costs %v, and %v a little above, want the target between", a.SamplingRate, here, more)
	}
	one, two := ask(t, "sgd -rate 0.01 -steps 500 -target-epsilon 1"), ask(t, "sgd -rate 0.01 -steps 500 -target-epsilon 1 -solve noise")
	if one.NoiseMultiplier == nil || two.NoiseMultiplier == nil || *one.NoiseMultiplier != *two.NoiseMultiplier {
		t.Errorf("noise %v, by -solve noise %v", one.NoiseMultiplier, two.NoiseMultiplier)
	}
	for line, want := range map[string]string{
		"sgd -examples 60000 -batch 256 -noise 1.1 -target-epsilon 2 -solve steps": "10207, the most; 43.5498 epochs",
		"sgd -examples 60000 -steps 5000 -noise 1.1 -target-epsilon 2 -solve rate": "the largest; a mean batch of 361",
		"sgd -rate 1e-9 -noise 1e5 -target-epsilon 3 -solve steps":                 "1000000000000, the most that is searched",
	} {
		if text, _, code := call(t, line); code != 0 || !strings.Contains(text, want) {
			t.Errorf("%s: code %d, %q is not in\n%s", line, code, want, text)
		}
	}
}

// A mean batch never has a larger rate than the one that was found.
func TestBatchOf(t *testing.T) {
	for examples := 1.0; examples < 3000; examples += 7 {
		for batch := 1.0; batch <= examples; batch += 5 {
			if got := answer.BatchOf(batch/examples, examples); got != batch && got != batch-1 || math.FMA(batch/examples, examples, -got) < 0 {
				t.Fatalf("%v of %v: %v", batch, examples, got)
			}
		}
	}
}

func TestWrongSolve(t *testing.T) {
	for line, want := range map[string]string{
		"sgd -solve epochs -target-epsilon 1 -noise 1 -rate 0.1 -steps 1":            `-solve "epochs": must be noise, steps or rate`,
		"sgd -solve steps -noise 1 -rate 0.1":                                        "-target-epsilon is missing",
		"sgd -solve noise -rate 0.1 -steps 1":                                        "-target-epsilon is missing",
		"sgd -solve noise -target-epsilon 1 -noise 1 -rate 0.1 -steps 1":             "-noise 1: must not be given with -target-epsilon",
		"sgd -solve steps -target-epsilon 1 -rate 0.1":                               "-noise is missing",
		"sgd -solve steps -target-epsilon 1 -noise 1 -rate 0.1 -steps 3":             "-steps 3: must not be given with -solve steps",
		"sgd -solve steps -target-epsilon 1 -noise 1 -examples 9 -batch 1 -epochs 3": "-epochs 3: must not be given with -solve steps",
		"sgd -solve steps -target-epsilon 1 -noise 1":                                "-rate is missing",
		"sgd -solve rate -target-epsilon 1 -noise 1 -steps 3 -rate 0.1":              "-rate 0.1: must not be given with -solve rate",
		"sgd -solve rate -target-epsilon 1 -noise 1 -steps 3 -examples 9 -batch 1":   "-batch 1: must not be given with -solve rate",
		"sgd -solve rate -target-epsilon 1 -noise 1 -examples 9 -epochs 3":           "-epochs 3: must not be given with -solve rate",
		"sgd -solve rate -target-epsilon 1 -noise 1":                                 "-steps is missing",
		"sgd -solve steps -target-epsilon 1 -noise 1 -rate 0.1 -batches fixed":       "-solve steps: must be noise with -batches fixed",
		"sgd -solve rate -target-epsilon 1 -noise 1 -steps 10 -batches shuffled":     "-solve rate: must be noise with -batches shuffled",
		"tune -law fixed -count 1 -base sgd -rate 1 -noise 1 -steps 1 -solve steps":  "not defined: -solve",
		"gaussian -noise 1 -solve steps":                                             "not defined: -solve",
	} {
		stdout, stderr, code := call(t, line)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("dpcost %s: code %d, %q, %q, want code 2 and %q", line, code, stdout, stderr, want)
		}
	}
	for line, want := range map[string]string{
		"sgd -rate 0.5 -noise 0.1 -target-epsilon 0.01 -solve steps":          "no number of steps costs at most -target-epsilon 0.01 at -delta 1e-05 with -noise 0.1",
		"sgd -steps 1e12 -noise 1 -target-epsilon 1e-4 -solve rate":           "no sampling rate in [1e-9, 1] costs at most -target-epsilon 0.0001 at -delta 1e-05 with -noise 1",
		"sgd -rate 0.5 -noise 1 -target-epsilon 0.01 -delta 0.1 -solve steps": "must not be exchanged",
		"gaussian -target-epsilon 1e14":                                       "noise multiplier 1e-06, the least that is searched, costs at most -target-epsilon 1e+14 at -delta 1e-05: must be above it",
	} {
		if stdout, stderr, code := call(t, line); code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("dpcost %s: code %d, %q, %q, want code 1 and %q", line, code, stdout, stderr, want)
		}
	}
}
