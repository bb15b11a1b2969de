package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// moves is an optimizer one number at a time, as the papers write it.
func moves(c dpsgd.Config, schedule func(int) float64, initial []float64, sum func(w []float64) []float64) []float64 {
	w, first, second := slices.Clone(initial), make([]float64, len(initial)), make([]float64, len(initial))
	for t := 1; t <= c.Steps; t++ {
		s, eta := sum(w), c.LearningRate*schedule(t-1)
		for i := range w {
			w[i] -= eta * c.WeightDecay * w[i]
			g := s[i] / c.ExpectedBatchSize
			switch o := c.Optimizer.(type) {
			case dpsgd.SGD:
				first[i] = o.Momentum*first[i] + g
				w[i] -= eta * first[i]
			case dpsgd.Adam:
				first[i] = o.Beta1*first[i] + (1-o.Beta1)*g
				second[i] = o.Beta2*second[i] + (1-o.Beta2)*g*g
				mean := first[i] / (1 - math.Pow(o.Beta1, float64(t)))
				square := second[i] / (1 - math.Pow(o.Beta2, float64(t)))
				w[i] -= eta * mean / (math.Sqrt(square) + o.Epsilon)
			case dpsgd.AdamBC:
				first[i] = o.Beta1*first[i] + (1-o.Beta1)*g
				second[i] = o.Beta2*second[i] + (1-o.Beta2)*g*g
				noise := c.NoiseMultiplier * c.ClipNorm / c.ExpectedBatchSize
				mean := first[i] / (1 - math.Pow(o.Beta1, float64(t)))
				square := second[i]/(1-math.Pow(o.Beta2, float64(t))) - noise*noise
				w[i] -= eta * mean / math.Sqrt(math.Max(square, o.Floor))
			case rmsProp:
				second[i] = o.Decay*second[i] + (1-o.Decay)*g*g
				w[i] -= eta * g / (math.Sqrt(second[i]) + o.Epsilon)
			}
		}
	}
	return w
}

// Every optimizer, each replica with its own numbers, equals its twin.
func TestOptimizersEqualTheirTwins(t *testing.T) {
	widths := []int{6, 5, 3}
	m, d := mlp(t, widths...), blobs(12, 6, 3)
	initial := randomWeights(m, 0.5)
	type rule struct {
		dpsgd.Optimizer
		decay float64
	}
	adam := rule{dpsgd.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, 0}
	other := rule{dpsgd.Adam{Beta1: 0.5, Beta2: 0.8, Epsilon: 0.1}, 0.3}
	for name, rules := range map[string][]rule{
		"adam":                 {adam},
		"adams":                {adam, other},
		"adams without bias":   {{dpsgd.AdamBC{Beta1: 0.9, Beta2: 0.999, Floor: 1e-6}, 0}, {dpsgd.AdamBC{Beta1: 0.5, Beta2: 0.8, Floor: 0.1}, 0.3}},
		"sgd with decay":       {{dpsgd.SGD{}, 0}, {dpsgd.SGD{Momentum: 0.5}, 0.3}},
		"RMSProp, and another": {{rmsProp{0.9, 1e-2}, 0}, {rmsProp{0.5, 0.1}, 0.3}},
	} {
		plan := dpsgd.Plan{Initial: &initial, Schedule: dpsgd.Warmup(3, dpsgd.Cosine(10))}
		for r, o := range rules {
			c := clipOnly(0.4)
			c.Steps, c.LearningRate, c.ExpectedBatchSize, c.Optimizer, c.WeightDecay = 9, 0.2/float64(1+r), 10, o.Optimizer, o.decay
			plan.Replicas = append(plan.Replicas, c)
		}
		for precision, p := range precisions {
			got := train(t, m, d, plan, p.perf, name).Parameters.Values
			for r, c := range plan.Replicas {
				want := moves(c, plan.Schedule, initial.Values[0], func(w []float64) []float64 {
					return twin{widths}.clippedSum(w, d, rangeOf(12), 0.4)
				})
				if distance(initial.Values[0], want) < 0.05*length(want) {
					t.Fatal("the twin hardly moved: the comparison says nothing")
				}
				// 9 steps; and g/√g² of coordinates whose gradient is nearly zero is noise.
				checkClose(t, fmt.Sprintf("%s, %s, replica %d", name, precision, r), got[r], want, 100*p.relative)
			}
		}
	}
}

// What is not given to Adam is what its paper gives.
func TestAdamDefaults(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	run := func(o dpsgd.Optimizer) []float64 {
		c := private()
		c.Optimizer = o
		return train(t, m, d, c.Plan(), engine.Performance{}, "defaults").Parameters.Values[0]
	}
	given := run(dpsgd.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
	if !sameBits(run(dpsgd.Adam{}), given) {
		t.Error("Adam without numbers differs from Adam with 0.9, 0.999, 1e-8")
	}
}

// The first step of Adam moves each coordinate by η, whatever the noise multiplies.
func TestFirstStepOfAdamIsTheLearningRate(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	initial := randomWeights(m, 0.5)
	c := private()
	c.Steps, c.LearningRate, c.Optimizer = 1, 0.25, dpsgd.Adam{}
	plan := c.Plan()
	plan.Initial = &initial
	for i, w := range train(t, m, d, plan, engine.Performance{Precision: engine.Float64}, "first").Parameters.Values[0] {
		if moved := math.Abs(w - initial.Values[0][i]); math.Abs(moved-0.25) > 1e-4 { // ε over |g|
			t.Errorf("weight %d moved by %g, want 0.25", i, moved)
		}
	}
}

func TestOptimizerIsValidated(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		optimizer dpsgd.Optimizer
		decay     float64
		want      []string
	}{
		{dpsgd.Adam{}, 0, nil},
		{dpsgd.SGD{Momentum: 0.99}, 2, nil},
		{dpsgd.SGD{Momentum: nan}, 0, []string{"Optimizer: SGD.Momentum NaN: must be in [0, 1)"}},
		{dpsgd.AdamBC{}, 0, nil},
		{dpsgd.AdamBC{Beta1: nan, Beta2: 1, Floor: -1}, 0, []string{"Optimizer: AdamBC.Beta1 NaN", "AdamBC.Beta2 1", "AdamBC.Floor -1"}},
		{dpsgd.Adam{Beta1: 1, Beta2: -1, Epsilon: nan}, 0, []string{"Optimizer: Adam.Beta1 1", "Adam.Beta2 -1", "Adam.Epsilon NaN"}},
		{rmsProp{Decay: 2}, 0, []string{"dpsgd: Config.Optimizer: rmsProp.Decay 2"}},
		{wrong{slots: -1}, 0, []string{"Optimizer wrong: Slots -1: must be >= 0"}},
		{nil, nan, []string{"WeightDecay NaN"}},
		{nil, 2.5, []string{"WeightDecay 2.5: must be less than 1/LearningRate, 2.5"}},
	} {
		config := private()
		config.Optimizer, config.WeightDecay = c.optimizer, c.decay
		checkError(t, config.Validate(), c.want)
	}
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{private(), private()}}
	plan.Replicas[1].Optimizer = dpsgd.Adam{}
	checkError(t, plan.Validate(8), []string{"Plan.Replicas[1].Optimizer dpsgd.Adam: must be dpsgd.SGD"})
}
