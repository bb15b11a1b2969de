package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/auto"
)

// rowsOf returns the numbers of a CSV below its header. An empty cell is NaN.
func rowsOf(t *testing.T, line, header string) [][]float64 {
	t.Helper()
	text, _, code := call(t, line)
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if code != 0 || err != nil || strings.Join(records[0], ",") != header {
		t.Fatalf("%s: code %d, %v in\n%s", line, code, err, text)
	}
	var rows [][]float64
	for _, r := range records[1:] {
		row := make([]float64, len(r))
		for i, cell := range r {
			if row[i], err = strconv.ParseFloat(cell, 64); err != nil {
				row[i] = math.NaN()
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// A point along a run is the price of a run that ends there, and the last one is that of the run.
func TestCurveAlongARun(t *testing.T) {
	const run = " -examples 60000 -batch 256 -epochs 10 -noise 1.1"
	rows := rowsOf(t, "curve -base sgd"+run+" -over steps -points 7", "steps,epsilon_lower,epsilon_upper,lower_checked,upper_checked")
	if want := []float64{335, 670, 1005, 1340, 1675, 2010, 2344}; len(rows) != len(want) || rows[0][0] != want[0] || rows[6][0] != want[6] {
		t.Fatalf("rows %v, want steps %v", rows, want)
	}
	for _, row := range rows {
		g, err := auto.NewAccountant().EpsilonAt(poissonSteps(256./60000, 1.1, int(row[0])), 1e-5)
		if err != nil || math.Abs(row[2]/g.Epsilon.Upper-1) > 1e-9 || row[1] > row[2] || row[1] < 0.999*row[2] {
			t.Errorf("%g steps: ε in [%v, %v], %v, want %v", row[0], row[1], row[2], err, g.Epsilon.Upper)
		}
	}
	if last, _ := ask(t, "sgd"+run).Epsilon.Upper.(float64); rows[6][2] != last {
		t.Errorf("the last point is %v, the run costs %v", rows[6][2], last)
	}
	for i, row := range rowsOf(t, "curve -base sgd"+run+" -over epochs -points 7", "epochs,epsilon_lower,epsilon_upper,lower_checked,upper_checked") {
		if want := rows[i][0] * 256 / 60000; math.Abs(row[0]/want-1) > 1e-12 || row[2] != rows[i][2] {
			t.Errorf("epochs %v, want %g epochs and ε %v", row, want, rows[i][2])
		}
	}
	if rows := rowsOf(t, "curve -base sgd -rate 0.5 -steps 3 -noise 1 -over steps", "steps,epsilon_lower,epsilon_upper,lower_checked,upper_checked"); len(rows) != 3 || rows[0][0] != 1 || rows[2][0] != 3 {
		t.Errorf("a run of 3 steps has the points %v", rows)
	}
}

// Epochs of disjoint batches are Gaussian releases; shuffled ones have no lower ends.
func TestCurveAlongEpochs(t *testing.T) {
	for i, row := range rowsOf(t, "curve -base sgd -batches fixed -epochs 3 -noise 2 -over epochs -delta 1e-6", "epochs,epsilon_lower,epsilon_upper,lower_checked,upper_checked") {
		want, _ := ask(t, "gaussian -noise 2 -delta 1e-6 -count "+strconv.Itoa(i+1)).Epsilon.Upper.(float64)
		if row[0] != float64(i+1) || math.Abs(row[2]/want-1) > 1e-12 {
			t.Errorf("row %v, want ε %v after %d epochs", row, want, i+1)
		}
	}
	rows := rowsOf(t, "curve -base sgd -batches shuffled -epochs 2 -noise 2 -over epochs", "epochs,epsilon_lower,epsilon_upper,lower_checked,upper_checked")
	if last, _ := ask(t, "sgd -batches shuffled -epochs 2 -noise 2").Epsilon.Upper.(float64); len(rows) != 2 || rows[1][2] != last || !math.IsNaN(rows[1][1]) {
		t.Errorf("shuffled: %v, want ε %v without a lower end", rows, last)
	}
}

func TestCurveAlongARunInFiles(t *testing.T) {
	figure := filepath.Join(t.TempDir(), "e.svg")
	const line = "curve -base sgd -rate 0.01 -steps 100 -noise 2 -over epochs -points 5 -delta 1e-6"
	bare, _, _ := call(t, line)
	if points, stderr, code := call(t, line+" -figure "+figure); code != 0 || points != bare || !strings.Contains(stderr, "figure "+figure) {
		t.Fatalf("code %d, %s, points %s, want those without a figure: %s", code, stderr, points, bare)
	}
	if drawn, err := os.ReadFile(figure); err != nil || !bytes.Contains(drawn, []byte("<svg")) {
		t.Errorf("figure: %v", err)
	}
	text, stderr, code := call(t, line+" -json")
	var c struct {
		Kind   string
		Delta  float64
		Points []struct{ X float64 }
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil || code != 0 || c.Kind != "epochs" || c.Delta != 1e-6 || len(c.Points) != 5 || c.Points[4].X != 1 {
		t.Errorf("code %d, %s, %v, JSON %+v", code, stderr, err, c)
	}
}

func TestWrongCurveAlongARun(t *testing.T) {
	const run = "curve -base sgd -rate 0.01 -steps 50 -noise 2"
	for line, want := range map[string]string{
		run + " -over x":                                      `-over "x": must be steps or epochs`,
		run + " -over=":                                       `-over "": must be steps or epochs`,
		run + " -over steps -kind profile":                    "-kind profile: must not be given with -over",
		run + " -over steps -max-epsilon 2":                   "-max-epsilon 2: must not be given with -over",
		run + " -over steps -points 1":                        "-points 1: must be a whole number from 2",
		run + " -over steps -batches fixed":                   "-over steps: must be epochs with -batches fixed",
		"curve -plan x.json -over steps":                      "-plan x.json: must not be given with -over",
		"curve -base gaussian -noise 2 -count 9 -over epochs": "-over epochs: must be given with -base sgd",
		"curve -noise 2 -over epochs":                         "-base or -plan is missing",
		"sgd -rate 0.01 -steps 50 -noise 2 -over steps":       "not defined: -over",
	} {
		stdout, stderr, code := call(t, line)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("dpcost %s: code %d, %q, %q, want code 2 and %q", line, code, stdout, stderr, want)
		}
	}
}
