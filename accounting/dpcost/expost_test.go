package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune"
)

const weakAndStrong = `"candidates": [{"name": "weak", "weight": 0.5, "type": "gaussian", "noise_multiplier": 4}, {"weight": 0.5, "type": "gaussian", "noise_multiplier": 1}]`

func askExPost(t *testing.T, flags, text string) answer.Releases {
	t.Helper()
	stdout, stderr, code := call(t, "expost -json "+flags+writePlan(t, text))
	var a struct {
		answer.Releases
		Before struct{ Upper float64 } `json:"epsilon_before"`
	}
	if err := json.Unmarshal([]byte(stdout), &a); code != 0 || stderr != "" || err != nil {
		t.Fatalf("%s: exit %d, %s, %v", text, code, stderr, err)
	}
	a.Releases.Before = accounting.UpperBound(a.Before.Upper)
	return a.Releases
}

// A file and a private search that draws the same have the same prices, to the last bit; before the
// release the whole costs no more than the tuning of the dearest candidate.
func TestExPostIsThatOfTheSearch(t *testing.T) {
	for _, c := range []struct {
		text string
		law  law.Law
	}{
		{`{"type": "tnb", "eta": 1, "gamma": 0.1}`, law.TNB{Eta: 1, Gamma: 0.1}},
		{`{"type": "poisson", "mean": 4}`, law.Poisson{MeanRepeats: 4}},
	} {
		got := askExPost(t, "", `{"law": `+c.text+`, `+weakAndStrong+`}`)
		want, err := searchOf(c.law, accounting.Gaussian{NoiseMultiplier: 4}, accounting.Gaussian{NoiseMultiplier: 1}).ExPostPrices()
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if r := got.Candidates[i]; float64(r.Epsilon) != w.Epsilon || r.Weight != 0.5 || r.Method == "" || w != (dptune.ExPostPrice[int]{Hyperparameters: i, Epsilon: w.Epsilon}) {
				t.Errorf("%v: candidate %d: %+v, want %+v of dptune.Search", c.law, i, r, w)
			}
		}
		dearest := askExPost(t, "", `{"law": `+c.text+`, "candidates": [{"type": "gaussian", "noise_multiplier": 1}]}`)
		if got.Before.Upper > dearest.Before.Upper || got.Before.Upper < float64(got.Candidates[0].Epsilon)+1 {
			t.Errorf("%v: %g before the release, %g and %g after it; %g if all were the dearest", c.law, got.Before.Upper, got.Candidates[0].Epsilon, got.Candidates[1].Epsilon, dearest.Before.Upper)
		}
		if got.Candidates[0].Name != "weak" || got.Candidates[1].Name != "candidate 2" || got.Delta != 1e-5 || !strings.Contains(got.Statement, "1e-05") {
			t.Errorf("%+v: names, δ or statement", got)
		}
	}
}

// A larger δ of the file or of a flag, which counts before the file's, costs less; a candidate
// without noise has no finite price, and the others keep theirs.
func TestExPostDeltaAndNoNoise(t *testing.T) {
	const poisson = `"law": {"type": "poisson", "mean": 4}, `
	file := askExPost(t, "", `{"delta": 1e-3, `+poisson+weakAndStrong+`}`)
	flag := askExPost(t, "-delta 1e-2 ", `{"delta": 1e-3, `+poisson+weakAndStrong+`}`)
	if file.Delta != 1e-3 || flag.Delta != 1e-2 || flag.Candidates[0].Epsilon >= file.Candidates[0].Epsilon {
		t.Errorf("δ of the file %g, ε %g; of the flag %g, ε %g", file.Delta, file.Candidates[0].Epsilon, flag.Delta, flag.Candidates[0].Epsilon)
	}
	path := writePlan(t, `{`+poisson+`"candidates": [{"type": "gaussian", "noise_multiplier": 9}, {"type": "non_private"}]}`)
	stdout, stderr, code := call(t, "expost -json "+path)
	var open struct {
		Before     struct{ Upper string } `json:"epsilon_before"`
		Candidates []struct{ Epsilon accounting.Number }
	}
	if err := json.Unmarshal([]byte(stdout), &open); code != 0 || err != nil || open.Before.Upper != "Infinity" || !math.IsInf(float64(open.Candidates[1].Epsilon), 1) {
		t.Errorf("a candidate without noise: exit %d, %s, %v, %+v", code, stderr, err, open)
	}
	if stdout, _, code = call(t, "expost "+path); code != 0 || !strings.Contains(stdout, "+Inf") || !strings.Contains(stdout, "candidate 2") {
		t.Errorf("for people: exit %d, %s", code, stdout)
	}
}

// Every fault of a file is told by field, value and rule.
func TestBadExPostFiles(t *testing.T) {
	const one, poisson = `{"type": "gaussian", "noise_multiplier": 1}`, `"law": {"type": "poisson", "mean": 4}`
	with := func(fields string) string {
		return `{` + poisson + `, "candidates": [{"type": "gaussian", "noise_multiplier": 1` + fields + `}]}`
	}
	for text, says := range map[string][]string{
		`{}`:                                  {"law: is missing", "candidates: is missing"},
		`{"candidates": [` + one + `]}`:       {"law: is missing"},
		`{` + poisson + `}`:                   {"candidates: is missing"},
		`{` + poisson + `, "candidates": []}`: {"candidates: is empty", "must hold a candidate"},
		`{"law": {"type": "poisson", "mean": -1}, "candidates": [` + one + `]}`: {"mean", "-1", "must be"},
		`{"law": {"type": "uniform"}, "candidates": [` + one + `]}`:             {"law.type", `"uniform"`, "must be one of"},
		`{"delta": 0, ` + poisson + `, "candidates": [` + one + `]}`:            {"delta: 0", "must be in (0, 1)"},
		`{"deltas": 0.1, ` + poisson + `, "candidates": [` + one + `]}`:         {"deltas", "is not a field"},
		with(`, "weight": 0`):                                  {"candidates[0].weight: 0", "must be in (0, 1]"},
		with(`, "weight": 1.5`):                                {"candidates[0].weight: 1.5", "must be in (0, 1]"},
		with(`, "weight": "half"`):                             {`candidates[0].weight: "half"`, "must be a number"},
		with(`, "weight": 0.7`):                                {"candidates", "add up to 0.7", "must be 1 within 1e-9"},
		with(`, "name": 3`):                                    {"candidates[0].name: 3", "must be a string"},
		with(`, "repeat": 3`):                                  {"candidates[0].repeat", "is not a field"},
		with(`}, {"type": "gaussian", "noise_multiplier": -2`): {"candidates[1].noise_multiplier: -2", "must be > 0"},
		with(`, "weight": 0.5}, ` + one[:len(one)-1]):          {"candidates[1].weight: is missing", "for all candidates or for none"},
		with(`}, {"type": "gaussian", "noise_multiplier": 2, "weight": 0.5`):                             {"candidates[1].weight: 0.5", "for all candidates or for none"},
		`{` + poisson + `, "candidates": [` + strings.Repeat(one+",", input.MostCandidates) + one + `]}`: {"candidates: 201", "at most 200"},
	} {
		path := writePlan(t, text)
		stdout, stderr, code := call(t, "expost "+path)
		if code != 1 || stdout != "" {
			t.Errorf("%s: exit %d, %s, want exit 1", text, code, stdout)
		}
		for _, want := range append(says, fmt.Sprintf("dpcost: expost %s: ", path)) {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: %q does not say %q", text, stderr, want)
			}
		}
	}
}
