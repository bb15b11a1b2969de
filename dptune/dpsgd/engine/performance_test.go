package engine

import (
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// A batch of the mean size and two deviations fits into few microbatches of at most 512.
func TestDefaultMicrobatch(t *testing.T) {
	narrow := dpsgd.Model{Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 1)}}
	for _, c := range []struct {
		examples int
		rate     float64
		want     int
	}{
		{2560, 0.1, 288},  // 256 + 2 √230.4 = 286.4
		{100, 1, 104},     // all, rounded up to a multiple of 8
		{1024, 1, 512},    // two halves
		{60000, 0.1, 480}, // 6000 + 2 √5400 = 6147 = 13 x 472.8
		{0, 0.5, 8},       // no data at all
		{1000, 1e-9, 8},   // hardly any
		{4, 1, 8},
		{1 << 30, 0.5, 512}, // a million parts
	} {
		got := Performance{}.defaultMicrobatch(narrow, dpsgd.Poisson{Rate: c.rate}.LikelyBatch(c.examples))
		if got != c.want {
			t.Errorf("%d examples, rate %g: %d, want %d", c.examples, c.rate, got, c.want)
		}
	}
	if got := (Performance{}).defaultMicrobatch(narrow, dpsgd.FixedBatches{Period: 51}.LikelyBatch(20400)); got != 400 {
		t.Errorf("fixed batches of 400: %d, want 400", got)
	}
	wide := dpsgd.Model{Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 2000)}} // 6000 values an example
	for backend, want := range map[string]int{backend.Go: 200, "another": 400} {
		if got := (Performance{Backend: backend}).defaultMicrobatch(wide, 400); got != want {
			t.Errorf("wide model on %s: %d, want %d", backend, got, want)
		}
	}
	// 60,000 and 6 million values an example. A microbatch holds 2^22 values, but at least 8
	// examples.
	for outputs, want := range map[int]int{20_000: 64, 2_000_000: 8} {
		huge := dpsgd.Model{Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, outputs)}}
		if got := (Performance{Backend: backend.Go}).defaultMicrobatch(huge, 256); got != want {
			t.Errorf("%d outputs: %d, want %d", outputs, got, want)
		}
	}
}

// Canaries count only for replicas that have them. No model has more than half of 1,000 canaries at
// rate 0.1, so batches of 50 + 2 √45 = 63.4 are padded to 64. A batch of all would be padded to
// 120.
func TestDefaultMicrobatchOfCanaries(t *testing.T) {
	model := dpsgd.Model{Name: "narrow", Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 1)}}
	for _, scheme := range []struct {
		sampling   dpsgd.Sampling
		half, full int
	}{
		{dpsgd.Poisson{Rate: 0.1}, 64, 120},       // 100 + 2 √90 = 118.97
		{dpsgd.FixedBatches{Period: 10}, 56, 104}, // 50, 100
		{dpsgd.FullBatch{}, 504, 504},             // 500 and, of 1000, two halves
	} {
		plan := dpsgd.Plan{Canaries: &dpsgd.Canaries{Examples: make([]dpsgd.Example, 1000)}}
		for r := range 2 {
			plan.Replicas = append(plan.Replicas, dpsgd.Config{Sampling: scheme.sampling})
			in := make([]bool, 1000)
			for i := range 500 {
				in[2*i+r] = true
			}
			plan.Canaries.In = append(plan.Canaries.In, in)
		}
		if got := (Performance{Backend: backend.Go}).forRun(model, 0, prepared{Plan: plan}).Microbatch; got != scheme.half {
			t.Errorf("%v: microbatches of %d, want %d", scheme.sampling, got, scheme.half)
		}
		plan.Canaries.In[1] = slices.Repeat([]bool{true}, 1000)
		if got := (Performance{Backend: backend.Go}).forRun(model, 0, prepared{Plan: plan}).Microbatch; got != scheme.full {
			t.Errorf("%v, one with all: microbatches of %d, want %d", scheme.sampling, got, scheme.full)
		}
	}
}

// A Performance without a backend, or with auto, gets the name of the actual one.
func TestDefaultsNameTheBackend(t *testing.T) {
	for _, name := range []string{"", backend.Auto} {
		p := Performance{Backend: name}.withDefaults(dpsgd.Model{Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 1)}}, 1, 1)
		if _, err := backend.Open(p.Backend); err != nil || p.Backend == name {
			t.Errorf("%q became %q, %v: want a backend that opens", name, p.Backend, err)
		}
	}
}
