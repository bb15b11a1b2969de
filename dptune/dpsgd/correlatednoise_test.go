package dpsgd_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
)

// correlated returns a config of correlated noise.
func correlated(t *testing.T, steps, bands int, sampling dpsgd.Sampling) dpsgd.Config {
	t.Helper()
	noise, err := dpsgd.OptimalNoise(steps, bands)
	if err != nil {
		t.Fatal(err)
	}
	c := private()
	c.Steps, c.Sampling, c.Noise = steps, sampling, noise
	return c
}

func TestCorrelatedNoiseIsValidated(t *testing.T) {
	root, err := dpsgd.InverseRootNoise(3)
	if err != nil {
		t.Fatal(err)
	}
	of := func(c ...float64) *dpsgd.CorrelatedNoise { return &dpsgd.CorrelatedNoise{Coefficients: c} }
	for _, c := range []struct {
		noise    *dpsgd.CorrelatedNoise
		sampling dpsgd.Sampling
		want     []string
	}{
		{nil, dpsgd.Poisson{Rate: 0.1}, nil},
		{of(1), dpsgd.CyclicPoisson{Period: 1, Rate: 0.1}, nil},
		{of(0.8, 0.6), dpsgd.CyclicPoisson{Period: 2, Rate: 0.1}, nil},
		{of(0.8, 0.6), dpsgd.FullBatch{}, nil},
		{of(0.8, -0.6), dpsgd.FixedBatches{Period: 1}, nil},
		{root, dpsgd.FixedBatches{Period: 2}, nil},
		{of(0.8, 0.6), dpsgd.Poisson{Rate: 0.1}, []string{"Config.Noise CorrelatedNoise(2 bands): must be nil with Poisson(q 0.1)", "CyclicPoisson, CyclicAllocation, FixedBatches and FullBatch only"}},
		{of(0.8, 0.6), dpsgd.CyclicPoisson{Period: 1, Rate: 0.1}, []string{"Config.Noise CorrelatedNoise(2 bands): must have at most 1 bands, the period of CyclicPoisson(period 1, q 0.1)"}},
		{of(0.8, 0.6), dpsgd.CyclicAllocation{Period: 2, Turns: 3}, nil},
		{of(0.8, 0.6), dpsgd.CyclicAllocation{Period: 1, Turns: 3}, []string{"must have at most 1 bands, the period of CyclicAllocation(period 1, 1 of 3 turns)"}},
		{root, dpsgd.CyclicAllocation{Period: 5, Turns: 3}, []string{"must have Inverse false with CyclicAllocation"}},
		{root, dpsgd.CyclicPoisson{Period: 5, Rate: 0.1}, []string{"Config.Noise CorrelatedNoise(3 bands of the inverse): must have Inverse false with CyclicPoisson"}},
		{of(1, 0.5), dpsgd.FullBatch{}, []string{"Config.Noise: norm of Coefficients 1.118", "must be 1 (divide them by their norm"}},
		{of(), dpsgd.FullBatch{}, []string{"Config.Noise: length of Coefficients 0: must be in [1, 4096]"}},
		{of(0.6, math.NaN()), dpsgd.FullBatch{}, []string{"Coefficients[1] NaN: must be finite"}},
		{of(-0.8, 0.6), dpsgd.FullBatch{}, []string{"Coefficients[0] -0.8: must be > 0"}},
		{of(0.01, math.Sqrt(1-1e-4)), dpsgd.FullBatch{}, []string{"must be at most 1e6"}},
		{&dpsgd.CorrelatedNoise{Coefficients: []float64{1, 0.1}, Inverse: true}, dpsgd.FullBatch{}, []string{"Coefficients[1] 0.1: must be <= 0 with Inverse"}},
		{&dpsgd.CorrelatedNoise{Coefficients: []float64{1, -1.1}, Inverse: true}, dpsgd.FullBatch{}, []string{"sum of Coefficients -0.1", "must be >= 0"}},
	} {
		config := private()
		config.Steps, config.Noise, config.Sampling = 20, c.noise, c.sampling
		checkError(t, config.Validate(), c.want)
		if valid := config.Event().Validate() == nil; valid != (len(c.want) == 0) {
			t.Errorf("%v with %v: the event is valid: %v, the config: %v", c.noise, c.sampling, valid, !valid)
		}
	}
	c := correlated(t, 20, 3, dpsgd.FullBatch{})
	c.NonPrivate, c.NoiseMultiplier = true, 0
	checkError(t, c.Validate(), []string{"Config.Noise CorrelatedNoise(3 bands): must be nil when NonPrivate is set"})
	c = correlated(t, 20, 3, dpsgd.FullBatch{})
	c.UnitsPerClip = 16
	checkError(t, c.Validate(), []string{"Config.Noise CorrelatedNoise(3 bands): must be nil when UnitsPerClip is set"})
	plan := correlated(t, 20, 3, dpsgd.FullBatch{}).Plan()
	plan.Replicas = append(plan.Replicas, correlated(t, 20, 4, dpsgd.FullBatch{}))
	checkError(t, plan.Validate(8), []string{"Plan.Replicas[1].Noise CorrelatedNoise(4 bands): must have as many bands"})
	_, err = dpsgd.OptimalNoise(5, 6)
	checkError(t, err, []string{"OptimalNoise: 6 bands: must be in [1, 5]"})
	_, err = dpsgd.InverseRootNoise(0)
	checkError(t, err, []string{"InverseRootNoise: bands 0: must be >= 1"})
}

