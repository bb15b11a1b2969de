package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// ok runs a line that must have an answer, and returns it.
func ok(t *testing.T, line string) string {
	t.Helper()
	stdout, stderr, code := call(t, line)
	if code != 0 || stderr != "" {
		t.Fatalf("%s: code %d, %s", line, code, stderr)
	}
	return stdout
}

func newLedger(t *testing.T, flags string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "survey.ledger")
	ok(t, "ledger "+path+" new -data survey "+flags)
	return path
}

// A file under a fixed plan costs what the same plan costs, and verify checks the answer.
func TestLedgerOfAFixedPlan(t *testing.T) {
	path := newLedger(t, "-epsilon 3 -delta 1e-5 -plan fixed")
	if out := ok(t, "ledger "+path+" left"); !strings.Contains(out, "nothing was released") || !strings.Contains(out, "multiplier 1.3906,") { // µ at ε 3: 1/1.39059
		t.Errorf("an empty file: %s", out)
	}
	ok(t, "ledger "+path+" add gaussian -noise 4 -note table -date 2026-11-01")
	ok(t, "ledger add "+path+" sgd -rate 0.01 -noise 2 -steps 2000") // the words in either order
	plan := writePlan(t, `{"events": [{"type": "gaussian", "noise_multiplier": 4}, {"type": "dp_sgd", "sampling_rate": 0.01, "noise_multiplier": 2, "steps": 2000}]}`)
	want, got := ask(t, "plan "+plan), ask(t, "ledger "+path+" show")
	if got.Epsilon != want.Epsilon || got.Delta != 1e-5 {
		t.Errorf("%+v, want %+v", got.Epsilon, want.Epsilon)
	}
	show := ok(t, "ledger "+path+" show -unit household")
	for _, text := range []string{"1  2026-11-01  Gaussian(σ=4)", "table", `Releasing the 2 releases on "survey" that the ledger with last hash`, "adding or removing household", "(plan: fixed)"} {
		if !strings.Contains(show, text) {
			t.Errorf("%q is not in %s", text, show)
		}
	}
	verified(t, path)
}

// verified checks the JSON of show.
func verified(t *testing.T, path string) {
	t.Helper()
	answer := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(answer, []byte(ok(t, "ledger "+path+" show -json")), 0o644); err != nil {
		t.Fatal(err)
	}
	out := ok(t, "verify "+answer)
	_, fingerprint, _ := strings.Cut(strings.TrimSpace(out), "; fingerprint ")
	if !strings.HasPrefix(out, "verified") || len(fingerprint) != 12 || !strings.Contains(ok(t, "ledger "+path+" show"), "fingerprint "+fingerprint) {
		t.Errorf("%s: must be the fingerprint of the statement", out)
	}
}

