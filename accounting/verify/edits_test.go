package verify_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/verify"
)

// answered returns the JSON of the guarantee of an event.
func answered(t *testing.T, event accounting.Event, relation accounting.Neighboring) string {
	t.Helper()
	a, err := auto.NewAccountantFor(relation)
	if err != nil {
		t.Fatal(err)
	}
	g, err := a.EpsilonAt(event, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func verified(text string) error {
	answer, err := verify.Read([]byte(text))
	if err == nil {
		_, err = answer.Verify()
	}
	return err
}

// edited returns the text with each number of a field moved by a factor, one after the other, and
// the path of the number.
func edited(t *testing.T, text string, factor float64) map[string]string {
	t.Helper()
	var whole any
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				walk(path+"."+name, inner, func(x any) { v[name] = x })
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), inner, func(x any) { v[i] = x })
			}
		case float64:
			moved := v * factor
			if v == math.Trunc(v) && math.Abs(v) > 1 && math.Abs(v) < 1e9 { // a count stays one
				moved = math.Max(1, math.Round(moved))
			}
			set(moved)
			text, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			out[path] = string(text)
			set(v)
		}
	}
	walk("", whole, nil)
	return out
}

// An event, ε, δ or relation that is edited to claim more privacy fails, also if the certificate and
// the simplest form are edited alike.
func TestEditedClaims(t *testing.T) {
	for name, event := range map[string]accounting.Event{
		"sgd": sgd(0.01, 1, 1000), "gaussian": accounting.Gaussian{NoiseMultiplier: 2},
		"best of K": selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: sgd(0.01, 1, 1000)},
		"tune then train": subsample.Event{TuningRate: 0.1, Variant: subsample.RestOfData,
			Tuning: selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: accounting.Gaussian{NoiseMultiplier: 2}}, Training: accounting.Gaussian{NoiseMultiplier: 2}},
		"best of K and a release": accounting.Composed{Events: []accounting.Event{
			selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: accounting.Gaussian{NoiseMultiplier: 2}}, accounting.Gaussian{NoiseMultiplier: 2},
		}},
	} {
		text := answered(t, event, accounting.AddOrRemoveOne)
		if err := verified(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, edit := range [][2]string{
			{`"delta":0.00001`, `"delta":0.000009`}, {`add-or-remove-one`, `replace-one`},
			{`"noise_multiplier":1`, `"noise_multiplier":0.9`}, {`"noise_multiplier":2`, `"noise_multiplier":1.9`},
			{`"sampling_rate":0.01`, `"sampling_rate":0.011`}, {`"count":1000`, `"count":1100`}, {`"mean":10`, `"mean":11`},
			{`"tuning_rate":0.1`, `"tuning_rate":0.11`}, {`rest of the data`, `all data`},
		} {
			if !strings.Contains(text, edit[0]) || edit[1] == "replace-one" && name == "gaussian" { // a Gaussian moves by 1 under each
				continue
			}
			if err := verified(strings.ReplaceAll(text, edit[0], edit[1])); err == nil {
				t.Errorf("%s: verified with %s for %s", name, edit[1], edit[0])
			}
		}
		var whole map[string]any
		if err := json.Unmarshal([]byte(text), &whole); err != nil {
			t.Fatal(err)
		}
		ends, certificate := whole["epsilon"].(map[string]any), whole["certificate"].(map[string]any)
		upper := 0.9999 * ends["upper"].(float64)
		ends["upper"], certificate["epsilon"], ends["lower"], ends["estimate"] = upper, upper, nil, nil
		lower, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		if err := verified(string(lower)); err == nil {
			t.Errorf("%s: verified with a lower ε", name)
		}
	}
}

