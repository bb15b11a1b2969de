package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// A price names the check of its upper end, for people and for programs, or that there was none.
func TestChecked(t *testing.T) {
	for line, want := range map[string]string{
		"gaussian -noise 2 -delta 1e-5":                        "in outward-rounded arithmetic, by the closed form of the Gaussian",
		"gaussian -noise 2 -delta 1e-5 -records-per-person 2":  "in outward-rounded arithmetic, by the closed form of the Gaussian",
		"sgd -rate 0.1 -steps 1 -noise 2 -delta 1e-5":          "in outward-rounded arithmetic, by",
		"sgd -batches allocation -rate 0.1 -steps 20 -noise 2": "in outward-rounded arithmetic, by a law of the likelihood ratio",
		"sgd -rate 1 -steps 1 -noise 2 -delta 1e-5 -statement": "Check: the bound was checked in outward-rounded arithmetic, by the closed form",
	} {
		text, _, code := call(t, line)
		if code != 0 || !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%s: %q is not in\n%s", line, want, text)
		}
		var out struct {
			Epsilon     accounting.Interval
			Certificate *accounting.Certificate
		}
		text, _, _ = call(t, line+" -json")
		if err := json.Unmarshal([]byte(text), &out); err != nil || out.Certificate == nil || out.Certificate.Epsilon != out.Epsilon.Upper || !(out.Certificate.DeltaUpper <= 1e-5) {
			t.Errorf("%s: %v, certificate %v of\n%s", line, err, out.Certificate, text)
		}
	}
}
