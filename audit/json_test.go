package audit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// What was written is read back whole: the same fields and the same JSON.
func TestResultsComeBackFromJSON(t *testing.T) {
	scores := gaussianScores(60, 1)
	r := must(Bounds(scores, Config{Seed: 1, Delta: 1e-5, Confidence: 0.8}))
	again := func(value any, read interface{ UnmarshalJSON([]byte) error }) {
		t.Helper()
		text := must(json.Marshal(value))
		if err := json.Unmarshal(text, read); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if back := must(json.Marshal(read)); !bytes.Equal(back, text) {
			t.Errorf("%s comes back as %s", text, back)
		}
	}
	for _, b := range r.Ordered() {
		var read Bound
		if again(b, &read); read.String() != b.String() || read.Mu != b.Mu || read.AskedConfidence != 0.8 || len(read.Warnings) != len(b.Warnings) {
			t.Errorf("%+v comes back as %+v", b, read)
		}
	}
	for _, rate := range r.TPRAtFPR {
		var read Rate
		if again(rate, &read); read.TPR != rate.TPR {
			t.Errorf("%+v comes back as %+v", rate, read)
		}
	}
	for _, claim := range []Curve{GDP{1}, GDP{0.01}, EpsilonDelta{Epsilon: 9}} {
		v := must(TestClaim(scores, claim, Config{Seed: 1}))
		var read Verdict
		if again(v, &read); read.String() != v.String() || read.Contradicted != v.Contradicted || read.TooFew != v.TooFew {
			t.Errorf("%v comes back as %v", v, read)
		}
	}
}

// JSON that lacks a field, or contradicts itself, is refused. What is left reads as nothing.
func TestBadJSONIsRefused(t *testing.T) {
	const verdict = `{"claim":"1-GDP","p_value":0.01,"confidence":0.95,"contradicted":true,"assumption":"none","method":"ranks"}`
	const bound = `{"name":"rank-two-tail","epsilon":1,"delta":0,"assumption":"none","confidence":0.95,"nominal_confidence":0.95,"ceiling":2,"fixed":"","reference":"","warnings":[]}`
	const rate = `{"fpr":0.1,"lower":0.1,"estimate":0.2,"upper":0.3,"warnings":[]}`
	var v Verdict
	var b Bound
	var r Rate
	for text, read := range map[string]any{verdict: &v, bound: &b, rate: &r} {
		if err := json.Unmarshal([]byte(text), read); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, c := range []struct{ text, old, new, want string }{
		{verdict, `"p_value":0.01,"confidence":0.95,"contradicted":true,"assumption":"none","method":"ranks"`, `"p_value":1e-9,"confidence":0.95`, "verdict.contradicted is missing: must be true or false"},
		{verdict, "true", "false", "verdict.contradicted false: must be true for p_value 0.01 at confidence 0.95"},
		{verdict, "0.01", "0.06", "verdict.contradicted true: must be false"},
		{verdict, `"claim":"1-GDP",`, "", "verdict.claim is missing"}, {verdict, `"method":"ranks"`, `"seed":1`, "verdict.method is missing"},
		{verdict, `"p_value":0.01,`, "", "verdict.p_value is missing"}, {verdict, "0.01", "-1", "verdict.p_value -1: must be in [0, 1]"},
		{verdict, "0.95", "0.05", "verdict.confidence 0.05: must be in [0.5, 1)"}, {verdict, `"ranks"`, `"ranks","too_few":true`, "verdict.too_few true: must be false"},
		{verdict, verdict, "null", "verdict.claim is missing"}, {verdict, verdict, "{}", "verdict.claim is missing"},
		{bound, `"epsilon":1,`, "", "bound.epsilon is missing"}, {bound, `"epsilon":1,`, `"epsilon":-1,`, "bound.epsilon -1: must be >= 0"},
		{bound, `"none"`, `"gdp"`, "bound.mu is missing"}, {bound, `"none"`, `"all"`, "bound.assumption all: must be one of"},
		{bound, `"confidence":0.95,"n`, `"n`, "bound.confidence is missing"}, {bound, `"confidence":0.95,"n`, `"confidence":0.05,"n`, "bound.confidence 0.05: must be in [0.5, 1)"},
		{bound, bound, "{}", "bound.name is missing"},
		{rate, `"upper":0.3,`, "", "rate.upper is missing"}, {rate, "0.3", "0.15", "must be lower <= estimate <= upper"},
	} {
		v, b, r = Verdict{Claim: "old"}, Bound{Name: "old"}, Rate{FPR: 0.5}
		text := strings.Replace(c.text, c.old, c.new, 1)
		read := map[string]any{verdict: &v, bound: &b, rate: &r}[c.text]
		if err := json.Unmarshal([]byte(text), read); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", text, err, c.want)
		}
		switch {
		case c.text == verdict && v.String() != Verdict{}.String(), c.text == bound && b.String() != Bound{}.String(), c.text == rate && (r.FPR != 0 || r.TPR.Computed()):
			t.Errorf("%s leaves %v", text, read)
		}
	}
}

// A report is not read from its JSON. Anyone who ignores the error has nothing.
func TestReportsAreNotReadFromJSON(t *testing.T) {
	r := must(Bounds(gaussianScores(60, 1), Config{Seed: 1, Delta: 1e-5}))
	text := must(json.Marshal(r))
	if err := json.Unmarshal(text, &r); err == nil || !strings.Contains(err.Error(), "cannot be read from JSON") {
		t.Errorf("error %v", err)
	}
	if got := r.String(); got != "no audit: nothing was computed\n" {
		t.Errorf("an ignored error leaves\n%s", got)
	}
}
