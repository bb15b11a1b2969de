package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/advise"
)

// drawnAnswer is what an answer in JSON says of batches.
type drawnAnswer struct {
	jsonAnswer
	Mechanism string
	Batches   *struct {
		Scheme, Drawn string
		Epochs        int
		Neighbors     []struct {
			Neighboring string
			Epsilon     any
			Lower       *float64 `json:"epsilon_lower"`
		}
	}
}

func askDrawn(t *testing.T, line string) drawnAnswer {
	t.Helper()
	stdout, stderr, code := call(t, line+" -json")
	if code != 0 || stderr != "" {
		t.Fatalf("%s: code %d, %s", line, code, stderr)
	}
	var a drawnAnswer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatalf("%s: %v in %s", line, err, stdout)
	}
	return a
}

// Disjoint batches are Gaussian releases, one an epoch, whose ε is the root of a closed form. With
// µ = d √E/σ
//
//	δ = Φ(µ/2 - ε/µ) - e^ε Φ(-µ/2 - ε/µ)
//
// where d is 1 for an empty place, 2 for another record, √5 for a loader without the record. 256
// of 60,000 are 234 or 235 batches an epoch, as the incomplete one is dropped or not: 2,344 steps
// are 10 epochs and 4 steps where it is dropped.
//
// A proof of a tuning may raise its price by 1e-9 of itself.
//
// Reference: Balle and Wang (ICML 2018), Theorem 8. Roots: mpmath 1.3 at 40 digits.
func TestDisjointBatches(t *testing.T) {
	const ten, eleven = " -noise 1.1 -epochs 10", " -noise 1.1 -rate 0.0042666667 -steps 2344"
	for _, c := range []struct {
		line   string
		epochs int
		want   float64
		below  bool // the price is an upper end, and nothing certifies a lower one
	}{
		{"sgd -batches fixed" + ten, 10, 15.7827195067354, false},
		{"sgd -batches shuffled" + ten, 10, 47.3118513510569, true},
		{"sgd -batches fixed" + eleven, 11, 16.7843526413625, false},
		{"sgd -batches shuffled" + eleven, 11, 50.7081978700498, true},
		{"sgd -batches fixed -noise 1 -rate 0.25 -steps 4", 1, 4.377178095681234, false},
		{"sgd -batches fixed -noise 4 -rate 0.25 -steps 61", 16, 4.377178095681234, false},
		{"sgd -batches shuffled -noise 1.1 -examples 60000 -batch 256 -epochs 10", 10, 47.3118513510569, true},
		{"sgd -batches shuffled-once -noise 1.1 -examples 60000 -batch 256 -epochs 10", 10, 47.3118513510569, true},
		{"sgd -batches shuffled -noise 1.1 -examples 60000 -batch 250 -epochs 10", 10, 47.3118513510569, false},
		{"sgd -batches shuffled -noise 1.1 -rate 0.25 -steps 40", 10, 47.3118513510569, false},
		{"sgd -batches shuffled -noise 1.1 -rate 0.25 -steps 39", 10, 47.3118513510569, true},
		{"tune -law fixed -count 1 -base sgd -batches fixed -noise 4 -epochs 16", 16, 4.377178095681234, true},
	} {
		a := askDrawn(t, c.line)
		if !near(a.Epsilon.Upper, c.want, 1.1e-9) || a.Neighboring != "add-or-remove-one" {
			t.Errorf("%s: %+v, want ε %.15g", c.line, a.jsonAnswer, c.want)
		}
		if a.Batches == nil || a.Batches.Epochs != c.epochs || !strings.Contains(c.line, "-batches "+a.Batches.Scheme) {
			t.Errorf("%s: batches %+v, want %d epochs", c.line, a.Batches, c.epochs)
		}
		if (a.Epsilon.Lower == nil) != c.below {
			t.Errorf("%s: lower end %v", c.line, a.Epsilon.Lower)
		}
	}
	a := askDrawn(t, "sgd -batches shuffled"+ten)
	for i, want := range []struct {
		relation string
		epsilon  float64
	}{{"replace-special", 15.7827195067354}, {"replace-one", 40.3044082209359}, {"add-or-remove-one", 47.3118513510569}} {
		if n := a.Batches.Neighbors[i]; n.Neighboring != want.relation || !near(n.Epsilon, want.epsilon, 1e-9) {
			t.Errorf("neighbors %+v, want %+v", n, want)
		}
	}
	if n := a.Batches.Neighbors; len(n) != 4 || n[3].Epsilon != "Infinity" {
		t.Errorf("%+v: want +Inf where the number of steps depends on the data", n)
	}
	noise := askDrawn(t, "sgd -batches shuffled -epochs 10 -target-epsilon 47.3118513510569").NoiseMultiplier
	if noise == nil || math.Abs(*noise/1.1-1) > 1e-6 {
		t.Errorf("noise multiplier %v for the ε of 1.1", noise)
	}
}

