package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
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

// A file may have one answer a line. Each is verified, and a line that is wrong fails.
func TestVerifyLines(t *testing.T) {
	answer := func(line string) string {
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(ok(t, line+" -json"))); err != nil {
			t.Fatal(err)
		}
		return compact.String() + "\n"
	}
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first, second := answer("gaussian -noise 2"), answer("sgd -rate 0.01 -noise 2 -steps 500")
	write(first + second)
	if out := ok(t, "verify "+path); strings.Count(out, "verified: ") != 2 {
		t.Errorf("two lines: %s", out)
	}
	for _, wrong := range []string{first + strings.ReplaceAll(second, `"noise_multiplier":2`, `"noise_multiplier":1.9`), first + "{}\n" + second, first + "\n" + second, first + "x"} {
		write(wrong)
		if out, stderr, code := call(t, "verify "+path); code != 1 || out != "" || !strings.Contains(stderr, "not verified: ") {
			t.Errorf("code %d, %q, %q of\n%s", code, out, stderr, wrong)
		}
	}
}
