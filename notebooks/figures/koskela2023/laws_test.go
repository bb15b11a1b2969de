package koskela2023

import "testing"

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