// Random allocation costs less than Poisson samples of the same mean size, 1.83. The interval holds
// that of another program, made by split and merged laws in Python. 60,000/256 is rounded down to
// 234 steps an epoch, and epochs may be cut.
func TestAllocation(t *testing.T) {
	a := askDrawn(t, "sgd -batches allocation -rate 0.01 -steps 1000 -noise 1")
	if upper, _ := a.Epsilon.Upper.(float64); number(a.Epsilon.Lower) > 1.7016652217792139 || upper < 1.70140534409442 || upper-number(a.Epsilon.Lower) > 1e-2 {
		t.Errorf("%+v, want [1.701405, 1.701666]", a.jsonAnswer)
	}
	for line, want := range map[string]string{
		"sgd -batches allocation -examples 60000 -batch 256 -epochs 2 -noise 3":   "RandomAllocation(1 of each 234, 468 steps, ClippedSum(σ=3))",
		"sgd -batches allocation -examples 60000 -batch 256 -epochs 1.5 -noise 3": "RandomAllocation(1 of each 234, 351 steps, ClippedSum(σ=3))",
		"sgd -batches allocation -rate 0.3 -steps 4 -noise 3":                     "RandomAllocation(1 of each 3, 4 steps, ClippedSum(σ=3))",
	} {
		if a := askDrawn(t, line); a.Mechanism != want || a.Batches.Scheme != "allocation" {
			t.Errorf("%s: %s, want %s", line, a.Mechanism, want)
		}
	}
	b := askDrawn(t, "sgd -batches allocation -rate 0.5 -steps 2 -target-epsilon 1")
	if upper, _ := b.Epsilon.Upper.(float64); b.NoiseMultiplier == nil || upper > 1 || upper < 0.99 {
		t.Errorf("calibrated: %+v", b.jsonAnswer)
	}
}

// Sizes that are drawn make the events of their names. Prices are those of package auto, next to
// the values of a prototype by one-step profiles: q 0.01, σ 2, T 5000 costs 4.20184 without
// replacement, and a cap that is never reached costs what Poisson samples do, 1.47738.
func TestDrawnSizes(t *testing.T) {
	const run = " -examples 10000 -batch 100 -steps 5000 -noise 2"
	drawn, draws := run, "5000 x SampledWithReplacement(100 draws from 10000, ClippedSum(σ=2))"
	if testing.Short() { // a price that takes less time
		drawn, draws = " -examples 200 -batch 2 -steps 5 -noise 2", "5 x SampledWithReplacement(2 draws from 200, ClippedSum(σ=2))"
	}
	for line, c := range map[string]struct {
		mechanism string
		want      float64
	}{
		"sgd -batches without-replacement" + run: {"5000 x SampledWithoutReplacement(100 of 10000, ClippedSum(σ=2))", 4.20184},
		"sgd -batches capped -cap 250" + run:     {"5000 x TruncatedPoisson(q=0.01, at most 250 of 10000, ClippedSum(σ=2))", 1.47738},
		"sgd -batches with-replacement" + drawn:  {draws, 0},
	} {
		a := askDrawn(t, line)
		upper, _ := a.Epsilon.Upper.(float64)
		if a.Mechanism != c.mechanism || !strings.Contains(line, a.Batches.Scheme) || number(a.Epsilon.Lower) > upper {
			t.Errorf("%s: %s, %+v", line, a.Mechanism, a.jsonAnswer)
		}
		if c.want > 0 && (upper < c.want*(1-1e-5) || number(a.Epsilon.Lower) > c.want*(1+1e-5) || upper > c.want+0.02) {
			t.Errorf("%s: %+v, want %g", line, a.Epsilon, c.want)
		}
	}
}

// What advice has for other ways to draw batches is what sgd answers to the same name.
func TestAdvisedBatches(t *testing.T) {
	a := advise.Advice{
		Question: advise.Question{Epsilon: 1, Delta: 1e-5, Examples: 1000, SamplingRate: 0.05, Steps: 40, Candidates: 2, MeanCost: 2},
		OneRun:   advise.Way{NoiseMultiplier: 0.8},
	}
	list, err := a.Drawings()
	if err != nil || len(list) != 6 {
		t.Fatalf("%d ways, error %v", len(list), err)
	}
	for _, d := range list {
		line := "sgd -examples 1000 -batch 50 -epochs 2 -noise 0.8 -batches " + d.Name
		switch d.Name {
		case "capped":
			line += " -cap 85"
		case "fixed":
			line = "sgd -epochs 2 -noise 0.8 -batches fixed"
		}
		got := ask(t, line).Epsilon
		if upper, _ := got.Upper.(float64); d.Epsilon.Upper < number(got.Lower) || d.Epsilon.Lower > upper || math.Abs(d.Epsilon.Upper/upper-1) > 0.02 {
			t.Errorf("%s: %+v, advised %v", line, got, d.Epsilon)
		}
	}
}

