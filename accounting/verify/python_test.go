package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting/verify"
)

// second runs testdata/verify.py on answers, and returns a line for each. It skips the test without
// Python or mpmath.
func second(t *testing.T, answers []string) []string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: the second verifier is not tried: ", err)
	}
	if out, err := exec.Command(python, "-c", "import mpmath").CombinedOutput(); err != nil {
		t.Skipf("no mpmath: the second verifier is not tried: %v: %s", err, out)
	}
	folder, arguments := t.TempDir(), []string{"testdata/verify.py"}
	for i, answer := range answers {
		name := filepath.Join(folder, fmt.Sprint(i, ".json"))
		if err := os.WriteFile(name, []byte(answer), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	command := exec.CommandContext(ctx, python, arguments...)
	command.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8", "PYTHONDONTWRITEBYTECODE=1")
	var faults bytes.Buffer
	command.Stderr = &faults
	out, _ := command.Output() // rejecting is not a fault here
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(answers) {
		t.Fatalf("%d lines for %d answers: %s%s", len(lines), len(answers), out, &faults)
	}
	return lines
}

// stored returns every n-th answer of testdata/answers.jsonl.
func stored(t *testing.T, n int) (answers []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if i%n == 0 {
			answers = append(answers, line)
		}
	}
	return answers
}

func first(answer string) error {
	a, err := verify.Read([]byte(answer))
	if err == nil {
		_, err = a.Verify()
	}
	return err
}

// sparse is the share of stored answers that a short test takes.
func sparse(long, short int) int {
	if testing.Short() {
		return short
	}
	return long
}

func TestSecondVerifier(t *testing.T) {
	if all := stored(t, 1); len(all) < 200 {
		t.Errorf("%d stored answers: must be at least 200", len(all))
	}
	answers := stored(t, sparse(1, 27))
	for i, line := range second(t, answers) {
		if !strings.HasPrefix(line, "verified: ") {
			t.Errorf("%s\n%s", line, answers[i])
		}
		if err := first(answers[i]); err != nil {
			t.Errorf("%v\n%s", err, answers[i])
		}
	}
}

// change applies an edit to all fields of a name, at any depth. It reports whether there was one.
func change(value any, name string, edit func(old any) any) (changed bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if key == name {
				value[key], changed = edit(inner), true
			} else {
				changed = change(inner, name, edit) || changed
			}
		}
	case []any:
		for _, inner := range value {
			changed = change(inner, name, edit) || changed
		}
	}
	return changed
}

func times(factor float64) func(any) any {
	return func(old any) any {
		if x, ok := old.(float64); ok {
			return x * factor
		}
		return old
	}
}

// TestSecondVerifierRejects edits the answer and its certificate alike, and the event in its form
// alike. More noise, a lower rate or fewer steps would leave the claim true.
func TestSecondVerifierRejects(t *testing.T) {
	type edit struct {
		name  string
		apply func(answer, certificate, event map[string]any) bool
	}
	all := func(name string, how func(any) any) func(_, certificate, event map[string]any) bool {
		return func(_, certificate, event map[string]any) bool {
			change(certificate["proof"].(map[string]any)["of"], "event", func(form any) any {
				change(form, name, how)
				return form
			})
			return change(event, name, how)
		}
	}
	edits := []edit{
		{"ε lowered", func(answer, certificate, _ map[string]any) bool {
			certificate["epsilon"] = times(0.99)(certificate["epsilon"])
			return change(answer["epsilon"], "upper", times(0.99))
		}},
		{"δ lowered", func(answer, certificate, _ map[string]any) bool {
			certificate["delta_upper"] = times(0.95)(certificate["delta_upper"])
			answer["delta"] = times(0.95)(answer["delta"])
			return true
		}},
		{"less noise", all("noise_multiplier", times(0.97))},
		{"a higher rate", all("sampling_rate", times(1.03))},
		{"more steps", all("count", func(old any) any { return old.(float64) * 2 })},
		{"another relation", func(answer, _, event map[string]any) bool {
			text, _ := json.Marshal(event)
			answer["neighboring"] = "replace-one"
			return bytes.Contains(text, []byte(`"clipped_sum"`)) && !bytes.Contains(text, []byte(`"batches"`))
		}},
		{"a line that shows nothing", func(_, certificate, _ map[string]any) bool {
			return change(certificate["proof"], "omega", times(1e-3))
		}},
		{"another event", func(_, certificate, _ map[string]any) bool {
			certificate["proof"].(map[string]any)["event"] = map[string]any{"type": "gaussian", "noise_multiplier": 0.01}
			return true
		}},
	}
	var edited, names []string
	for i, answer := range stored(t, sparse(5, 100)) {
		for _, e := range edits {
			var values map[string]any
			if err := json.Unmarshal([]byte(answer), &values); err != nil {
				t.Fatal(err)
			}
			if e.name == "another relation" && values["neighboring"] == "replace-one" {
				continue
			}
			certificate := values["certificate"].(map[string]any)
			if e.apply(values, certificate, certificate["proof"].(map[string]any)["event"].(map[string]any)) {
				text, err := json.Marshal(values)
				if err != nil {
					t.Fatal(err)
				}
				edited, names = append(edited, string(text)), append(names, fmt.Sprint(e.name, " in answer ", i))
			}
		}
	}
	for i, line := range second(t, edited) {
		if strings.HasPrefix(line, "verified: ") {
			t.Errorf("%s: the second verifier: %s\n%s", names[i], line, edited[i])
		}
		if first(edited[i]) == nil {
			t.Errorf("%s: the first verifier takes it\n%s", names[i], edited[i])
		}
	}
}
