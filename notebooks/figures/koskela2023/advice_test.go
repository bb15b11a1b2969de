package koskela2023

import (
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/advise"
	"github.com/dplab/dplab/accounting/chart"
)

// quickAdvice is a plan whose training is one Gaussian release, which is quick to price.
func quickAdvice() AdviceConfig {
	return AdviceConfig{
		Question:  advise.Question{Epsilon: 1, Delta: 1e-5, Examples: 1000, SamplingRate: 1, Steps: 1, Candidates: 10, MeanCost: 12, Quantile: 0.8, Seconds: 60},
		Quantiles: []float64{0.7, 0.95},
	}
}

// Every way has its curve, no curve goes beyond the cost, and more quantile never leaves less
// noise.
func TestAdvice(t *testing.T) {
	r, err := Advice(quickAdvice())
	if err != nil {
		t.Fatal(err)
	}
	p := r.Figure().(chart.Panels)
	for _, v := range []interface{ Validate() error }{p, r.Table()} {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, chart := range p.Charts {
		if want := map[string]int{"koskela2023-advice-all": 5, "koskela2023-advice-rest": 4, "koskela2023-advice-both": 4}[chart.Name]; len(chart.Curves) != want {
			t.Errorf("%s: %d curves, want %d", chart.Name, len(chart.Curves), want)
		}
		for _, c := range chart.Curves {
			if !slices.IsSorted(c.Y) || !(c.Y[0] > 0.9) || c.Color == 0 {
				t.Errorf("%s: noise %v, color %d", c.Label, c.Y, c.Color)
			}
		}
	}
	// A logarithmic law of quantile 0.95 has a mean far above 12 runs on all data.
	if c := r.curve("best of K, logarithmic"); slices.Contains(c.X, 0.95) {
		t.Errorf("the logarithmic law is drawn at %v", c.X)
	}
	if rows := r.Table().Rows; len(rows) != 16 || !strings.HasPrefix(rows[0][0], "one run") {
		t.Errorf("%d rows, the first is %q", len(rows), rows[0])
	}
	// Each is the way of the least noise that reaches the quantile within the cost, or within 1 % of
	// it.
	table := r.Recommended()
	if err := table.Validate(); err != nil || len(table.Rows) != len(r.Others) {
		t.Errorf("error %v, rows %q", err, table.Rows)
	}
	for i, a := range r.Others {
		best, _ := a.Recommended()
		for _, w := range a.Ways {
			if a.Reaches(w) && a.Affordable(w) && w.Noise < best.Noise/1.01*(1-1e-12) {
				t.Errorf("%q: %s has the noise %g, best is %g", table.Rows[i], w.Name, w.Noise, best.Noise)
			}
		}
	}
}

func TestAdviceRefuses(t *testing.T) {
	for _, quantiles := range [][]float64{nil, {0.9}, {0.9, 0.9}, {0.4, 0.9}, {0.9, 1}} {
		cfg := quickAdvice()
		cfg.Quantiles = quantiles
		if _, err := Advice(cfg); err == nil || !strings.Contains(err.Error(), "Quantiles") {
			t.Errorf("%v: error %v", quantiles, err)
		}
	}
}