// If all batches have one size, the price has an interval under each relation. Its lower end is
// that of an attack (package lattice has the sources), and a warning has both ends.
func TestShuffledFromBothSides(t *testing.T) {
	for scheme, lowers := range map[string][3]float64{"shuffled": {9.39, 11.9, 17.6}, "shuffled-once": {17.856, 40, 17.8}} {
		a := askDrawn(t, "sgd -batches "+scheme+" -rate 0.01 -steps 1000 -noise 1")
		if number(a.Epsilon.Lower) < lowers[2] || !near(a.Epsilon.Upper, 54.376639014984406, 1e-9) {
			t.Errorf("%s: %+v", scheme, a.jsonAnswer)
		}
		for i, upper := range []float64{17.85658683010824, 46.211210191217376, 54.376639014984406} {
			n := a.Batches.Neighbors[i]
			if !near(n.Epsilon, upper, 1e-9) || n.Lower == nil || *n.Lower < lowers[i] || *n.Lower > upper {
				t.Errorf("%s: %+v, want from %g to %g", scheme, n, lowers[i], upper)
			}
		}
		text, _, code := call(t, "sgd -batches "+scheme+" -rate 0.01 -steps 1000 -noise 1 -at-epsilon 20")
		for _, want := range []string{"by an attack", "or more, by an attack against the worst case, and at most 54.3767", "delta at epsilon 20"} {
			if code != 0 || !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("%s: code %d, %q is missing in\n%s", scheme, code, want, text)
			}
		}
	}
}

// Every answer about sampled steps says how the batches are drawn, in text and in JSON, and no
// other one does.
func TestAnswersSayHowBatchesAreDrawn(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	steps := "10"
	if testing.Short() {
		steps = "1" // a closed form
	}
	step := `{"type": "dp_sgd", "sampling_rate": 0.1, "noise_multiplier": 2, "steps": ` + steps + `}`
	const plain = `{"type": "gaussian", "noise_multiplier": 2}`
	const sized = `{"type": "sampled_without_replacement", "sample_size": 1, "population_size": 9, "event": ` + plain + `}`
	sgd := " -base sgd -rate 0.1 -steps " + steps + " -noise 2"
	for line, scheme := range map[string]string{
		"sgd -rate 0.1 -steps 10 -noise 2":                                                                              "poisson",
		"sgd -rate 0.1 -steps 10 -target-epsilon 1":                                                                     "poisson",
		"gaussian -noise 1":                                                                                             "",
		"tune -law poisson -mean 3" + sgd:                                                                               "poisson",
		"tune -law poisson -mean 3 -base gaussian -noise 3":                                                             "",
		"tune -law poisson -mean 3 -tuning-rate 0.1" + sgd + " -batches fixed":                                          "fixed",
		"plan " + file("steps.json", `{"events": [`+step+`, `+plain+`]}`):                                               "poisson",
		"plan " + file("plain.json", `{"events": [`+plain+`]}`):                                                         "",
		"plan " + file("sized.json", `{"neighboring": "replace-one", "events": [`+sized+`]}`):                           "fixed size",
		"expost " + file("expost.json", `{"law": {"type": "poisson", "mean": 3}, "candidates": [`+step+`, `+plain+`]}`): "poisson",
		"curve -points 2" + sgd:                                                                                         "poisson",
		"curve -points 2 -base gaussian -noise 2":                                                                       "",
		"curve -points 2" + sgd + " -batches shuffled":                                                                  "shuffled",
		"sgd -rate 0.1 -steps 10 -noise 2 -batches shuffled-once":                                                       "shuffled-once",
		"curve -points 2 -plan " + folder + "/steps.json":                                                               "poisson",
		adviseLine:                     "poisson",
		adviseLine + " -batches fixed": "fixed",
	} {
		if testing.Short() && strings.HasPrefix(line, "advise") && scheme == "fixed" {
			continue
		}
		answer := call
		if line == adviseLine {
			answer = advised
		}
		text, stderr, code := answer(t, line)
		if says := strings.Contains(text+stderr, "batches  "); code != 0 || says != (scheme != "") {
			t.Errorf("%s: code %d, says how batches are drawn: %v, in\n%s%s", line, code, says, text, stderr)
		}
		if scheme == "poisson" {
			for _, want := range []string{"by its own coin", "-batches shuffled"} {
				if !strings.Contains(strings.Join(strings.Fields(text+stderr), " "), want) {
					t.Errorf("%s: %q is missing in\n%s%s", line, want, text, stderr)
				}
			}
		}
		var a struct{ Batches struct{ Scheme string } }
		inJSON, _, code := answer(t, line+" -json")
		if err := json.Unmarshal([]byte(inJSON), &a); err != nil || code != 0 || a.Batches.Scheme != scheme {
			t.Errorf("%s: code %d, %v, scheme %q in JSON, want %q", line, code, err, a.Batches.Scheme, scheme)
		}
	}
}

