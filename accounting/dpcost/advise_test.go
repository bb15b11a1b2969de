package main

import (
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"
)

const adviseLine = "advise -target-epsilon 1 -examples 1000 -rate 1 -steps 1 -candidates 5 -cost 12 -seconds 90"

// advised calls adviseLine, or adviseLine with -json, once for all tests: an answer takes seconds.
func advised(t *testing.T, line string) (stdout, stderr string, code int) {
	t.Helper()
	once := map[string]func() answered{adviseLine: advice, adviseLine + " -json": adviceInJSON}[line]
	if once == nil {
		t.Fatalf("%q is not the line of these answers", line)
	}
	a := once()
	return a.stdout, a.stderr, a.code
}

type answered struct {
	stdout, stderr string
	code           int
}

var (
	advice       = sync.OnceValue(func() answered { return runLine(adviseLine) })
	adviceInJSON = sync.OnceValue(func() answered { return runLine(adviseLine + " -json") })
)

// The table and the JSON tell of the same ways; with one step on all data the noise of one run is
// that of a Gaussian release.
func TestAdvise(t *testing.T) {
	text, _, code := advised(t, adviseLine)
	if code != 0 {
		t.Fatalf("code %d: %s", code, text)
	}
	stdout, stderr, code := advised(t, adviseLine+" -json")
	if code != 0 || stderr != "" {
		t.Fatalf("code %d, %s", code, stderr)
	}
	var a struct {
		Recommended, Reason string
		Ways                []struct {
			Name            string
			NoiseMultiplier float64  `json:"noise_multiplier"`
			Noise           float64  `json:"mean_gradient_noise"`
			Epsilon         float64  `json:"epsilon"`
			Quantile        *float64 `json:"expected_quantile"`
			Cost            float64
		}
	}
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatal(err)
	}
	one := ask(t, "gaussian -target-epsilon 1")
	found := false
	for i, way := range a.Ways {
		if !strings.Contains(text, way.Name) {
			t.Errorf("the table lacks %q", way.Name)
		}
		if way.Name == "one run, drawn" {
			found = true
			if math.Abs(way.NoiseMultiplier / *one.NoiseMultiplier - 1) > 2e-4 || *way.Quantile != 0.5 || way.Cost != 1 {
				t.Errorf("one run: %+v, a Gaussian release has noise multiplier %g", way, *one.NoiseMultiplier)
			}
		}
		if way.Epsilon > 1 || i > 0 && way.Noise < a.Ways[i-1].Noise {
			t.Errorf("%s: ε %g, noise %g after %g", way.Name, way.Epsilon, way.Noise, a.Ways[max(0, i-1)].Noise)
		}
	}
	if !found || !strings.Contains(text, "recommended") || !strings.Contains(text, a.Recommended) || !strings.Contains(text, "90 s") {
		t.Errorf("recommended %q in\n%s", a.Recommended, text)
	}
}

func TestAdviseRefuses(t *testing.T) {
	for flag, line := range map[string]string{
		"-target-epsilon": strings.Replace(adviseLine, "-target-epsilon 1", "", 1), "-examples": strings.Replace(adviseLine, "-cost 12", "-cost 120 -examples=5", 1),
		"-candidates": strings.Replace(adviseLine, "-candidates 5", "-candidates 1", 1), "-cost": strings.Replace(adviseLine, "-cost 12", "-cost 1", 1),
		"-quantile": adviseLine + " -quantile 0.5", "-tuning-rate": adviseLine + " -tuning-rate 1", "-parts": adviseLine + " -parts 1.5",
		"-score-share": adviseLine + " -score-share 0", "-seconds": strings.Replace(adviseLine, "-seconds 90", "-seconds -1", 1), "-noise": adviseLine + " -noise 1",
	} {
		if _, stderr, code := call(t, line); code != 2 || !strings.Contains(stderr, flag) {
			t.Errorf("%s: code %d, %s", line, code, stderr)
		}
	}
	if testing.Short() {
		return // TestBadQuestions in package advise has this warning too
	}
	text, _, _ := call(t, strings.Replace(adviseLine, "-cost 12", "-cost 12 -delta 0.01", 1))
	if !strings.Contains(text, "warning") {
		t.Errorf("δ = 0.01 of 1,000 examples: no warning in\n%s", text)
	}
}
