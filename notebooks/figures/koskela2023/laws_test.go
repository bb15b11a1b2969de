package koskela2023

import (
	"strings"
	"testing"

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
	if err := r.Chart().Validate(); err != nil {
		t.Error(err)
	}
	if _, err := OtherLaws(Figure1Config{}); err == nil {
		t.Error("empty config: must be refused")
	}
}

// The order of the laws is counted, not said.
func TestOtherLawsFindings(t *testing.T) {
	cfg := small(t)
	r := LawsResult{Config: cfg, Base: 2, Laws: []law.Law{law.Poisson{MeanRepeats: 15}, law.TNB{Eta: 1, Gamma: 0.1}, law.TNB{Gamma: 0.1}},
		Least: [][]float64{{2, 3}, {3, 4}, {4, 3.5}}}
	said := strings.Join(r.Findings(), "\n")
	for _, want := range []string{
		"Poisson law, mean 15: tuning and training cost 1.00 to 1.50 times one training (ε = 2.000); the least of the laws at 2, the most at 0 of 2 q.",
		"Geometric law, mean 15: tuning and training cost 1.50 to 2.00 times one training (ε = 2.000); the least of the laws at 0, the most at 1 of 2 q.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("want %q in\n%s", want, said)
		}
	}
}