// Each number of an answer is read: one that is far off on the side of more privacy, or that is
// none, is not verified, or does not matter for the claim. No edit gives a claim that is not true.
func TestEditedNumbers(t *testing.T) {
	free := map[string]bool{ // texts about the claim, and what only decides the work
		".epsilon.lower": true, ".epsilon.estimate": true, ".certificate.work": true,
	}
	text := answered(t, sgd(0.01, 1, 1000), accounting.AddOrRemoveOne)
	caught := 0
	for _, factor := range []float64{0.5, 2, -1, 1e250, 1e-250} {
		for path, edit := range edited(t, text, factor) {
			if free[path] {
				continue
			}
			err := verified(edit)
			if err != nil {
				caught++
				continue
			}
			less := strings.HasSuffix(path, ".epsilon.upper") && factor > 1 || path == ".delta" && factor > 1 // a weaker claim
			witness := strings.Contains(path, ".witness[")                                                    // a poor line may do
			more := strings.HasSuffix(path, ".delta_upper") && factor > 1
			if !less && !witness && !more {
				t.Errorf("verified with %s times %g", path, factor)
			}
		}
	}
	if caught < 60 {
		t.Errorf("only %d edits were caught", caught)
	}
}

// A step that is wrong fails with its own word.
func TestWrongSteps(t *testing.T) {
	two := accounting.Composed{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 3}, accounting.Gaussian{NoiseMultiplier: 4}}}
	for name, c := range map[string]struct {
		event    accounting.Event
		relation accounting.Neighboring
		edits    []string // pairs
		want     string
	}{
		"a rule that does not exist": {two, accounting.AddOrRemoveOne, []string{`"rule":"closed form"`, `"rule":"trust me"`}, "is not a rule"},
		"another version":            {two, accounting.AddOrRemoveOne, []string{`"version":1`, `"version":2`}, "a proof of version 2: must be 1"},
		"a proof of another event":   {two, accounting.AddOrRemoveOne, []string{`"noise_multiplier":3}`, `"noise_multiplier":2.5}`}, "the steps show δ"},
		"an unknown field":           {two, accounting.AddOrRemoveOne, []string{`"noise_multiplier":3}`, `"noise_multiplier":3,"clip":1}`}, "clip: is not a field"},
		"a text for a number":        {two, accounting.AddOrRemoveOne, []string{`"noise_multiplier":3}`, `"noise_multiplier":"3"}`}, "noise_multiplier"},
	} {
		text := answered(t, c.event, c.relation)
		if err := verified(text); err != nil {
			t.Errorf("%s: %v before the edit\n%s", name, err, text)
			continue
		}
		wrong := strings.Replace(text, c.edits[0], c.edits[1], 1)
		if c.edits[0] == `"noise_multiplier":3}` { // the form repeats it
			wrong = strings.ReplaceAll(text, c.edits[0], c.edits[1])
		}
		if err := verified(wrong); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q\n%s", name, err, c.want, wrong)
		}
	}
}

