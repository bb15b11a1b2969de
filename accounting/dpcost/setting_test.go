package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// settingAnswer is an answer with the numbers of a training script.
type settingAnswer struct {
	jsonAnswer
	Setting *struct {
		Examples, Epochs float64
		BatchSize        float64 `json:"expected_batch_size"`
		SamplingRate     float64 `json:"sampling_rate"`
		Steps            int
		Exact            float64 `json:"steps_before_rounding"`
	}
	Warnings []string
}

func askSetting(t *testing.T, line string) settingAnswer {
	t.Helper()
	stdout, stderr, code := call(t, line+" -json")
	var a settingAnswer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || code != 0 || stderr != "" {
		t.Fatalf("%s: code %d, %s, %v in %s", line, code, stderr, err, stdout)
	}
	return a
}

func poissonSteps(rate, noise float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: noise}}}
}

// The price of a setting is that of its rate and steps. The steps are written by hand.
func TestSettingOfATrainingScript(t *testing.T) {
	for _, c := range []struct {
		line        string
		rate, noise float64
		steps       int
		exact       float64
	}{
		{"-examples 60000 -batch 256 -epochs 10 -noise 1.1", 256. / 60000, 1.1, 2344, 2343.75},
		{"-examples 60000 -batch 250 -epochs 10 -noise 1.1", 250. / 60000, 1.1, 2400, 2400},
		{"-examples 1000 -batch 10 -epochs 0.1 -noise 1", 0.01, 1, 10, 10}, // 0.1*1000/10 in float64 may be above 10
		{"-examples 1000 -batch 10 -epochs 0.7 -noise 1", 0.01, 1, 70, 70}, // 0.7*1000/10 in float64 is 70 or below
		{"-examples 3 -batch 3 -epochs 1.5 -noise 2", 1, 2, 2, 1.5},
		{"-examples 49 -batch 1 -epochs 1 -noise 1", 1. / 49, 1, 49, 49},
		{"-examples 1000 -batch 10 -steps 33 -noise 1", 0.01, 1, 33, 0},
	} {
		a := askSetting(t, "sgd "+c.line)
		want, err := auto.NewAccountant().EpsilonAt(poissonSteps(c.rate, c.noise, c.steps), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if s := a.Setting; s == nil || s.Steps != c.steps || s.Exact != c.exact || s.SamplingRate < c.rate || s.SamplingRate > math.Nextafter(c.rate, 2) {
			t.Errorf("%s: setting %+v, want %d steps (%g before rounding) at rate %g", c.line, s, c.steps, c.exact, c.rate)
		}
		if !near(a.Epsilon.Upper, want.Epsilon.Upper, 1e-9) {
			t.Errorf("%s: ε %v, want %v", c.line, a.Epsilon.Upper, want.Epsilon.Upper)
		}
	}
	text, _, _ := call(t, "sgd -examples 60000 -batch 256 -epochs 10 -noise 1.1")
	for _, want := range []string{"256 / 60000 = 0.00426666", "10 x 60000 / 256 = 2343.75, rounded up to 2344 steps"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text, _, _ := call(t, "sgd -examples 60000 -batch 250 -epochs 10 -noise 1.1"); strings.Contains(text, "rounded up") {
		t.Errorf("whole steps are called rounded:\n%s", text)
	}
	tuned, _, _ := call(t, "tune -law fixed -count 1 -base sgd -examples 60000 -batch 256 -epochs 10 -noise 1.1")
	if !strings.Contains(tuned, "rounded up to 2344 steps") {
		t.Errorf("a tuning does not write its steps:\n%s", tuned)
	}
}

// Disjoint batches are priced by their epochs, also in the numbers of a training script.
func TestSettingOfDisjointBatches(t *testing.T) {
	const ten = " -noise 1.1 -epochs 10"
	for _, scheme := range []string{"fixed", "shuffled"} {
		plain, full := askDrawn(t, "sgd -batches "+scheme+ten), askDrawn(t, "sgd -examples 60000 -batch 256 -batches "+scheme+ten)
		if plain.Epsilon != full.Epsilon || full.Batches.Epochs != 10 {
			t.Errorf("%s: ε %v, with examples and batch %v", scheme, plain.Epsilon, full.Epsilon)
		}
		steps, rate := askDrawn(t, "sgd -noise 1.1 -examples 60000 -batch 256 -steps 2344 -batches "+scheme), askDrawn(t, "sgd -noise 1.1 -rate 0.0042666667 -steps 2344 -batches "+scheme)
		if steps.Epsilon != rate.Epsilon || steps.Batches.Epochs != 11 {
			t.Errorf("%s by steps: ε %v in %d epochs, by rate %v", scheme, steps.Epsilon, steps.Batches.Epochs, rate.Epsilon)
		}
	}
}

// An answer warns of a δ of 1/N or more, and of no smaller one.
func TestLargeDelta(t *testing.T) {
	for line, warns := range map[string]bool{
		"sgd -examples 1000 -batch 10 -epochs 1 -noise 1 -delta 0.001":                        true,
		"sgd -examples 1000 -batch 10 -epochs 1 -noise 1 -delta 0.000999":                     false,
		"sgd -examples 1000 -rate 1 -steps 10 -target-epsilon 1 -delta 0.01":                  true,
		"sgd -examples 1e6 -batch 10 -epochs 0.01 -noise 1":                                   true,
		"sgd -examples 1000 -epochs 1 -noise 1 -delta 0.01 -batches fixed":                    true,
		"sgd -rate 0.01 -steps 10 -noise 1 -delta 0.01":                                       false,
		"tune -law fixed -count 1 -base sgd -examples 9 -rate 1 -steps 1 -noise 2 -delta 0.2": true,
	} {
		text, _, code := call(t, line)
		if found := strings.Contains(strings.Join(strings.Fields(text), " "), "publishing one example, chosen at random"); code != 0 || found != warns {
			t.Errorf("%s: code %d, warns %t, want %t in\n%s", line, code, found, warns, text)
		}
	}
}

// Every command warns of a δ from 0.001 on, once, as JSON too. A warning with the number of examples
// takes its place.
func TestLargeDeltaOfEveryCommand(t *testing.T) {
	plan := writePlan(t, `{"delta": 0.01, "events": [{"type": "gaussian", "noise_multiplier": 1}, {"type": "gaussian", "noise_multiplier": 2}]}`)
	candidates := writePlan(t, `{"delta": 0.01, "law": {"type": "poisson", "mean": 3}, "candidates": [{"name": "one", "type": "gaussian", "noise_multiplier": 2}]}`)
	for line, want := range map[string]int{
		"sgd -rate 0.01 -steps 10 -noise 1 -delta 0.01":                           1,
		"sgd -rate 0.01 -steps 10 -noise 1 -delta 0.01 -statement":                1,
		"sgd -rate 0.01 -steps 10 -noise 1,2 -delta 0.01":                         1,
		"sgd -examples 1000 -rate 0.01 -steps 10 -noise 1 -delta 0.01":            0,
		"sgd -examples 1000 -rate 0.01 -steps 10 -noise 1 -delta 0.01 -statement": 0,
		"sgd -examples 10 -rate 0.1 -steps 10 -noise 1 -delta 0.01":               1,
		"gaussian -noise 1 -delta 0.99":                                           1,
		"gaussian -noise 1 -delta 0.000999":                                       0,
		"tune -law fixed -count 2 -base gaussian -noise 2 -delta 0.01":            1,
		"plan " + plan:         1,
		"expost " + candidates: 1,
		"curve -base sgd -over steps -rate 0.01 -steps 10 -noise 1 -delta 0.01 -points 2":       1,
		"curve -base sgd -over steps -rate 0.01 -steps 10 -noise 1 -delta 0.01 -points 2 -json": 1,
	} {
		for _, form := range []string{"", " -json"} {
			text, note, code := call(t, line+form)
			if code == 2 && form != "" { // -json twice
				continue
			}
			all := strings.Join(strings.Fields(text+note), " ")
			// The rows of a table have their warnings each in JSON.
			if got := strings.Count(all, "is large: with this chance, anything about a record may be revealed"); code != 0 || (got > 0) != (want > 0) || form == "" && got != want {
				t.Errorf("%s%s: code %d, %d warnings, want %d in\n%s%s", line, form, code, got, want, text, note)
			}
		}
	}
}

func TestWrongSettings(t *testing.T) {
	const n, run = "sgd -noise 1 ", "sgd -noise 1 -examples 100 -batch 10 -epochs 1"
	for line, want := range map[string]string{
		n + "-examples 100 -batch 10":                               "-epochs is missing: -batch 10 needs it, or -steps",
		n + "-examples 100 -epochs 10":                              "-batch is missing: -epochs 10 needs -examples and -batch",
		n + "-examples 100 -steps 10":                               "-batch is missing: -examples 100 needs it, or -rate",
		n + "-batch 10 -epochs 10":                                  "-examples is missing: -batch 10 needs it",
		run + " -rate 0.1":                                          "-rate 0.1: must not be given with -batch",
		run + " -steps 10":                                          "-steps 10: must not be given with -epochs",
		n + "-examples 100 -batch 101 -epochs 1":                    "-batch 101: must be at most -examples 100",
		n + "-examples 100 -batch 0 -epochs 1":                      "-batch 0: must be a whole number",
		n + "-examples 100 -batch 1.5 -epochs 1":                    "-batch 1.5: must be a whole number",
		n + "-examples 0 -batch 1 -epochs 1":                        "-examples 0: must be a whole number",
		n + "-examples 2.5 -batch 1 -epochs 1":                      "-examples 2.5: must be a whole number",
		n + "-examples 100 -batch 10 -epochs 0":                     "-epochs 0: must be > 0",
		n + "-examples 100 -batch 10 -epochs -1":                    "-epochs -1: must be > 0",
		n + "-examples 1e12 -batch 1 -epochs 2":                     "-epochs 2: must be at most 1e12 steps",
		n + "-examples 1e12 -batch 1 -epochs 1e300":                 "-epochs 1e+300: must be at most 1e12 steps",
		n + "-examples 100 -batch 10 -epochs 1.5 -batches shuffled": "-epochs 1.5: must be a whole number",
		n + "-examples 60000/7 -batch 10 -epochs 1":                 "-examples 8571.42857142857: must be a whole number",
		"tune -law fixed -count 2 -base gaussian -noise 1 -batch 3": "-batch 3: must not be given with -base gaussian",
		"curve -plan x.json -examples 3":                            "-examples 3: must not be given with -plan",
		"gaussian -noise 1 -examples 3":                             "not defined: -examples",
	} {
		stdout, stderr, code := call(t, line)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("dpcost %s: code %d, %q, %q, want code 2 and %q", line, code, stdout, stderr, want)
		}
	}
}
