package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// object reads one JSON object and nothing after it.
func object(t *testing.T, line, text string) map[string]any {
	t.Helper()
	var fields map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&fields); err != nil {
		t.Fatalf("dpcost %s: %v in %q: must be one JSON object", line, err, text)
	}
	if _, err := decoder.Token(); err != io.EOF {
		t.Fatalf("dpcost %s: more than one JSON object: %q", line, text)
	}
	return fields
}

// With -json every command prints one JSON object, whatever other flags it has: an answer with the
// names of the files that were written, or the error that a command writes no such file.
func TestJSONIsOneObject(t *testing.T) {
	events := writePlan(t, `{"events": [{"type": "zcdp", "rho": 0.1}]}`)
	candidates := filepath.Join(t.TempDir(), "candidates.json")
	if err := os.WriteFile(candidates, []byte(`{"law": {"type": "tnb", "eta": 1, "mean": 10}, "candidates": [{"type": "gaussian", "noise_multiplier": 4}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	out, figure := filepath.Join(t.TempDir(), "points"), filepath.Join(t.TempDir(), "figure")
	files := []string{"", " -out " + out, " -out " + out + ".csv", " -out " + out + ".json", " -figure " + figure + ".svg", " -figure " + figure + ".pdf -out " + out}
	for _, command := range []string{
		"sgd -rate 0.01 -steps 10 -noise 2", "sgd -rate 0.01 -steps 10 -noise 2,3", "sgd -rate 0.01 -steps 10 -noise 2 -statement -unit person", "sgd -batches shuffled -epochs 2 -noise 2",
		"sgd -rate 0.01 -noise 2 -target-epsilon 1 -solve steps", "gaussian -noise 1", "gaussian -target-epsilon 1 -statement", "tune -law geometric -mean 10 -base gaussian -noise 4",
		"advise -target-epsilon 2 -examples 1000 -cost 3.5 -rate 0.1 -steps 10 -candidates 3", "expost " + candidates, "plan " + events,
		"curve -points 3 -plan " + events, "curve -points 3 -base gaussian -noise 1 -kind tradeoff", "curve -points 3 -base sgd -batches fixed -epochs 2 -noise 2",
		"curve -points 3 -base sgd -rate 0.01 -steps 10 -noise 2 -over steps",
	} {
		for _, more := range files {
			if more == "" && strings.HasPrefix(command, "advise") && testing.Short() {
				continue // some seconds
			}
			line := command + more + " -json"
			stdout, stderr, code := call(t, line)
			fields := object(t, line, stdout)
			if more != "" && !strings.HasPrefix(command, "curve") {
				if code != 2 || fields["exit_code"] != 2.0 {
					t.Errorf("dpcost %s: code %d, %s", line, code, stdout)
				}
				continue
			}
			if code != 0 || stderr != "" || fields["error"] != nil || !strings.Contains(stdout, `"neighboring"`) && !strings.HasPrefix(command, "advise") {
				t.Errorf("dpcost %s: code %d, %s, %s", line, code, stdout, stderr)
			}
			words := strings.Fields(more)
			for i := 0; i < len(words); i += 2 {
				name, path := strings.TrimPrefix(words[i], "-"), words[i+1]
				if text, err := os.ReadFile(path); err != nil || len(text) == 0 || fields[name] != path {
					t.Errorf("dpcost %s: the file %v has %d bytes (%v), want %s", line, fields[name], len(text), err, path)
				}
				if points, _ := fields["points"].([]any); len(points) != 3 {
					t.Errorf("dpcost %s: %d points, want 3", line, len(points))
				}
			}
		}
	}
}

// The ending of -out gives the format of the file, or else -json does.
func TestFormatOfPoints(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		for ending, isJSON := range map[string]bool{"": asJSON, ".csv": false, ".CSV": false, ".json": true} {
			out := filepath.Join(t.TempDir(), "points"+ending)
			line := "curve -points 3 -base gaussian -noise 1 -out " + out
			if asJSON {
				line += " -json"
			}
			if stdout, stderr, code := call(t, line); code != 0 || !strings.Contains(stdout, out) {
				t.Errorf("dpcost %s: code %d, %s, %s", line, code, stdout, stderr)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if isJSON {
				object(t, line, string(text))
			} else if rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll(); err != nil || len(rows) != 4 {
				t.Errorf("dpcost %s: %d rows, %v, want a header and 3", line, len(rows), err)
			}
		}
	}
}