// A reserve that is dropped, or grown beyond δ, fails.
func TestReserve(t *testing.T) {
	g, err := accounting.WithDeltaReserve{Accountant: auto.NewAccountant(), Delta: 4e-6}.EpsilonAt(sgd(0.01, 1, 1000), 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := verify.Of(g)
	if err != nil {
		t.Fatal(err)
	}
	v, err := answer.Verify()
	if err != nil || !strings.Contains(v.String(), "a reserve of 4e-06 of δ") {
		t.Errorf("%v, %v", v, err)
	}
	for _, delta := range []string{"5e-06", "0", "-1e-6", "1e-5"} {
		if err := verified(strings.Replace(string(text), `"witness":{"delta":4e-06}`, `"witness":{"delta":`+delta+`}`, 1)); err == nil {
			t.Errorf("verified with a reserve of %s", delta)
		}
	}
}

func TestBadInput(t *testing.T) {
	text := answered(t, accounting.Gaussian{NoiseMultiplier: 2}, accounting.AddOrRemoveOne)
	for _, c := range []struct{ text, want string }{
		{"", "must be a JSON object"},
		{"[]", "must be a JSON object"},
		{text + text, "after top-level value"},
		{strings.Repeat(" ", 11<<20), "bytes: must be at most"},
		{strings.Replace(text, `"proof"`, `"prof"`, 1), "prof is not a field"},
		{`{"epsilon":{"upper":1},"delta":1e-5,"neighboring":"add-or-remove-one"}`, "has no proof"},
		{strings.Replace(text, `"upper":`, `"upper":"Infinity","x":`, 1), ""},
		{strings.Replace(text, `"delta":0.00001`, `"delta":5e-324`, 1), "must be at most that of the answer"},
		{strings.Replace(text, `"delta":0.00001`, `"delta":1`, 1), "must be in (0, 1)"},
		{strings.Replace(text, `"delta":0.00001`, `"DELTA":0.00001`, 1), "delta is missing"},
		{strings.Replace(text, `"delta":0.00001`, `"delta":0.000001,"Delta":0.00001`, 1), "must be at most that of the answer"},
		{strings.Replace(text, `"noise_multiplier":2`, `"noise_multiplier":1e999`, 1), "noise_multiplier"},
		{strings.Replace(text, `"noise_multiplier":2`, `"noise_multiplier":-2`, 1), "must be above 0"},
		{strings.Replace(text, `"noise_multiplier":2`, `"noise_multiplier":null`, 1), "must be a number"},
	} {
		if err := verified(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: %v, want %q", c.text, err, c.want)
		}
	}
	if got := (verify.Verdict{}).String(); got != "nothing was verified" {
		t.Error(got)
	}
}

// Steps that hold one by one do not show a claim about an event that has no price under the
// relation, or whose numbers are out of their ranges.
func TestNoPrice(t *testing.T) {
	one := `{"type":"gaussian","noise_multiplier":1}`
	batch := `{"type":"sampled_without_replacement","sample_size":1,"population_size":1000,"event":{"type":"clipped_sum","noise_multiplier":2}}`
	for _, c := range []struct{ relation, event, step, want string }{
		{"replace-one", `{"type":"parallel","events":[` + one + `,` + one + `]}`, `"rule":"closed form"`, "parallel: its theorem is not about replace-one"},
		{"replace-one", `{"type":"parallel","events":[` + one + `,` + one + `]}`, `"rule":"worst of several","of":[{"rule":"closed form"},{"rule":"closed form"}]`, "parallel: its theorem"},
		{
			"add-or-remove-one", `{"type":"poisson_sampled","sampling_rate":0.01,"event":` + batch + `}`,
			`"rule":"sampling lemma","of":[{"rule":"simplest form","witness":{"event":{"type":"poisson_sampled","sampling_rate":0.001,"event":` + one + `}},"of":[{"rule":"closed form"}]}]`,
			"must be public, on a Poisson sample",
		},
		{
			"add-or-remove-one", `{"type":"mixture_of_gaussians","chances":[0.99,0.26,-0.25],"distances":[0,1,1],"noise_multiplier":1}`,
			`"rule":"simplest form","witness":{"event":{"type":"poisson_sampled","sampling_rate":0.010000000000000009,"event":` + one + `}},"of":[{"rule":"closed form"}]`,
			"chances[2] -0.25",
		},
		{
			"add-or-remove-one", `{"type":"above_threshold","sensitivity":1,"threshold_noise":1,"score_noise":2,"max_tests":100,"max_positives":1.9,"refresh":"once"}`,
			`"rule":"threshold tests","witness":{"by":"pure"}`, "max_positives: 1.9",
		},
		{ // a list of 1e9 chances would fill the memory
			"add-or-remove-one", `{"type":"above_threshold","sensitivity":1,"threshold_noise":1,"score_noise":2,"max_tests":1000000000,"max_positives":1000000000,"refresh":"each test"}`,
			`"rule":"threshold tests","witness":{"by":"losses"}`, "out of its range",
		},
		{
			"add-or-remove-one", `{"type":"above_threshold","sensitivity":1,"threshold_noise":1,"score_noise":2,"max_tests":10000,"max_positives":10000,"refresh":"once"}`,
			`"rule":"threshold tests","witness":{"by":"losses"}`, "the steps show δ <= 1 at",
		},
	} {
		text := fmt.Sprintf(`{"epsilon":{"upper":5},"delta":1e-5,"neighboring":%q,"certificate":{"claim":"c","epsilon":5,"delta_upper":1e-5,"work":1,"proof":{"version":1,"event":%s,%s}}}`, c.relation, c.event, c.step)
		if err := verified(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.event, err, c.want)
		}
	}
}
