package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func writePlan(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const phases = `
 {"name": "one", "type": "dp_sgd", "sampling_rate": 0.01, "noise_multiplier": 1.5, "steps": 1000},
 {"name": "two", "type": "dp_sgd", "sampling_rate": 0.02, "noise_multiplier": 2.5, "steps": 2000},
 {"type": "self_composed", "count": 1500, "event": {"type": "poisson_sampled", "sampling_rate": 0.005, "event": {"type": "gaussian", "noise_multiplier": 0.9}}}`

// Known prices of plans, alone and with events that only the grid knows.
func TestPlan(t *testing.T) {
	const grid = "contour integral of the moment generating function"
	for _, c := range []struct {
		text              string
		want, above, down float64 // upper end in [want, want+above], lower end in [want-down, want]
		src               string
	}{
		{`{"events": [` + phases + `]}`, 2.231225786852, 1e-8, 1e-8, grid + ", 12 digits"},
		{`{"events": [` + phases + `, {"name": "counts", "type": "laplace", "noise_multiplier": 2}], "delta": 1e-5}`, 2.641699, 0.01, 0.01, grid + ", 6 digits"},
		{`{"events": [{"repeat": 4, "type": "gaussian", "noise_multiplier": 2}]}`, 4.377178095681234, 1e-8, 1e-8, srcGaussian},
		{`{"neighboring": "replace-one", "events": [{"type": "dp_sgd", "sampling_rate": 0.01, "noise_multiplier": 2, "steps": 5000}]}`, 2.955928329860931, 1e-8, 1e-8, "the exact pair by a quadrature, TestReplacedClippedSum of pld"},
		{`{"neighboring": "replace-one", "events": [{"type": "clipped_sum", "noise_multiplier": 2}]}`, 4.377178095681234, 1e-8, 1e-8, srcGaussian},
		{`{"neighboring": "replace-one", "events": [{"type": "gaussian", "noise_multiplier": 1}]}`, 4.377178095681234, 1e-8, 1e-8, srcGaussian},
	} {
		a := ask(t, "plan "+writePlan(t, c.text))
		upper, _ := a.Epsilon.Upper.(float64)
		lower, _ := a.Epsilon.Lower.(float64)
		const digits = 1e-6 // of the shortest value
		if upper < c.want-digits || upper > c.want+c.above+digits || lower > c.want+digits || lower < c.want-c.down-digits || a.Delta != 1e-5 {
			t.Errorf("%s: %+v, want %.12g (%s)", c.text, a.Epsilon, c.want, c.src)
		}
	}
	a := ask(t, "plan -delta 1e-6 "+writePlan(t, `{"delta": 1e-3, "neighboring": "replace-one", "events": [{"repeat": 100, "type": "sampled_without_replacement", "sample_size": 10, "population_size": 1000, "event": {"type": "gaussian", "noise_multiplier": 2}}]}`))
	if a.Delta != 1e-6 || a.Neighboring != "replace-one" || len(a.Bounds) != 2 {
		t.Errorf("replace-one: %+v, want δ of the flag, both bounds", a)
	}
	// A capped Poisson sample has both ends, which do not meet (quadrature of other code).
	a = ask(t, "plan "+writePlan(t, `{"delta": 1e-5, "neighboring": "replace-special", "events": [{"repeat": 1000, "type": "truncated_poisson", "sampling_rate": 0.01, "cap": 130, "population_size": 10000, "event": {"type": "clipped_sum", "noise_multiplier": 1}}]}`))
	upper, _ := a.Epsilon.Upper.(float64)
	lower, _ := a.Epsilon.Lower.(float64)
	if !(upper >= 2.9919 && upper < 3.002 && lower <= 1.8282 && lower > 1.82) {
		t.Errorf("capped: %+v, want [1.8281, 2.9920]", a.Epsilon)
	}
	// With certified profiles of the runs a selection costs less than the published Rényi bounds.
	const law = `"law": {"type": "poisson", "mean": 15}, "base": {"type": "dp_sgd", "sampling_rate": 0.01, "noise_multiplier": 2, "steps": 5000}}`
	alone, _ := ask(t, "tune -law poisson -mean 15 -base sgd -rate 0.01 -noise 2 -steps 5000").Epsilon.Upper.(float64)
	a = ask(t, "plan "+writePlan(t, `{"events": [{"type": "laplace", "noise_multiplier": 100}, {"type": "selection", `+law+`]}`))
	if upper, _ := a.Epsilon.Upper.(float64); !(alone > 1.4773 && upper > alone && upper < 4.02 && alone < 3.954) {
		t.Errorf("a selection and a little: %+v, want a little above %g, that of tune, and below 4.02, by Rényi curves (koskela2023, baseline of Figure 1: 4.6571)", a.Epsilon, alone)
	}
	tuned := ask(t, "plan "+writePlan(t, `{"events": [{"type": "tune_then_train", "tuning_rate": 0.1, "variant": "rest of the data", "training": {"type": "dp_sgd", "sampling_rate": 0.01, "noise_multiplier": 2, "steps": 5000}, "tuning": {"type": "selection", `+law+`}]}`))
	flags := ask(t, "tune -law poisson -mean 15 -tuning-rate 0.1 -base sgd -rate 0.01 -noise 2 -steps 5000")
	if upper, _ := tuned.Epsilon.Upper.(float64); tuned.Epsilon.Upper != flags.Epsilon.Upper || !(upper > 1.4773 && upper < 2.4550) || flags.Base == nil {
		t.Errorf("tuning on a sample: %v in a plan, %v by flags, want them equal, above one training, below 2.4550 (koskela2023, variant 1)", tuned.Epsilon, flags.Epsilon)
	}
}

// Faults name file, entry and field.
func TestPlanFaults(t *testing.T) {
	for text, want := range map[string]string{
		``:                               "must be a JSON object",
		`{}`:                             "events: is missing",
		`{"events": []}`:                 "events is empty",
		`{"events": [], "detla": 1}`:     "detla: is not a field",
		`{"events": [{"type": "zcdp"}]}`: "events[0].rho: is missing",
		`{"events": [{"type": "zcdp", "rho": 1, "repeat": 0}]}`:                                                                                               "events[0].repeat: 0: must be >= 1",
		`{"events": [{"type": "zcdp", "rho": 1}, {"type": "dp_sgd", "steps": 1}]}`:                                                                            "events[1].noise_multiplier: is missing",
		`{"delta": 2, "events": [{"type": "zcdp", "rho": 1}]}`:                                                                                                "delta: 2: must be in (0, 1)",
		`{"neighboring": "friends", "events": [{"type": "zcdp", "rho": 1}]}`:                                                                                  `neighboring: "friends": must be`,
		`{"events": [{"type": "sampled_without_replacement", "sample_size": 1, "population_size": 2, "event": {"type": "gaussian", "noise_multiplier": 1}}]}`: "SampledWithoutReplacement",
	} {
		path := writePlan(t, text)
		stdout, stderr, code := call(t, "plan "+path)
		if code != 1 || stdout != "" || !strings.Contains(stderr, want) || !strings.Contains(stderr, path) {
			t.Errorf("%s: code %d, %q, %q, want code 1, the file and %q", text, code, stdout, stderr, want)
		}
	}
	for line, code := range map[string]int{"plan": 2, "plan a b": 2, "plan nothing.json": 1, "plan x.json -delta 2": 2, "plan x.json -noise 2": 2} {
		if stdout, stderr, got := call(t, line); got != code || stdout != "" || stderr == "" {
			t.Errorf("dpcost %s: code %d, %q, %q, want code %d", line, got, stdout, stderr, code)
		}
	}
}

// δ(ε) of a Gaussian is a closed form, and so is its trade-off function.
func TestCurve(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	read := func(line string) [][]float64 {
		t.Helper()
		stdout, stderr, code := call(t, line)
		if sampled := strings.Contains(line, "-rate"); code != 0 || sampled != strings.Contains(stderr, "its own coin") {
			t.Fatalf("%s: code %d, %s", line, code, stderr)
		}
		rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
		if err != nil || len(rows) != 12 {
			t.Fatalf("%s: %d rows, %v, want a header and 11", line, len(rows), err)
		}
		var out [][]float64
		for _, row := range rows[1:] {
			var numbers []float64
			for _, cell := range row[:3] {
				x, err := strconv.ParseFloat(cell, 64)
				if err != nil {
					t.Fatal(err)
				}
				numbers = append(numbers, x)
			}
			out = append(out, numbers)
		}
		return out
	}
	// A clipped sum at σ = 1 moves by 1 if a record is added, and by 2 if one is replaced.
	sums := func(relation string) string {
		return " -plan " + writePlan(t, `{"events": [{"type": "clipped_sum", "noise_multiplier": 1}], "delta": 1e-5, "neighboring": "`+relation+`"}`)
	}
	for line, mu := range map[string]float64{" -base gaussian -noise 1": 1, sums("add-or-remove-one"): 1, sums("replace-special"): 1, sums("replace-one"): 2} {
		line = "curve -points 11" + line
		for _, row := range read(line) {
			want := phi(mu/2-row[0]/mu) - math.Exp(row[0])*phi(-mu/2-row[0]/mu)
			if row[1] > want*(1+1e-9) || row[2] < want*(1-1e-9) || row[2]-row[1] > 1e-8*want {
				t.Errorf("%s: δ(%g) in [%g, %g], want %g", line, row[0], row[1], row[2], want)
			}
		}
		for _, row := range read(line + " -kind tradeoff") {
			// Φ(Φ⁻¹(1-α)-µ), checked by inverting: α = Φ(-µ-Φ⁻¹(β)), which falls in β.
			z := math.Sqrt2 * math.Erfinv(1-2*row[0])
			want := phi(z - mu)
			if row[1] > want*(1+1e-6) || row[2] < want*(1-1e-6) || row[2]-row[1] > 1e-6*want {
				t.Errorf("%s: f(%g) in [%g, %g], want %g", line, row[0], row[1], row[2], want)
			}
		}
	}
	if rows := read("curve -base sgd -rate 0.1 -noise 2 -steps 10 -points 11 -max-epsilon 3"); rows[10][0] != 3 {
		t.Errorf("last ε %g, want -max-epsilon 3", rows[10][0])
	}
}

func TestCurveFiles(t *testing.T) {
	dir := t.TempDir()
	file := writePlan(t, `{"events": [{"type": "zcdp", "rho": 0.1}]}`)
	for _, name := range []string{"a.png", "a.svg", "a.pdf"} {
		figure, out := filepath.Join(dir, name), filepath.Join(dir, "a.json")
		stdout, stderr, code := call(t, "curve -plan "+file+" -points 11 -json -kind "+map[bool]string{true: "tradeoff", false: "profile"}[name == "a.svg"]+" -figure "+figure+" -out "+out)
		if code != 0 {
			t.Fatalf("%s: code %d, %q, %q", name, code, stdout, stderr)
		}
		text, err := os.ReadFile(out)
		if err != nil || !json.Valid(text) || bytes.Contains(text, []byte("NaN")) {
			t.Errorf("%s: %v, %s", out, err, text)
		}
		picture, err := os.ReadFile(figure)
		if err != nil || len(picture) < 1000 {
			t.Errorf("%s: %d bytes, %v", figure, len(picture), err)
		}
		if name == "a.pdf" && !bytes.Contains(picture, []byte("CreationDate (D:2000")) {
			t.Errorf("%s has the time of day in it: equal figures must give equal bytes", figure)
		}
		if name == "a.png" {
			if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
				t.Error(err)
			}
		}
	}
	for line, want := range map[string]string{
		"curve":                    "-base or -plan is missing",
		"curve -base svm -noise 1": `-base "svm"`,
		"curve -base gaussian":     "-noise is missing",
		"curve -base gaussian -noise 1 -kind roc":                                       `-kind "roc": must be profile or tradeoff`,
		"curve -base gaussian -noise 1 -points 1":                                       "-points 1: must be a whole number from 2",
		"curve -base gaussian -noise 1 -figure a.gif":                                   "must end in .pdf, .svg or .png",
		"curve -base gaussian -plan x.json":                                             "-base gaussian: must not be given with -plan",
		"curve -plan x.json -noise 1":                                                   "-noise 1: must not be given with -plan",
		"curve -base gaussian -noise 1 -kind tradeoff -max-epsilon 2":                   "-max-epsilon 2: must not be given with -kind tradeoff",
		"tune -law poisson -mean 3 -base gaussian -noise 1 -variant all":                "-variant all: must not be given without -tuning-rate",
		"tune -law poisson -mean 3 -base gaussian -noise 1 -tuning-rate 2":              "-tuning-rate 2: must be in (0, 1]",
		"tune -law poisson -mean 3 -base gaussian -noise 1 -tuning-rate 0.1 -variant x": `-variant "x": must be rest or all`,
	} {
		if stdout, stderr, code := call(t, line); code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("dpcost %s: code %d, %q, %q, want code 2 and %q", line, code, stdout, stderr, want)
		}
	}
}
