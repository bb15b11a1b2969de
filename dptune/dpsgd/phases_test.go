package dpsgd

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
)

func phased() Config {
	return Config{
		ClipNorm: 2, NoiseMultiplier: 1.5, Sampling: Poisson{Rate: 0.1}, Steps: 60, ExpectedBatchSize: 10, LearningRate: 1,
		Phases: []Phase{{Steps: 10, NoiseFactor: 2}, {Steps: 20, SamplingRate: 0.2}, {Steps: 30}},
	}
}

// The event of phases is that of their runs one after the other, cut where the steps end.
func TestEventOfPhases(t *testing.T) {
	c := phased()
	sampled := func(q, sigma float64, count int) accounting.Event {
		return accounting.SelfComposed{Count: count, Event: accounting.PoissonSampled{SamplingRate: q, Event: accounting.ClippedSum{NoiseMultiplier: sigma}}}
	}
	for steps, want := range map[int]accounting.Event{
		60: accounting.Composed{Events: []accounting.Event{sampled(0.1, 3, 10), sampled(0.2, 1.5, 20), sampled(0.1, 1.5, 30)}},
		11: accounting.Composed{Events: []accounting.Event{sampled(0.1, 3, 10), sampled(0.2, 1.5, 1)}},
		10: sampled(0.1, 3, 10),
		0:  accounting.SelfComposed{},
	} {
		if got := c.EventAfter(steps); !reflect.DeepEqual(got, want) {
			t.Errorf("after %d steps: %v, want %v", steps, got, want)
		}
	}
	plan := c.Plan()
	plan.Canary = &Canary{In: []bool{true}, At: func(step int) bool { return step%15 == 0 }} // 0; 15; 30, 45
	want := accounting.Composed{Events: []accounting.Event{sampled(0.1, 3, 1), sampled(0.2, 1.5, 1), sampled(0.1, 1.5, 2)}}
	if got := plan.CanaryEvent(0); !reflect.DeepEqual(got, want) {
		t.Errorf("of a canary: %v, want %v", got, want)
	}
	for step, want := range map[int][3]float64{0: {6, 0.1, 10}, 9: {6, 0.1, 10}, 10: {3, 0.2, 20}, 29: {3, 0.2, 20}, 30: {3, 0.1, 10}, 59: {3, 0.1, 10}} {
		at := c.At(step)
		if got := [3]float64{at.NoiseStdDev(), at.Sampling.Share(), at.ExpectedBatchSize}; got != want {
			t.Errorf("step %d: σC, q and B are %v, want %v", step, got, want)
		}
	}
	c.NonPrivate = true
	if (c.Event() != accounting.NonPrivate{}) {
		t.Errorf("without noise: event %v", c.Event())
	}
}

// Phases that do not differ are the run without phases, at every price. Calibrated as a whole they
// meet the target, with their noise in proportion. The truncated parts add up.
func TestPhasesAreOneRun(t *testing.T) {
	a, m := rdp.NewAccountant(), ofSize(10_000)
	c := phased()
	same := c
	same.Phases = []Phase{{Steps: 25, NoiseFactor: 1, SamplingRate: 0.1}, {Steps: 35}}
	whole := same
	whole.Phases = nil
	one, err := same.Statement(m, 1e-5, "one row", a)
	two, err2 := whole.Statement(m, 1e-5, "one row", a)
	if err != nil || err2 != nil || math.Abs(one.Guarantee.Epsilon.Upper/two.Guarantee.Epsilon.Upper-1) > 1e-9 {
		t.Errorf("ε %v in equal phases, want %v (errors %v, %v)", one.Guarantee.Epsilon, two.Guarantee.Epsilon, err, err2)
	}
	if got, want := same.TruncationDelta(m, accounting.AddOrRemoveOne), whole.TruncationDelta(m, accounting.AddOrRemoveOne); math.Abs(got/want-1) > 1e-9 || got < want {
		t.Errorf("truncation δ %g in equal phases, want %g, not less", got, want)
	}
	target := accounting.Target{Epsilon: 2, Delta: 1e-5}
	got, err := c.Calibrate(m, target, a)
	if err != nil {
		t.Fatal(err)
	}
	s, err := got.Statement(m, 1e-5, "one row", a)
	if err != nil || s.Guarantee.Epsilon.Upper > 2 || s.Guarantee.Epsilon.Upper < 1.99 {
		t.Errorf("calibrated to 2: ε %v, error %v", s.Guarantee.Epsilon, err)
	}
	if !reflect.DeepEqual(got.Phases, c.Phases) || got.NoiseMultiplier == c.NoiseMultiplier {
		t.Errorf("calibrated: %+v", got)
	}
	stopped, err := Training{Config: c, Steps: 15, Model: m, Backend: "go"}.Statement(1e-5, "one row", a)
	if err != nil || stopped.Mechanism != c.EventAfter(15).String() {
		t.Errorf("stopped after 15 steps: %s, error %v, want %v", stopped.Mechanism, err, c.EventAfter(15))
	}
}

