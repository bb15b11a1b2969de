package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/selection/law"
)

// A device and a pipe do not tell their size; what comes out of them is bounded all the same.
func TestPlanFromAnywhere(t *testing.T) {
	const text = `{"events": [{"type": "gaussian", "noise_multiplier": 1}]}`
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, stderr, code := call(t, "plan /dev/zero"); code != 1 || !strings.Contains(stderr, "more than 16777216 bytes") {
			t.Errorf("plan /dev/zero: code %d, %q, want 1 and the limit", code, stderr)
		}
	}
	path := filepath.Join(t.TempDir(), "long.json")
	if err := os.WriteFile(path, make([]byte, 16<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, "plan "+path); code != 1 || !strings.Contains(stderr, "more than 16777216 bytes") {
		t.Errorf("a long file: code %d, %q, want 1 and the limit", code, stderr)
	}
	for _, line := range []string{"plan -", "plan - -delta 1e-6", "plan -delta 1e-6 -", "curve -points 2 -plan -"} {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			fmt.Fprint(out, text)
			out.Close()
		}()
		before := os.Stdin
		os.Stdin = in
		stdout, stderr, code := call(t, line)
		os.Stdin = before
		if code != 0 || stdout == "" {
			t.Errorf("%s: code %d, %q, want an answer", line, code, stderr)
		}
	}
}

// Names are shown as they are, unless a terminal would obey them.
func TestNamesAreShown(t *testing.T) {
	for name, want := range map[string]string{
		`a\u001b[31mRED\n\tx`: `"a\x1b[31mRED\n\tx"`, `\u009b31m`: `"\u009b31m"`, `\u202eabc`: `"\u202eabc"`, ` `: `" "`,
		`plain name, in Zürich`: `plain name, in Zürich`,
	} {
		stdout, stderr, code := call(t, "plan "+writePlan(t, `{"events": [{"name": "`+name+`", "type": "gaussian", "noise_multiplier": 1}, {"type": "gaussian", "noise_multiplier": 2}]}`))
		if code != 0 || !strings.Contains(stdout, "  "+want+"  ") || strings.ContainsFunc(stdout, control) {
			t.Errorf("%s: code %d, %q, %q, want %s", name, code, stdout, stderr, want)
		}
	}
	_, stderr, code := call(t, "plan "+writePlan(t, `{"events": [{"a\u001b[31m\u009b": 1, "type": "gaussian", "noise_multiplier": 1}]}`))
	if code != 1 || !strings.Contains(stderr, `\x1b[31m\u009b: is not a field`) || strings.ContainsFunc(stderr, control) {
		t.Errorf("a field with control characters: code %d, %q, want it escaped", code, stderr)
	}
}

func control(r rune) bool { return r != '\n' && unicode.IsControl(r) }

func TestPlanText(t *testing.T) {
	const one = `{"events": [{"type": "gaussian", "noise_multiplier": 1}]}`
	if stdout, stderr, code := call(t, "plan "+writePlan(t, "\ufeff"+one)); code != 0 || stdout == "" {
		t.Errorf("a UTF-8 mark at the start: code %d, %q, want an answer", code, stderr)
	}
	many := strings.Repeat(`{"type": "zcdp", "rho": 1},`, 100_000)
	for text, want := range map[string]string{
		`{"events": [{"name": "` + "a\xff" + `", "type": "gaussian", "noise_multiplier": 1}]}`: "byte 23, 0xff, is not UTF-8",
		`{"events": [` + many[:len(many)-1] + `]}`:                                             "100001 JSON objects: must be at most 10000",
	} {
		if stdout, stderr, code := call(t, "plan "+writePlan(t, text)); code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%.60s: code %d, %q, want code 1 and %q", text, code, stderr, want)
		}
	}
}

// A fault is told once, with its place.
func TestFaultsOnce(t *testing.T) {
	for text, want := range map[string]string{
		`{"delta": null, "events": [{"type": "gaussian", "noise_multiplier": 1}]}`:                "eventjson: delta: null: must be a number",
		`{"events": [{"type": "gaussian", "noise_multiplier": 1, "repeat": 1.5}]}`:                "eventjson: events[0].repeat: 1.5: must be a whole number, at most 2^53 in size",
		`{"events": [{"type": "gaussian", "noise_multiplier": 1e-400}]}`:                          "eventjson: events[0].noise_multiplier: 1e-400: is too near 0: must be 0, or at least 5e-324 in size",
		`{"events": [{"type": "laplace", "noise_multiplier": -1}]}`:                               "eventjson: events[0].noise_multiplier: -1: must be > 0 and finite",
		`{"events": [{"type": "zcdp", "rho": 1}, {"type": "gaussian", "noise_multiplier": "a"}]}`: `eventjson: events[1].noise_multiplier: "a": must be a number`,
	} {
		path := writePlan(t, text)
		if _, stderr, code := call(t, "plan "+path); code != 1 || stderr != "dpcost: plan "+path+": "+want+"\n" {
			t.Errorf("%s: code %d, %q, want %q and nothing else", text, code, stderr, want)
		}
	}
	_, stderr, code := call(t, "plan "+writePlan(t, `{"events": [{"type": "sampled_without_replacement", "sample_size": 1, "population_size": 2, "event": {"type": "gaussian", "noise_multiplier": 1}}]}`))
	if code != 1 || strings.Count(stderr, "its theorem is about replace-one") != 1 || strings.Contains(stderr, "(known:") {
		t.Errorf("an event that no accountant knows: code %d, %q, want one line about the relation, and no lists", code, stderr)
	}
}