// The prices of the specification: 2,000 steps of a hundredth of the data, σ = 2, δ = 1e-5.
func TestPricesOfCyclicPoisson(t *testing.T) {
	for _, want := range []struct {
		bands   int
		epsilon float64
	}{{1, 0.9000169606857771}, {10, 3.359659789287171}, {50, 8.339491416312658}} {
		c := correlated(t, 2000, want.bands, dpsgd.CyclicPoisson{Period: want.bands, Rate: 0.01 * float64(want.bands)})
		c.NoiseMultiplier = 2
		got, err := auto.Default().EpsilonAt(c.Event(), 1e-5)
		if err != nil || math.Abs(got.Epsilon.Upper/want.epsilon-1) > 1e-4 {
			t.Errorf("%d bands: ε %v, %v, want %v", want.bands, got.Epsilon.Upper, err, want.epsilon)
		}
	}
}

// multiplier returns the noise multiplier of a single release.
func multiplier(t *testing.T, e accounting.Event) float64 {
	t.Helper()
	one, single := e.(accounting.ClippedSum)
	if !single {
		t.Fatalf("event %v, want one release", e)
	}
	return one.NoiseMultiplier
}

// Without sampling, the steps of one example are one release. With no more bands than the period its
// price is that of independent noise; with more it is higher, and it rises with the steps.
func TestEventWithoutSampling(t *testing.T) {
	c := correlated(t, 100, 8, dpsgd.FixedBatches{Period: 10})
	if got, want := multiplier(t, c.Event()), 1.1/math.Sqrt(10); got > want || got < want*(1-1e-9) {
		t.Errorf("noise multiplier %v, want just below %v", got, want)
	}
	first := c.Noise.Coefficients[0] // of the second participation, only its own row is released
	if got, want := multiplier(t, c.EventAfter(11)), 1.1/math.Sqrt(1+first*first); got > want || got < want*(1-1e-9) {
		t.Errorf("after 11 steps: noise multiplier %v, want just below %v", got, want)
	}
	c.Sampling = dpsgd.FixedBatches{Period: 4}
	if got := multiplier(t, c.Event()); got >= 1.1/5 {
		t.Errorf("8 bands at period 4: noise multiplier %v, want less than σ/5: the columns overlap", got)
	}
	c.Sampling, c.Steps = dpsgd.FullBatch{}, 2
	c.Noise = &dpsgd.CorrelatedNoise{Coefficients: []float64{0.8, 0.6}}
	// C = [[0.8, 0], [0.6, 0.8]], columns (0.8, 0.6) and (0, 0.8): ‖(0.8, 1.4)‖² = 2.6
	if got, want := multiplier(t, c.Event()), 1.1/math.Sqrt(2.6); math.Abs(got/want-1) > 1e-12 || got > want {
		t.Errorf("two steps: noise multiplier %v, want %v", got, want)
	}
	c.Noise.Coefficients[1] = -0.6
	if got, want := multiplier(t, c.Event()), 1.1/math.Sqrt(2.6); math.Abs(got/want-1) > 1e-12 || got > want {
		t.Errorf("a negative coefficient: noise multiplier %v, want the bound %v", got, want)
	}
	// C⁻¹ = [[1, 0], [-½, 1]], so C = [[1, 0], [½, 1]]: ‖(1, 1.5)‖² = 3.25
	c.Noise = &dpsgd.CorrelatedNoise{Coefficients: []float64{1, -0.5}, Inverse: true}
	if got, want := multiplier(t, c.Event()), 1.1/math.Sqrt(3.25); math.Abs(got/want-1) > 1e-12 || got > want {
		t.Errorf("the inverse: noise multiplier %v, want %v", got, want)
	}
	if e := c.EventAfter(0); e.Validate() == nil {
		t.Errorf("no steps: event %v is valid", e)
	}
}

