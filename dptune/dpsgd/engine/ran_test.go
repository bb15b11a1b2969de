package engine_test

import (
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// A statement is about what ran, whatever the caller writes into the result: a changed field is an
// error, and not a smaller ε.
func TestStatementPricesWhatRan(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	first := func() *engine.Result { return train(t, m, d, private().Plan(), engine.Performance{}, "ran").Model(0) }
	want := must(first().Statement(1e-5, "one row"))(t).String()
	if !strings.HasPrefix(want, "No guarantee") {
		t.Fatalf("statement %q of a fixed root", want)
	}
	for want, change := range map[string]func(r *engine.Result){
		"engine: Result.Config was changed after the run: must be the config that ran ": func(r *engine.Result) { r.Config.NoiseMultiplier = 20 },
		"engine: Result.Config was changed after the run: must be the config that ran":  func(r *engine.Result) { r.Config.Sampling = dpsgd.Poisson{Rate: 1e-6} },
		"engine: Result.Steps 1: must be 5, as in the run":                              func(r *engine.Result) { r.Steps = 1 },
		"engine: Result.Steps 0: must be 5, as in the run":                              func(r *engine.Result) { r.Steps = 0 },
		"engine: Result.Seeded false: must be true, as in the run":                      func(r *engine.Result) { r.Seeded = false },
		"engine: Result.Generator ChaCha20: must be AES-256, as in the run":             func(r *engine.Result) { r.Generator = dpsgd.ChaCha20 },
		"engine: Result.Backend other: must be ":                                        func(r *engine.Result) { r.Backend = "other" },
		"engine: Result was not returned by a run: must be": func(r *engine.Result) {
			*r = engine.Result{Config: r.Config, Steps: r.Steps, Parameters: r.Parameters}
		},
	} {
		r := first()
		change(r)
		s, err := r.Statement(1e-5, "one row")
		checkError(t, err, []string{strings.TrimSpace(want)})
		if !strings.HasPrefix(s.String(), "No guarantee") {
			t.Errorf("%s: statement %q next to the error", want, s)
		}
	}
	all := train(t, m, d, private().Plan(), engine.Performance{}, "ran")
	all.Seeded = false
	if s, err := all.Model(0).Statement(1e-5, "one row"); err == nil {
		t.Errorf("Results.Seeded changed before Model: statement %q", s)
	}
}

// What a config points to is kept too: its phases, its clip norms, its correlated noise.
func TestStatementKeepsWhatConfigsPointTo(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	phased, layered, correlated := private(), private(), private()
	phased.Phases = []dpsgd.Phase{{Steps: 2}, {Steps: 3, NoiseFactor: 2}}
	layered.Clipping = dpsgd.PerLayerClipping{Norms: []float64{0.4, 0.3}}
	correlated.Sampling = dpsgd.CyclicPoisson{Period: 2, Rate: 0.5}
	correlated.Noise = &dpsgd.CorrelatedNoise{Coefficients: []float64{0.8, 0.6}}
	for name, c := range map[string]struct {
		config dpsgd.Config
		change func(c dpsgd.Config)
	}{
		"phases": {phased, func(c dpsgd.Config) { c.Phases[1].NoiseFactor = 20 }},
		"norms":  {layered, func(c dpsgd.Config) { c.Clipping.(dpsgd.PerLayerClipping).Norms[0] /= 2 }},
		"noise":  {correlated, func(c dpsgd.Config) { c.Noise.Coefficients[1] = 0 }},
	} {
		r := train(t, m, d, c.config.Plan(), engine.Performance{}, "ran").Model(0)
		must(r.Statement(1e-5, "one row"))(t)
		c.change(r.Config)
		if s, err := r.Statement(1e-5, "one row"); err == nil {
			t.Errorf("%s, changed in place: statement %q", name, s)
		}
	}
}