func TestNumbersOfFlags(t *testing.T) {
	for line, want := range map[string]string{
		"sgd -rate 1e-400 -noise 1 -steps 3": `invalid value "1e-400" for flag -rate: is too near 0`,
		"sgd -rate 1_0 -noise 1 -steps 3":    `invalid value "1_0" for flag -rate: must be a finite number`,
		"sgd -rate 0 -noise 1 -steps 3":      "-rate 0: must be in (0, 1]",
	} {
		if stdout, stderr, code := call(t, line); code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("dpcost %s: code %d, %q, want code 2 and %q", line, code, stderr, want)
		}
	}
	if stdout, stderr, code := call(t, "curve -base gaussian -noise 1 -max-epsilon 1e308 -points 3"); code != 0 || !strings.Contains(stdout, "\n5e+307,0,") {
		t.Errorf("-max-epsilon 1e308: code %d, %q, %q, want three points", code, stdout, stderr)
	}
}

// A program that asks for JSON gets errors as JSON, with the exit code.
func TestErrorsAsJSON(t *testing.T) {
	for line, want := range map[string]int{"sgd -json -rate 2": 2, "plan nothing.json -json": 1, "nonsense -json": 2} {
		stdout, stderr, code := call(t, line)
		var answer struct {
			Error    string
			ExitCode int `json:"exit_code"`
		}
		if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != want || answer.ExitCode != want || answer.Error == "" || stderr == "" {
			t.Errorf("dpcost %s: code %d, %q, %q, %v, want code %d in both", line, code, stdout, stderr, err, want)
		}
	}
}

// A panic is no wrong command line: its exit code is 1.
func TestPanicIsAnError(t *testing.T) {
	text, err := recovered(func() ([]byte, error) { panic("planted") })
	if err == nil || text != nil || !strings.Contains(err.Error(), "planted") {
		t.Errorf("a planted panic: %q, %v, want an error that names it", text, err)
	}
}

func TestHelpOfOneCommand(t *testing.T) {
	for command, c := range map[string]struct{ has, hasNot string }{
		"sgd": {"-steps T", "-law L"}, "gaussian": {"-count N", "-steps T"}, "tune": {"-law L", "-points N"},
		"plan": {"pure_dp; approx_dp", "-law L"}, "curve": {"-points N", "pure_dp; approx_dp"},
	} {
		for _, line := range []string{command + " -h", "help " + command} {
			stdout, stderr, code := call(t, line)
			if code != 0 || stderr != "" || !strings.Contains(stdout, c.has) || strings.Contains(stdout, c.hasNot) || !strings.Contains(stdout, "dpcost "+command) || !strings.Contains(stdout, "exit code is 2") {
				t.Errorf("dpcost %s: code %d, %q, %q, want %q and not %q", line, code, stdout, stderr, c.has, c.hasNot)
			}
		}
	}
	if stdout, _, code := call(t, "version"); code != 0 || !strings.HasPrefix(stdout, "dpcost ") {
		t.Errorf("dpcost version: code %d, %q", code, stdout)
	}
}

// The help of tune and that of a plan have every law that they take, with its parameters.
func TestHelpHasEveryLaw(t *testing.T) {
	for _, c := range []struct {
		command, dash string
		laws          []law.Format
	}{{"tune", "-", input.Laws()}, {"plan", "", law.Formats()}} {
		command, dash := c.command, c.dash
		page, _, _ := call(t, "help "+command)
		for _, f := range c.laws {
			line := regexp.MustCompile(`(?m)^ +` + f.Name + ` +(` + dash + `[a-z].*)$`).FindStringSubmatch(page)
			if line == nil {
				t.Errorf("dpcost help %s: no law %s", command, f.Name)
				continue
			}
			for _, p := range f.Parameters {
				if name := dash + p.Name; p.Kind != law.Inner && !strings.Contains(" "+line[1]+",", " "+name+",") && !strings.Contains(line[1], name+" or ") {
					t.Errorf("dpcost help %s: %s has %q, want %s", command, f.Name, line[1], name)
				}
			}
		}
	}
}

// TestTooManyPoints asks for a curve of a search that would take hours.
func TestTooManyPoints(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "search.json")
	text := `{"events":[{"type":"selection","law":{"type":"poisson","mean":10},"base":{"type":"gaussian","noise_multiplier":1}}]}`
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := call(t, "curve -points 10000 -plan "+plan)
	if code == 0 || !strings.Contains(stderr, "-points 10000: must be at most 4800") {
		t.Errorf("code %d, %q, want an error that names the most points", code, stderr)
	}
}
