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

// A law of the reader's own: one run at a time, K = 1 for sure, is no search. It costs less than three of them, and one law has no rank.
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
	if title := r.Chart().Title; strings.Contains(title, "in the mean") {
		t.Errorf("title %q of laws with different means", title)
	}
	r.Laws, r.Least = r.Laws[:1], r.Least[:1]
	if said := strings.Join(r.Findings(), ""); !strings.HasPrefix(said, "Fixed law (K = 1): tuning and training") || strings.Contains(said, "the least") {
		t.Errorf("findings of one law: %s", said)
	}
	if _, err := OtherLaws(cfg, law.Fixed{}); err == nil || !strings.Contains(err.Error(), "laws[0]") {
		t.Errorf("a law that is not valid: error %v", err)
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
		"Geometric law, mean 10: tuning and training cost 1.50 to 2.00 times one training (ε = 2.000); the least of the laws at 0, the most at 1 of 2 q.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("want %q in\n%s", want, said)
		}
	}
}
