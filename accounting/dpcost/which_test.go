package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Each command and each plan of the page has an answer.
func TestEveryPriceOfThePage(t *testing.T) {
	page, err := os.ReadFile("../WHICH.md")
	if err != nil {
		t.Fatal(err)
	}
	// By hand: Laplace noise of scale b after a move by s has δ(ε) = 1 - e^((ε-s/b)/2) (Dwork et al.
	// 2006), and pure ε₀ has δ(ε) = (e^ε₀ - e^ε)/(1 + e^ε₀) (Kairouz et al. 2015), here at 1e-5. The
	// tree's value is that of dp_accounting's PLD, to the digits shown.
	want := map[string]float64{
		`{"events": [{"type": "laplace", "noise_multiplier": 2}]}`:                               0.5 + 2*math.Log1p(-1e-5),
		`{"neighboring": "replace-one", "events": [{"type": "laplace", "noise_multiplier": 1}]}`: 1 + 2*math.Log1p(-1e-5),
		`{"neighboring": "replace-one", "events": [{"type": "pure_dp", "epsilon": 2}]}`:          2 + math.Log1p(-1e-5*(1+math.Exp(-2))),
		`dpcost gaussian -noise 8 -count 10`:                                                     1.53468,
	}
	first := regexp.MustCompile(`(?m)^epsilon +(?:<= )?([0-9.]+)`)
	asked := 0
	for _, row := range strings.Split(string(page), "\n") {
		for _, span := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row, -1) {
			line, isCommand := strings.CutPrefix(span[1], "dpcost ")
			switch {
			case strings.HasPrefix(span[1], "{"):
				line = "plan " + filepath.Join(t.TempDir(), "plan.json")
				if err := os.WriteFile(strings.Fields(line)[1], []byte(span[1]), 0o644); err != nil {
					t.Fatal(err)
				}
			case !isCommand || strings.HasSuffix(line, "FILE"):
				continue
			}
			asked++
			stdout, stderr, code := call(t, line)
			if by, ok := want[span[1]]; ok {
				delete(want, span[1])
				found := first.FindStringSubmatch(stdout)
				if found == nil {
					t.Fatalf("%s: no ε in %s", span[1], stdout)
				}
				if x, err := strconv.ParseFloat(found[1], 64); err != nil || math.Abs(x-by) > 1.01e-5*by {
					t.Errorf("%s: %s, want %.7g by hand or by dp_accounting, rounded up in 6 digits", span[1], found[1], by)
				}
			}
			if code != 0 || stderr != "" || !regexp.MustCompile(`epsilon|ε ≤`).MatchString(stdout) {
				t.Errorf("%s: code %d, %s%s", span[1], code, stderr, stdout)
			}
		}
	}
	if asked < 40 || len(want) > 0 {
		t.Errorf("%d questions; not on the page: %v", asked, want)
	}
}