// A config with phases is read as it was written. Without phases nothing is written.
func TestPhasesAsJSON(t *testing.T) {
	c := phased()
	text, err := json.Marshal(c)
	var read Config
	if err != nil || json.Unmarshal(text, &read) != nil || !reflect.DeepEqual(read, c) {
		t.Errorf("%s is read as %+v (error %v)", text, read, err)
	}
	c.Phases = nil
	if text, err = json.Marshal(c); err != nil || strings.Contains(string(text), "Phases") {
		t.Errorf("%s, error %v: must have no phases", text, err)
	}
}

// Every fault of phases is named. What is not valid has no valid event, and takes all of δ or ε.
func TestPhasesAreValidated(t *testing.T) {
	nan := math.NaN()
	for want, change := range map[string]func(c *Config){
		"": func(*Config) {},
		"Phases have 59 steps: must have 60, as Steps": func(c *Config) { c.Phases[2].Steps = 29 },
		"Phases[1].Steps 0: must be >= 1":              func(c *Config) { c.Phases[1].Steps = 0 },
		"Phases[0].NoiseFactor -1: must be":            func(c *Config) { c.Phases[0].NoiseFactor = -1 },
		"Phases[0].NoiseFactor NaN":                    func(c *Config) { c.Phases[0].NoiseFactor = nan },
		"Phases[0].NoiseFactor: noise times ClipNorm":  func(c *Config) { c.Phases[0].NoiseFactor = 1e-19 },
		"Phases[1].SamplingRate 1.5: must be":          func(c *Config) { c.Phases[1].SamplingRate = 1.5 },
		"Phases[1].SamplingRate 0.2: must be 0 unless": func(c *Config) { c.Sampling = FullBatch{} },
		"Phases are given with FixedBatches":           func(c *Config) { c.Sampling = FixedBatches{Period: 3} },
		"Phases are given with correlated Noise": func(c *Config) {
			c.Sampling, c.Noise = FullBatch{}, &CorrelatedNoise{Coefficients: []float64{1}}
		},
	} {
		c := phased()
		change(&c)
		err := c.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), "dpsgd: Config."+want)) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if event := c.Event(); want != "" && event.Validate() == nil {
			t.Errorf("%s: a valid event, %v", want, event)
		}
	}
	c := phased()
	c.NonPrivate, c.NoiseMultiplier = true, 0
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "Phases[0].NoiseFactor 2: must be 0 when NonPrivate is set") {
		t.Errorf("error %v", err)
	}
	c = phased()
	c.UnitsPerClip, c.NoiseMultiplier, c.Phases[0].NoiseFactor = 1<<16, 1, 1e12
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "Phases[0].NoiseFactor: noise times UnitsPerClip") {
		t.Errorf("error %v", err)
	}
	plan := Plan{Replicas: []Config{phased(), phased()}, SharedBatches: true}
	plan.Replicas[1].Phases = []Phase{{Steps: 60}}
	if err := plan.Validate(8); err == nil || !strings.Contains(err.Error(), "Plan.Replicas[1].Phases") {
		t.Errorf("error %v", err)
	}
	if fmt.Sprint(phased().first(60)) != fmt.Sprint(phased()) {
		t.Error("the first 60 of 60 steps are another config")
	}
}
