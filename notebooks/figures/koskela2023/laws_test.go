package koskela2023

import (
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Laws with a lighter tail at few runs cost less (Papernot and Steinke 2022, Figure 4), on
// a sample too.
func TestOtherLaws(t *testing.T) {
	cfg := small(t)
	cfg.TuningRates = []float64{0.1, 0.4}
	r, err := OtherLaws(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for k := range cfg.TuningRates {
		if poisson, geometric, logarithmic := r.Least[0][k], r.Least[1][k], r.Least[2][k]; !(logarithmic <= geometric && geometric <= poisson) {
			t.Errorf("q = %g: logarithmic %g, geometric %g, Poisson %g: must be in this order", cfg.TuningRates[k], logarithmic, geometric, poisson)
		}
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
	if _, err := OtherLaws(Figure1Config{}); err == nil {
		t.Error("empty config: must be refused")
	}
}

// Laws of the reader's own: one run, K = 1 for sure, costs less than three.
func TestOtherLawsOfYourOwn(t *testing.T) {
	cfg := small(t)
	cfg.TuningRates = []float64{0.1, 0.4}
	r, err := OtherLaws(cfg, law.Fixed{Count: 1}, law.Fixed{Count: 3})
	if err != nil {
		t.Fatal(err)
	}
	for k := range cfg.TuningRates {
		if one, three := r.Least[0][k], r.Least[1][k]; !(one < three) {
			t.Errorf("q = %g: one run costs %g, three %g", cfg.TuningRates[k], one, three)
		}
	}
	if title := r.Figure().(chart.Chart).Title; strings.Contains(title, "on average") {
		t.Errorf("title %q of laws with different means", title)
	}
	if _, err := OtherLaws(cfg, law.Fixed{}); err == nil || !strings.Contains(err.Error(), "laws[0]") {
		t.Errorf("a law that is not valid: error %v", err)
	}
}

// By hand: the first law is the cheapest at both q; of the others each is the dearest at one.
func TestOtherLawsTable(t *testing.T) {
	cfg := small(t)
	r := LawsResult{Config: cfg, Base: 2, Laws: []law.Law{law.Poisson{MeanRepeats: 15}, law.TNB{Eta: 1, Gamma: 0.1}, law.TNB{Gamma: 0.1}},
		Least: [][]float64{{2, 3}, {3, 4}, {4, 3.5}}}
	table := r.Table()
	if err := table.Validate(); err != nil {
		t.Error(err)
	}
	for i, want := range [][]string{
		{"Poisson", "15", "1.00", "1.50", "2 of 2 q", "0 of 2 q"},
		{"geometric", "10", "1.50", "2.00", "0 of 2 q", "1 of 2 q"},
		{"logarithmic", "3.90865", "1.75", "2.00", "0 of 2 q", "1 of 2 q"},
	} {
		if !slices.Equal(table.Rows[i], want) {
			t.Errorf("%q, want %q", table.Rows[i], want)
		}
	}
}
