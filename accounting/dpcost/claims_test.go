package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ends has what the JSON of an answer calls checked.
type ends struct{ upper, lower []float64 }

// collect adds the ends of an object, and of what is inside it.
func (e *ends) collect(value any) {
	switch v := value.(type) {
	case []any:
		for _, inner := range v {
			e.collect(inner)
		}
	case map[string]any:
		for name, inner := range v {
			shown := map[string]bool{
				"epsilon": v["certificate"] != nil || v["checked"] == true, "delta": v["certificate"] != nil, "epsilon_alone": v["checked"] == true,
				"epsilon_before": v["before_checked"] == true, "epsilon_of_one_run": v["one_run_checked"] == true, "tpr": v["checked"] == true, "mu": v["mu_checked"] == true,
			}[name]
			both, ok := inner.(map[string]any)
			switch x := inner.(type) {
			case float64:
				if shown {
					e.upper = append(e.upper, x)
				}
			case map[string]any:
				upper, isNumber := x["upper"].(float64)
				if shown && isNumber {
					e.upper = append(e.upper, upper)
				}
			}
			if lower, isNumber := both["lower"].(float64); ok && isNumber && (both["lower_checked"] == true || lower == 0) {
				e.lower = append(e.lower, lower)
			}
			e.collect(inner)
		}
	}
}

var (
	claim = regexp.MustCompile(`(<=|>=|≤|certified to within) ([-+]?[.0-9I]\S*)`)
	// others are the rows that state no end: what was asked, drawn or found, and how.
	others = strings.Fields("mechanism batches delta neighboring method checked warning noise sampling steps tuning first target a wanted recommended way TPR: mu: rank: sigma: lost: mean, published: Warnings: way sample+all, sample+rest, thresholds best exponential one Assumptions: " +
		"noise: batches: epsilon: engine: released: Bound: If Assumptions: Not Included - Mechanism: Theorem: Check: Proof: Releasing Published one ways,")
	rows = regexp.MustCompile(`^(epsilon|one run|one person|TPR at FPR|mu of GDP|delta at epsilon)\b`)
)

// unfounded returns the claims of a text that the JSON of the same answer does not call checked,
// and the rows that are not known.
func unfounded(text string, answer any) (faults []string) {
	var known ends
	known.collect(answer)
	near := func(list []float64, printed string, sign float64) bool {
		x, err := strconv.ParseFloat(strings.Trim(printed, ",;()"), 64)
		return err == nil && (math.IsInf(x, 1) || slices.ContainsFunc(list, func(exact float64) bool {
			off := sign * (x - exact) // three digits of a sentence
			return off >= 0 && off <= 0.01*math.Abs(exact)+1e-4
		}))
	}
	flat := strings.Join(strings.Fields(text), " ")
	for _, found := range claim.FindAllStringSubmatch(flat, -1) {
		ok := false
		switch sign, number := found[1], found[2]; {
		case sign == ">=":
			ok = near(known.lower, number, -1)
		case sign == "certified to within":
			ok = len(known.lower) > 0
		case strings.HasPrefix(flat, "first row") && !near(known.upper, number, 1): // the heading of a column
			ok = !strings.Contains(fmt.Sprint(answer), "certificate:<nil>") && len(known.upper) > 0
		default:
			ok = near(known.upper, number, 1)
		}
		if !ok {
			faults = append(faults, found[0])
		}
	}
	for _, line := range strings.Split(text, "\n") {
		first, _, _ := strings.Cut(line, " ")
		if first != "" && !rows.MatchString(line) && !slices.Contains(others, first) && !strings.HasPrefix(text, "first row") {
			faults = append(faults, "unknown row: "+line)
		}
	}
	return faults
}

// Each end that a text prints as a bound is checked. All others are in the words of an estimate.
func TestPrintedEndsAreChecked(t *testing.T) {
	plan := writePlan(t, `{"events": [{"type": "laplace", "noise_multiplier": 3}, {"type": "gaussian", "noise_multiplier": 4}, {"type": "pure_dp", "epsilon": 0.1}], "delta": 1e-5}`)
	candidates := writePlan(t, `{"law": {"type": "poisson", "mean": 4}, `+weakAndStrong+`}`)
	about := 0
	for _, line := range []string{
		"gaussian -noise 2 -count 3 -at-epsilon 1 -at-fpr 0.01 -records-per-person 3", "gaussian -target-epsilon 2", "gaussian -noise 1e-150",
		"sgd -rate 0.01 -noise 2 -steps 500 -at-epsilon 0.3 -at-fpr 0.01 -records-per-person 2", "sgd -rate 0.001 -noise 1 -steps 20",
		"sgd -rate 0.01 -noise 2 -steps 1", "sgd -rate 0.01 -steps 500 -target-epsilon 1", "sgd -rate 0.01 -noise 2 -target-epsilon 1 -solve steps",
		"sgd -rate 0.01 -steps 500 -noise 1,2 -at-fpr 0.01", "sgd -rate 1e-7 -noise 0.3 -steps 10000000 -delta 1e-10",
		"sgd -batches allocation -rate 0.1 -steps 20 -noise 2", "sgd -batches fixed -epochs 10 -noise 3", "sgd -batches shuffled -rate 0.1 -steps 20 -noise 3 -at-epsilon 1",
		"sgd -rate 0.01 -noise 2 -steps 500 -statement", "sgd -rate 1e-7 -noise 0.3 -steps 10000000 -delta 1e-10 -statement",
		"tune -base gaussian -noise 3 -law geometric -mean 5", "tune -base sgd -rate 0.01 -noise 2 -steps 500 -law poisson -mean 5",
		"plan " + plan, "expost " + candidates, adviseLine,
	} {
		text, _, code := call(t, line)
		inJSON, _, _ := call(t, line+" -json")
		var answer any
		if err := json.Unmarshal([]byte(inJSON), &answer); err != nil || code != 0 {
			t.Errorf("%s: code %d, %v\n%s", line, code, err, text)
			continue
		}
		if faults := unfounded(text, answer); len(faults) > 0 {
			t.Errorf("%s: %q\n%s", line, faults, text)
		}
		if about += strings.Count(text, "about "); strings.Contains(line, "-steps 500 -statement") || strings.Contains(line, "-noise 2 -count 3") {
			if faults := unfounded(text, map[string]any{}); len(faults) == 0 { // the test can fail
				t.Errorf("%s: no claim without a certificate\n%s", line, text)
			}
		}
	}
	if about == 0 {
		t.Error("no estimate")
	}
}