// A canary of chosen steps has the event of these steps, however close they are.
func TestCanaryEventOfCorrelatedNoise(t *testing.T) {
	plan := correlated(t, 10, 2, dpsgd.FixedBatches{Period: 5}).Plan()
	plan.Replicas[0].Noise = &dpsgd.CorrelatedNoise{Coefficients: []float64{0.8, 0.6}}
	plan.Canary = &dpsgd.Canary{Gradient: []float64{0.5}, In: []bool{true}}
	for _, c := range []struct {
		at     []int
		square float64
	}{{[]int{3}, 1}, {[]int{3, 4}, 0.64 + 1.96 + 0.36}, {[]int{3, 5}, 2}, {[]int{9}, 0.64}, {[]int{0, 5}, 2}} {
		plan.Canary.At = func(step int) bool { return slices.Contains(c.at, step) }
		got, want := multiplier(t, plan.CanaryEvent(0)), 1.1/max(1, math.Sqrt(c.square))
		if math.Abs(got/want-1) > 1e-12 {
			t.Errorf("steps %v: noise multiplier %v, want %v", c.at, got, want)
		}
	}
	plan.Canary.At = func(int) bool { return false }
	if e := plan.CanaryEvent(0); e.Validate() == nil {
		t.Errorf("no steps: event %v is valid", e)
	}
}

// Configs keep their noise as JSON. Those without have the text of older code, and the same hash.
func TestCorrelatedNoiseAsJSON(t *testing.T) {
	config := correlated(t, 20, 3, dpsgd.CyclicPoisson{Period: 4, Rate: 0.5})
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	var got dpsgd.Config
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, config) {
		t.Errorf("%s is read as %+v, %v", text, got, err)
	}
	config.Noise = nil
	if text, err = json.Marshal(config); err != nil || strings.Contains(string(text), `"Noise"`) {
		t.Errorf("independent noise is written as %s, %v", text, err)
	}
}

// The statement names the noise and what its price rests on. Calibrate meets a target with it.
func TestStatementOfCorrelatedNoise(t *testing.T) {
	m, err := models.MLP(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, sampling := range []dpsgd.Sampling{dpsgd.CyclicPoisson{Period: 4, Rate: 0.5}, dpsgd.FixedBatches{Period: 2}} {
		c, err := correlated(t, 40, 4, sampling).Calibrate(m, accounting.Target{Epsilon: 2, Delta: 1e-5})
		if err != nil {
			t.Fatal(sampling, err)
		}
		s, err := c.Statement(m, 1e-5, "one row")
		if err != nil || s.Guarantee.Epsilon.Upper > 2 || s.Guarantee.Epsilon.Upper < 1.99 {
			t.Errorf("%v: ε %v, %v, want 2", sampling, s.Guarantee.Epsilon.Upper, err)
		}
		const want = "the noise of a step is correlated with that of up to 3 steps before"
		has := func(text string) bool { return strings.HasPrefix(text, want) }
		if !slices.ContainsFunc(s.Assumptions, has) || !slices.ContainsFunc(c.Assumptions(), has) {
			t.Errorf("%v: assumptions %q, want one that begins %q", sampling, s.Assumptions, want)
		}
	}
}

// With overlapping columns, an example moves a row of C G + Z by more than the clip norm, and the
// truncation of the noise takes more of δ.
func TestTruncationOfCorrelatedNoise(t *testing.T) {
	m, err := models.MLP(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	c := correlated(t, 40, 4, dpsgd.FixedBatches{Period: 4})
	white := c
	white.Noise = nil
	if got, want := c.TruncationDelta(m, accounting.AddOrRemoveOne), white.TruncationDelta(m, accounting.AddOrRemoveOne); got != want {
		t.Errorf("disjoint columns: %v, want that of independent noise, %v", got, want)
	}
	c.Sampling = dpsgd.FullBatch{}
	if got, least := c.TruncationDelta(m, accounting.AddOrRemoveOne), white.TruncationDelta(m, accounting.AddOrRemoveOne); got <= least {
		t.Errorf("overlapping columns: %v, want more than %v", got, least)
	}
}

// Later changes of the coefficients do not reach a plan that was validated.
func TestCloneCopiesTheCoefficients(t *testing.T) {
	plan := correlated(t, 20, 3, dpsgd.FullBatch{}).Plan()
	clone := plan.Clone()
	plan.Replicas[0].Noise.Coefficients[0] = 7
	if clone.Replicas[0].Noise.Coefficients[0] == 7 {
		t.Error("the clone has the changed coefficient")
	}
}
