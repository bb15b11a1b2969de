package dpsgd_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
)

// moves is an optimizer one number at a time, as the papers write it.
func moves(c dpsgd.Config, schedule func(int) float64, initial []float64, sum func(w []float64) []float64) []float64 {
	w, first, second := slices.Clone(initial), make([]float64, len(initial)), make([]float64, len(initial))
	o := c.Optimizer
	for t := 1; t <= c.Steps; t++ {
		s, eta := sum(w), c.LearningRate*schedule(t-1)
		for i := range w {
			w[i] -= eta * o.WeightDecay * w[i]
			if o.Rule == dpsgd.SGD {
				first[i] = c.Momentum*first[i] + s[i]
				w[i] -= eta * first[i] / c.ExpectedBatchSize
				continue
			}
			g := s[i] / c.ExpectedBatchSize
			first[i] = o.Beta1*first[i] + (1-o.Beta1)*g
			second[i] = o.Beta2*second[i] + (1-o.Beta2)*g*g
			mean := first[i] / (1 - math.Pow(o.Beta1, float64(t)))
			square := second[i] / (1 - math.Pow(o.Beta2, float64(t)))
			w[i] -= eta * mean / (math.Sqrt(square) + o.Epsilon)
		}
	}
	return w
}

// Every optimizer, each replica with its own numbers, equals its twin.
func TestOptimizersEqualTheirTwins(t *testing.T) {
	widths := []int{6, 5, 3}
	m, d := mlp(t, widths...), blobs(12, 6, 3)
	initial := randomWeights(m, 0.5)
	adam := dpsgd.Optimizer{Rule: dpsgd.Adam, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	other := dpsgd.Optimizer{Rule: dpsgd.Adam, Beta1: 0.5, Beta2: 0.8, Epsilon: 0.1, WeightDecay: 0.3}
	for name, optimizers := range map[string][]dpsgd.Optimizer{
		"adam":           {adam},
		"adams":          {adam, other},
		"sgd with decay": {{}, {WeightDecay: 0.3}},
	} {
		plan := dpsgd.Plan{Initial: &initial, Schedule: dpsgd.Warmup(3, dpsgd.Cosine(10))}
		for r, o := range optimizers {
			c := clipOnly(0.4)
			c.Steps, c.LearningRate, c.ExpectedBatchSize, c.Optimizer = 9, 0.2/float64(1+r), 10, o
			if o.Rule == dpsgd.SGD {
				c.Momentum = 0.5 * float64(r)
			}
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
		return train(t, m, d, c.Plan(), dpsgd.Performance{}, "defaults").Parameters.Values[0]
	}
	given := run(dpsgd.Optimizer{Rule: dpsgd.Adam, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
	if !sameBits(run(dpsgd.Optimizer{Rule: dpsgd.Adam}), given) {
		t.Error("Adam without numbers differs from Adam with 0.9, 0.999, 1e-8")
	}
}

// The first step of Adam moves each coordinate by η, whatever the noise multiplies.
func TestFirstStepOfAdamIsTheLearningRate(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	initial := randomWeights(m, 0.5)
	c := private()
	c.Steps, c.LearningRate, c.Optimizer.Rule = 1, 0.25, dpsgd.Adam
	plan := c.Plan()
	plan.Initial = &initial
	for i, w := range train(t, m, d, plan, dpsgd.Performance{Precision: dpsgd.Float64}, "first").Parameters.Values[0] {
		if moved := math.Abs(w - initial.Values[0][i]); math.Abs(moved-0.25) > 1e-4 { // ε over |g|
			t.Errorf("weight %d moved by %g, want 0.25", i, moved)
		}
	}
}

func TestSchedules(t *testing.T) {
	for name, c := range map[string]struct {
		schedule dpsgd.Schedule
		want     []float64
	}{
		"constant": {dpsgd.Constant(), []float64{1, 1, 1}},
		"cosine":   {dpsgd.Cosine(4), []float64{1, (2 + math.Sqrt2) / 4, 0.5, (2 - math.Sqrt2) / 4, 0, 0}},
		"steps":    {dpsgd.StepDecay(2, 0.1), []float64{1, 1, 0.1, 0.1, 0.01}},
		"no steps": {dpsgd.StepDecay(0, 0.1), []float64{1, 1}},
		"warm-up":  {dpsgd.Warmup(3, dpsgd.StepDecay(1, 0.5)), []float64{0.25, 0.5, 0.75, 1, 0.5, 0.25}},
		"nil":      {dpsgd.Warmup(1, nil), []float64{0.5, 1, 1}},
	} {
		for step, want := range c.want {
			if got := c.schedule(step); math.Abs(got-want) > 1e-15 {
				t.Errorf("%s: %g at step %d, want %g", name, got, step, want)
			}
		}
	}
}

func TestOptimizerIsValidated(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		optimizer dpsgd.Optimizer
		want      []string
	}{
		{dpsgd.Optimizer{Rule: dpsgd.Adam}, nil},
		{dpsgd.Optimizer{Rule: 7}, []string{"Optimizer.Rule UpdateRule(7)"}},
		{dpsgd.Optimizer{Beta1: 0.9, Beta2: 0.8, Epsilon: 1}, []string{"Optimizer.Beta1 0.9", "Optimizer.Beta2 0.8", "Optimizer.Epsilon 1", "unless the rule is Adam"}},
		{dpsgd.Optimizer{Rule: dpsgd.Adam, Beta1: 1, Beta2: -1, Epsilon: nan}, []string{"Optimizer.Beta1 1", "Optimizer.Beta2 -1", "Optimizer.Epsilon NaN"}},
		{dpsgd.Optimizer{WeightDecay: nan}, []string{"Optimizer.WeightDecay NaN"}},
		{dpsgd.Optimizer{WeightDecay: 2.5}, []string{"Optimizer.WeightDecay 2.5: must be less than 1/LearningRate, 2.5"}},
	} {
		config := private()
		config.Optimizer = c.optimizer
		checkError(t, config.Validate(), c.want)
	}
	config := private()
	config.Momentum, config.Optimizer.Rule = 0.9, dpsgd.Adam
	checkError(t, config.Validate(), []string{"Momentum 0.9: must be 0 when Optimizer.Rule is Adam"})
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{private(), private()}}
	plan.Replicas[1].Optimizer.Rule = dpsgd.Adam
	checkError(t, plan.Validate(8), []string{"Plan.Replicas[1].Optimizer.Rule Adam: must be SGD"})
}