// Shuffled batches do not reach the pair that prices them: no curve shows it as a lower end.
func TestCurveOfShuffledBatchesHasNoLowerEnd(t *testing.T) {
	text, _, code := call(t, "curve -points 2 -base sgd -noise 2 -epochs 3 -batches shuffled")
	rows := bytes.Split([]byte(strings.TrimSpace(text)), []byte("\n"))
	if code != 0 || len(rows) != 3 {
		t.Fatalf("code %d, %s", code, text)
	}
	for _, row := range rows[1:] {
		if fields := bytes.Split(row, []byte(",")); len(fields) != 5 || len(fields[1]) != 0 || len(fields[2]) == 0 || string(fields[3]) != "false" {
			t.Errorf("row %s, want no lower end", row)
		}
	}
}

func TestWrongBatches(t *testing.T) {
	for line, want := range map[string]string{
		"sgd -rate 0.1 -steps 10 -noise 2 -batches capped":                                                     "-batch is missing: -batches capped needs -examples and -batch",
		"sgd -examples 100 -batch 10 -steps 10 -noise 2 -batches capped":                                       "-cap is missing",
		"sgd -examples 100 -batch 10 -steps 10 -noise 2 -batches capped -cap 9":                                "-cap 9: must be at least -batch 10",
		"sgd -examples 100 -batch 10 -steps 10 -noise 2 -cap 19":                                               "-cap 19: must not be given without -batches capped",
		"sgd -rate 0.6 -steps 10 -noise 2 -batches allocation":                                                 "-rate 0.6: must be at most 0.5 with -batches allocation",
		"sgd -examples 100 -batch 51 -steps 10 -noise 2 -batches allocation":                                   "-batch 51: must be at most half of -examples 100 with -batches allocation",
		"sgd -epochs 3 -noise 2 -batches allocation":                                                           "-batch is missing",
		"sgd -rate 0.1 -noise 2 -batches allocation -target-epsilon 1 -solve steps":                            "-solve steps: must be noise with -batches allocation",
		"curve -base sgd -noise 2 -epochs 3 -batches shuffled-once -over steps":                                "-over steps: must be epochs with -batches shuffled-once",
		"tune -law poisson -mean 3 -base sgd -noise 2 -rate 0.1 -steps 9 -batches allocation -tuning-rate 0.1": "-batches allocation: must be poisson or fixed with -tuning-rate",
		"sgd -rate 0.1 -steps 10 -noise 2 -batches Shuffled":                                                   `-batches "Shuffled": must be poisson, capped, without-replacement, with-replacement, allocation, shuffled, shuffled-once or fixed`,
		"sgd -rate 0.1 -steps 10 -noise 2 -batches=":                                                           `-batches "": must be poisson`,
		"sgd -rate 0.1 -steps 10 -noise 2 -epochs 3":                                                           "-rate 0.1: must not be given with -epochs, which needs -examples and -batch",
		"sgd -epochs 3 -noise 2":                                                                               "-batch is missing: -epochs 3 needs -examples and -batch, or use -rate and -steps",
		"sgd -epochs 3 -steps 9 -noise 2 -batches fixed":                                                       "-steps 9: must not be given with -epochs",
		"sgd -epochs 1.5 -noise 2 -batches fixed":                                                              "-epochs 1.5: must be a whole number",
		"sgd -noise 2 -batches fixed":                                                                          "-steps is missing",
		"tune -law poisson -mean 3 -base gaussian -noise 2 -batches fixed":                                     "-batches fixed: must not be given with -base gaussian",
		"tune -law poisson -mean 3 -base sgd -noise 2 -epochs 3 -batches shuffled -tuning-rate 0.1":            "-batches shuffled: must be poisson or fixed with -tuning-rate",
		"advise -target-epsilon 1 -examples 9 -rate 1 -steps 1 -candidates 5 -cost 12 -batches shuffled":       "-batches shuffled: must be poisson or fixed",
		"curve -base sgd -noise 2 -epochs 3 -batches shuffled -kind tradeoff":                                  "-batches shuffled: must be poisson, allocation or fixed with -kind tradeoff",
		"curve -plan x.json -batches fixed":                                                                    "-batches fixed: must not be given with -plan",
	} {
		stdout, stderr, code := call(t, line)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("dpcost %s: code %d, %q, %q, want code 2 and %q", line, code, stdout, stderr, want)
		}
	}
}

// number returns a number of a JSON answer; 0 if there is none.
func number(x any) float64 {
	value, _ := x.(float64)
	return value
}
