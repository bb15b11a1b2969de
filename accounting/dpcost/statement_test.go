package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A statement has the sentence for the setting, its unit, and what the mechanism rests on.
func TestStatementOfASetting(t *testing.T) {
	events := filepath.Join(t.TempDir(), "events.json")
	if err := os.WriteFile(events, []byte(`{"neighboring": "replace-one", "events": [{"type": "dp_sgd", "sampling_rate": 0.01, "noise_multiplier": 2, "steps": 10}, {"type": "laplace", "noise_multiplier": 2}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	tuned := filepath.Join(t.TempDir(), "selections.json")
	if err := os.WriteFile(tuned, []byte(`{"events": [{"type": "gaussian", "noise_multiplier": 3}, {"type": "self_composed", "count": 2, "event": {"type": "selection", "law": {"type": "poisson", "mean": 5}, "base": {"type": "gaussian", "noise_multiplier": 4}}}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		has  []string
	}{
		{"plan " + tuned, []string{"the hyper-parameters of each tuning were drawn", "of a tuning, the number of runs, the losing runs and their scores stay secret"}},
		{"sgd -examples 60000 -batch 256 -epochs 10 -noise 1.1", []string{
			"Releasing the model and all noisy gradient sums of one DP-SGD run is (ε, δ)-differentially private with ε ≤ 0.919 and δ = 1e-5, under adding or removing one labelled image.",
			"2344 x PoissonSampled(q=0.0042666, ClippedSum(σ=1.1))", "by its own coin (Poisson sampling, not shuffled batches)", "one labelled image is exactly one record of the data", "several records together: anyone who contributed several is protected less",
		}},
		{"sgd -batches shuffled -epochs 10 -noise 1.1", []string{"ε ≤ 47.4 and δ", "in an order that is drawn evenly", "do not depend on the number of records"}},
		{"sgd -batches fixed -epochs 10 -noise 1.1", []string{"ε ≤ 15.8 and δ", "a missing record leaves its place empty"}},
		{"gaussian -noise 1 -count 3", []string{"Releasing the output of the Gaussian mechanism is", "adding or removing one labelled image changes each released vector"}},
		{"gaussian -target-epsilon 2", []string{"ε ≤ 2.00 and", "Gaussian(σ=1.9939"}}, // 1.99381, rounded up
		{"sgd -examples 60000 -batch 256 -noise 1.1 -target-epsilon 2 -solve steps", []string{"10207 x"}},
		{"tune -law logarithmic -mean 10 -base sgd -rate 0.01 -noise 2 -steps 5000", []string{
			"Releasing the best of a random number of runs with its hyper-parameters is (ε, δ)-differentially private with ε ≤ 2.13", "Published results only: ε ≤ 2.4910, privacy profile of selection",
			"the number of runs was drawn from its law without looking at the data, and stays secret", "of all runs were drawn from one law", "the gradient of one labelled image is clipped", "- the losing runs, their scores",
		}},
		{"tune -law fixed -count 2 -base gaussian -noise 1", []string{"Releasing the best of 2 runs with", "each released vector"}},
		{"tune -law geometric -mean 5 -densities 0.5,2 -base gaussian -noise 2", []string{"Releasing the best of a random number of runs", "density relative to a public prior is from 0.5 to 2 everywhere", "starts from no model of another run", "- the losing runs, their scores, the laws that proposed candidates"}},
		{"tune -law geometric -mean 5 -release first -base gaussian -noise 2", []string{"Releasing the first of a random number of runs that scores at least a threshold", "the threshold was chosen without", "- the runs that missed the threshold"}},
		{"tune -law poisson -mean 5 -tuning-rate 0.1 -base gaussian -noise 2", []string{"and the output of the last training is", "joined the tuning sample by its own coin"}},
		{"plan " + events, []string{"Releasing the outputs of all entries of the plan is", "under replacing one labelled image by another.", "each entry is as private as its mechanism states", "batches are drawn as the mechanism states"}},
		{"sgd -examples 10 -batch 1 -epochs 1 -noise 2 -delta 0.2", []string{"Warnings:\n- delta 0.2 is not below 1/examples"}},
	} {
		args := append(strings.Fields(c.line), "-statement", "-unit", "one labelled image")
		var out, errs, jsonOut bytes.Buffer
		if code := run(args, &out, &errs); code != 0 || errs.Len() > 0 {
			t.Fatalf("%s: code %d, %s", c.line, code, errs.String())
		}
		for _, want := range c.has {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is not in\n%s", c.line, want, out.String())
			}
		}
		var a struct {
			jsonAnswer
			Statement string
		}
		code := run(append(args, "-json"), &jsonOut, &errs)
		if err := json.Unmarshal(jsonOut.Bytes(), &a); err != nil || code != 0 || a.Statement != out.String() || a.Epsilon.Upper == nil {
			t.Errorf("%s: code %d, %v, JSON %s", c.line, code, err, jsonOut.String())
		}
		if hidden := strings.Contains(out.String(), "number of runs was drawn"); hidden != (strings.Contains(c.line, "tune") && !strings.Contains(c.line, "fixed")) {
			t.Errorf("%s: a hidden number of runs, in\n%s", c.line, out.String())
		}
		if tuning := strings.Contains(out.String(), "of a tuning, the number of runs"); tuning != strings.HasSuffix(c.line, tuned) {
			t.Errorf("%s: a tuning of a plan, in\n%s", c.line, out.String())
		}
		poisson := strings.Contains(out.String(), "PoissonSampled")
		if poisson = poisson && !strings.HasPrefix(c.line, "plan"); poisson != strings.Contains(out.String(), "the batches stay secret") {
			t.Errorf("%s: secret batches, in\n%s", c.line, out.String())
		}
	}
	if text, _, _ := call(t, "tune -law fixed -count 2 -densities 1,1 -base gaussian -noise 1 -statement"); !strings.Contains(text, "Releasing the best of 2 runs with") || strings.Contains(text, "number of runs was drawn") {
		t.Errorf("a fixed number of runs: %s", text)
	}
	if text, _, _ := call(t, "gaussian -noise 1 -statement"); !strings.Contains(text, "adding or removing one example.") {
		t.Errorf("without a unit: %s", text)
	}
}

func TestWrongStatements(t *testing.T) {
	for line, want := range map[string]string{
		"gaussian -noise 1 -unit image":                                 "-unit image: must not be given without -statement",
		"gaussian -noise 1 -statement -unit=":                           `-unit "": must name one record`,
		"gaussian -noise 1,2 -statement":                                "-statement: must be given with one setting",
		"sgd -rate 0.1 -steps 9 -target-epsilon 1,2 -statement":         "-statement: must be given with one setting, not with -noise or -target-epsilon 1,2",
		"gaussian -noise 1 -statement -at-epsilon 1":                    "-at-epsilon 1: must not be given with -statement, unless -json is given",
		"gaussian -noise 1 -statement -at-fpr 0.1":                      "-at-fpr 0.1: must not be given with -statement, unless -json is given",
		"gaussian -noise 1 -statement -records-per-person 2":            "-records-per-person 2: must not be given with -statement",
		"gaussian -noise 1 -statement=maybe":                            "must be true or false",
		"tune -law fixed -count 2 -base gaussian -noise 1,2 -statement": "-statement: must be given with one setting",
		"plan none.json -unit image":                                    "-unit image: must not be given without -statement",
		"expost none.json -statement":                                   "not defined: -statement",
	} {
		stdout, stderr, code := call(t, line)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("dpcost %s: code %d, %q, %q, want code 2 and %q", line, code, stdout, stderr, want)
		}
	}
	if text, stderr, code := call(t, "gaussian -noise 1 -statement -at-epsilon 1 -json"); code != 0 || !strings.Contains(text, "delta_at_epsilon") {
		t.Errorf("code %d, %s%s", code, text, stderr)
	}
}
