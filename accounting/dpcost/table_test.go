package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// A row of a table is the answer to its value alone, in JSON and as text.
func TestTableHasTheSingleAnswers(t *testing.T) {
	for _, c := range []struct{ line, flag, list string }{
		{"sgd -examples 60000 -batch 256 -epochs 10 -at-epsilon 1 -at-fpr 0.001", "noise", "0.8,1,1.2"},
		{"gaussian -count 4 -records-per-person 2", "noise", "3,1"},
		{"gaussian", "target-epsilon", "0.5,2"},
		{"sgd -batches shuffled -epochs 3", "noise", "1,2"},
		{"sgd -rate 0.01 -target-epsilon 1 -solve steps", "noise", "1,2"},
		{"sgd -rate 0.01 -noise 2 -solve steps", "target-epsilon", "0.5,1"},
		{"sgd -steps 100 -noise 2 -solve rate", "target-epsilon", "0.5,1"},
		{"tune -law fixed -count 3 -base gaussian", "noise", "1,2"},
	} {
		text, _, code := call(t, c.line+" -"+c.flag+" "+c.list)
		out, stderr, jsonCode := call(t, c.line+" -"+c.flag+" "+c.list+" -json")
		var table struct{ Rows []map[string]any }
		if err := json.Unmarshal([]byte(out), &table); err != nil || code != 0 || jsonCode != 0 || stderr != "" {
			t.Fatalf("%s: codes %d and %d, %s, %v in %s", c.line, code, jsonCode, stderr, err, out)
		}
		values := strings.Split(c.list, ",")
		if len(table.Rows) != len(values) {
			t.Fatalf("%s: %d rows for %s", c.line, len(table.Rows), c.list)
		}
		_, body, _ := strings.Cut(text, "\n\n")
		lines := strings.Split(body, "\n")
		for i, value := range values {
			one, _, _ := call(t, c.line+" -"+c.flag+" "+value)
			single, _, _ := call(t, c.line+" -"+c.flag+" "+value+" -json")
			var want map[string]any
			if err := json.Unmarshal([]byte(single), &want); err != nil {
				t.Fatal(err)
			}
			if _, given := want["noise_multiplier"]; !given {
				delete(table.Rows[i], "noise_multiplier")
			}
			if !reflect.DeepEqual(table.Rows[i], want) {
				t.Errorf("%s -%s %s: row %v, want %v", c.line, c.flag, value, table.Rows[i], want)
			}
			for _, cell := range strings.Fields(lines[i+1]) {
				if !strings.Contains(one, cell) {
					t.Errorf("%s: %q of the row of %s is not in\n%s", c.line, cell, value, one)
				}
			}
		}
	}
}

// A warning of one row names its noise, and one of all rows is written once.
func TestWarningsOfATable(t *testing.T) {
	text, _, code := call(t, "sgd -examples 1000 -batch 1000 -epochs 100 -noise 1,2 -delta 0.01")
	if code != 0 || strings.Count(text, "warning") != 1 || strings.Contains(text, "noise 1:") {
		t.Errorf("code %d, want one warning in\n%s", code, text)
	}
	if testing.Short() {
		return // seconds for each price by Rényi bounds
	}
	text, _, code = call(t, "tune -law tnb -eta 0 -mean 10 -base sgd -rate 0.01 -noise 0.03,2 -steps 100 -delta 1e-12")
	if code != 0 || !strings.Contains(text, "noise 0.03: ") || strings.Contains(text, "noise 2: baserun") {
		t.Errorf("code %d, want a warning of the runs with noise 0.03 only in\n%s", code, text)
	}
	for _, line := range strings.Split(text, "\n") {
		if len([]rune(line)) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