// What is solved for fits, and a little more does not, under every plan and filter.
func TestLedgerSolves(t *testing.T) {
	plan := writePlan(t, `{"delta": 1e-8, "events": [{"type": "gaussian", "noise_multiplier": 9}, {"type": "gaussian", "noise_multiplier": 11}]}`)
	for _, kind := range []string{"fixed", "adaptive", "adaptive -filter renyi -order 9", "adaptive -filter gaussian", "adaptive -filter zcdp"} {
		path := newLedger(t, "-epsilon 2 -delta 1e-5 -plan "+kind)
		ok(t, "ledger "+path+" add gaussian -noise 5")
		number := regexp.MustCompile(`(?m)^(?:noise multiplier|steps|count)  ([0-9.]+)`)
		solve := func(line string) float64 {
			out := ok(t, "ledger "+path+" fits "+line)
			found := number.FindStringSubmatch(out)
			if found == nil {
				t.Fatalf("%s %s: %s", kind, line, out)
			}
			x, _ := strconv.ParseFloat(found[1], 64)
			return x
		}
		check := func(fits, not string) {
			t.Helper()
			if out := ok(t, "ledger "+path+" fits "+fits); !strings.HasPrefix(out, "fits ") {
				t.Errorf("%s, %s: %s", kind, fits, out)
			}
			if out := ok(t, "ledger "+path+" fits "+not); !strings.HasPrefix(out, "does not fit ") {
				t.Errorf("%s, %s: %s", kind, not, out)
			}
		}
		x := solve("gaussian -solve noise")
		check(fmt.Sprintf("gaussian -noise %g", x), fmt.Sprintf("gaussian -noise %g", 0.9999*x))
		x = solve("gaussian -noise 20 -solve count")
		check(fmt.Sprintf("gaussian -noise 20 -count %g", x), fmt.Sprintf("gaussian -noise 20 -count %g", x+1))
		if n := solve(plan + " -solve count"); n < 1 {
			t.Errorf("%s: %g plans fit", kind, n)
		}
		if strings.Contains(kind, "gaussian") {
			continue
		}
		x = solve("sgd -rate 0.01 -noise 4 -solve steps")
		check(fmt.Sprintf("sgd -rate 0.01 -noise 4 -steps %g", x), fmt.Sprintf("sgd -rate 0.01 -noise 4 -steps %g", x+1))
		x = solve("sgd -examples 60000 -batch 256 -epochs 1 -solve noise")
		check(fmt.Sprintf("sgd -examples 60000 -batch 256 -epochs 1 -noise %g", x), fmt.Sprintf("sgd -examples 60000 -batch 256 -epochs 1 -noise %g", 0.999*x))
		var a struct{ Fits bool }
		if err := json.Unmarshal([]byte(ok(t, "ledger "+path+" fits gaussian -noise 0.1 -json")), &a); err != nil || a.Fits {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// Under a filter the guarantee is that of the budget from the first release to the last. A release
// that does not fit is refused before it runs.
func TestLedgerUnderAFilter(t *testing.T) {
	for _, filter := range []string{"renyi", "gaussian", "zcdp"} {
		path := newLedger(t, "-epsilon 3 -delta 1e-5 -plan adaptive -filter "+filter)
		for range 2 {
			ok(t, "ledger "+path+" add gaussian -noise 4")
			a := ask(t, "ledger "+path+" show")
			if upper, ok := a.Epsilon.Upper.(float64); !ok || upper > 3 || upper < 3-1e-6 || a.Epsilon.Lower != nil {
				t.Errorf("%s: %v", filter, a.Epsilon)
			}
		}
		verified(t, path)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, stderr, code := call(t, "ledger "+path+" add gaussian -noise 1")
		after, _ := os.ReadFile(path)
		if code != 1 || !strings.Contains(stderr, "does not fit into the budget") || !strings.Contains(stderr, "constant of the filter "+filter) || string(before) != string(after) {
			t.Errorf("%s: code %d, %s", filter, code, stderr)
		}
		if show := ok(t, "ledger "+path+" show"); !strings.Contains(show, "with all that are added while they fit") || !strings.Contains(show, "ε ≤ 3.00") || !strings.Contains(show, "(plan: adaptive)") {
			t.Errorf("%s: %s", filter, show)
		}
		ok(t, "ledger "+path+" add gaussian -noise 1 -released")
		if out := ok(t, "ledger "+path+" left"); !strings.Contains(out, "more is spent than the budget") {
			t.Errorf("%s: %s", filter, out)
		}
		if show := ok(t, "ledger "+path+" show"); !strings.Contains(show, "has no differential privacy guarantee") {
			t.Errorf("%s: %s", filter, show)
		}
	}
}

func TestBadLedgerLines(t *testing.T) {
	path := newLedger(t, "-epsilon 3 -delta 1e-5 -plan fixed -neighboring replace-one")
	plan := writePlan(t, `{"events": [{"type": "laplace", "noise_multiplier": 4}]}`)
	for _, c := range []struct {
		line, want string
		code       int
	}{
		{"", "must be a file, and then new", 2},
		{path, "then new, add, left, fits or show", 2},
		{path + " spend", "then new, add, left, fits or show", 2},
		{path + " left more", `argument "more"`, 2},
		{path + " left -noise 3", "not defined: -noise", 2},
		{path + " add", "no release", 2},
		{path + " add gaussian", "-noise is missing", 2},
		{path + " add gaussian extra -noise 3", `argument "extra"`, 2},
		{path + " add sgd -noise 3", "-rate is missing", 2},
		{path + " add gaussian -noise 3 -date today", "must be a day", 1},
		{path + " add gaussian -noise 3 -delta 2", "-delta 2: must be in (0, 1)", 2},
		{path + " add " + plan, "must be replace-one, that of the ledger", 1},
		{path + " add " + plan + " -noise 3", "-noise 3: must not be given with " + plan, 2},
		{path + " add none.json", "no such file", 1},
		{path + " add laplace -noise 3", "release \"laplace\": must be sgd or gaussian with flags, or the file", 1},
		{path + " fits gaussian -noise 3 -solve noise", "which finds it", 2},
		{path + " fits gaussian -solve steps -noise 3", "must not be given with gaussian", 2},
		{path + " fits " + plan + " -solve noise", "must not be given with /", 2},
		{path + " fits gaussian -noise 0.1 -solve count", "no count fits", 1},
		{path + " fits gaussian -noise 3 -solve rate", "must be noise, steps or count", 2},
		{path + " left -data other", `must be "survey"`, 1},
		{path + " new -data survey -epsilon 3 -delta 1e-5 -plan fixed", "must not exist", 1},
		{path + "2 left", "no such file", 1},
		{path + "2 new", "-plan \"\": must be fixed", 2},
		{path + "2 new -data x -epsilon 0 -delta 1e-5 -plan fixed", "-epsilon 0: must be > 0", 2},
		{path + "2 new -data x -epsilon 1 -delta 1e-5 -plan fixed -filter renyi", "with -plan fixed", 2},
		{path + "2 new -data x -epsilon 1 -delta 1e-5 -plan adaptive -filter pld", "must be renyi, gaussian or zcdp", 1},
		{path + "2 new -data x -epsilon 1 -delta 1e-5 -plan adaptive -neighboring all", "must be add-or-remove-one", 2},
		{path + "2 new -data x -epsilon 1e-9 -delta 1e-12 -plan adaptive -order 2", "no constant fits", 1},
	} {
		if c.want == "-plan \"\": must be fixed" {
			c.line += " -data x -epsilon 1 -delta 1e-5"
		}
		_, stderr, code := call(t, "ledger "+c.line)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: code %d, %s; want %d, %q", c.line, code, stderr, c.code, c.want)
		}
	}
	if _, err := os.Stat(path + "2"); err == nil {
		t.Error("a wrong line made a file")
	}
	// An append that was cut off is told, and what is whole is priced.
	ok(t, "ledger "+path+" add gaussian -noise 4")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, `{"date":"2026`...), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, "ledger "+path+" left")
	if code != 0 || !strings.Contains(stderr, "cut off") || !strings.Contains(stdout, "releases   1") {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"noise_multiplier":4`, `"noise_multiplier":9`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, "ledger "+path+" left"); code != 1 || !strings.Contains(stderr, "line 2: was changed by hand") {
		t.Errorf("code %d, %s", code, stderr)
	}
}
