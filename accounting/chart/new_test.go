package chart

import (
	"math"
	"strings"
	"testing"
)

func TestNameOf(t *testing.T) {
	for title, want := range map[string]string{
		"Loss at ε = 3":                  "loss-at-epsilon-3",
		"  Test accuracy (%), 25 seeds ": "test-accuracy-25-seeds",
		"µ-GDP, σ≥1":                     "mu-gdp-sigma-1",
		"Straße":                         "stra-e",
		strings.Repeat("word ", 30):      strings.TrimSuffix(strings.Repeat("word-", 12), "-"),
		strings.Repeat("x", 200):         strings.Repeat("x", 60),
		"?!":                             "",
	} {
		got := nameOf(title)
		if got != want {
			t.Errorf("%q: name %q, want %q", title, got, want)
		}
		if err := CheckName("chart", got); (err == nil) != (want != "") {
			t.Errorf("%q: %v", title, err)
		}
	}
}

// An error names the argument.
func TestNewRefuses(t *testing.T) {
	good := Curve{Label: "a", X: Series{1, 2}, Y: Series{3, math.NaN()}}
	if _, err := New("Loss", "epoch", "loss", good); err != nil {
		t.Fatalf("a gap: %v", err)
	}
	for _, c := range []struct {
		title, xLabel string
		curves        []Curve
		want          string
	}{
		{"?", "epoch", []Curve{good}, `title "?": must have a Latin or Greek letter, or a digit`},
		{"", "epoch", []Curve{good}, `title "": must have`},
		{"Loss", "", []Curve{good}, "both axes must have a label"},
		{"Loss", "epoch", nil, "must have a curve"},
		{"Loss", "epoch", []Curve{good, {Label: "b"}}, `curve 2 ("b"): must have a point`},
		{"Loss", "epoch", []Curve{{Label: "b", X: Series{1, 2}, Y: Series{1}}}, `curve 1 ("b"): has 2 x and 1 y: must be equal`},
		{"Loss", "epoch", []Curve{{Label: "b", X: Series{1}, Y: Series{1}, Low: Series{0}}}, "has 1 low and 0 high: must be equal"},
	} {
		if _, err := New(c.title, c.xLabel, "loss", c.curves...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.title, err, c.want)
		}
	}
}

func TestSamplesAreChecked(t *testing.T) {
	one := Sample{Label: "a", Values: []float64{1}}
	for _, c := range []struct {
		bins    Bins
		samples []Sample
		want    string
	}{
		{Bins{}, nil, "samples: must be at least one"},
		{Bins{Count: -1}, []Sample{one}, "bins: count -1: must be 0 to 1000"},
		{Bins{Count: 1001}, []Sample{one}, "bins: count 1001: must be 0 to 1000"},
		{Bins{}, []Sample{one, {Label: "b"}}, `sample 2 ("b"): must have a value`},
		{Bins{}, []Sample{one, {Values: []float64{1}}}, `sample 2 (""): must have a label, as there are 2 samples`},
		{Bins{}, []Sample{{Values: []float64{1, math.NaN()}}}, `sample 1 (""): value 2 is NaN: must be a number within ±1e+300`},
		{Bins{}, []Sample{{Values: []float64{math.Inf(-1)}}}, "value 1 is -Inf"},
	} {
		if _, err := Histogram("Scores", "score", c.bins, c.samples...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.samples, err, c.want)
		}
	}
}
