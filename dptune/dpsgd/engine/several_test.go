package engine_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// plansOfManySteps are plans that together have all that a step may take from the host.
func plansOfManySteps(t *testing.T) map[string]func() dpsgd.Plan {
	m, _, plan := long(t)
	momentum := several(3)
	for r := range momentum {
		momentum[r].Steps, momentum[r].Sampling = 30, dpsgd.Poisson{Rate: 0.3}
	}
	return map[string]func() dpsgd.Plan{
		"example of own batches, adam, probes": func() dpsgd.Plan { return plan },
		"example of shared batches, momentum": func() dpsgd.Plan {
			return dpsgd.Plan{Replicas: momentum, SharedBatches: true, Canary: &dpsgd.Canary{Example: odd(), In: []bool{true, false, true}}}
		},
		"gradients of each step": func() dpsgd.Plan {
			return dpsgd.Plan{Replicas: momentum, Canary: &dpsgd.Canary{In: []bool{true, false, true}, GradientAt: func(step, replica int) []float64 {
				gradient := make([]float64, m.Size())
				gradient[step%5] = 0.1 * float64(1+replica)
				return gradient
			}}}
		},
		"not private": func() dpsgd.Plan {
			c := clipOnly(0.5)
			c.Steps, c.Sampling, c.LearningRate = 30, dpsgd.Poisson{Rate: 0.3}, 0.1
			return dpsgd.Plan{Replicas: []dpsgd.Config{c, c, c}}
		},
	}
}

// Steps that run in one call are those that run by themselves, up to rounding, and however
// many go together, to the last bit. Some batches have two microbatches, which no call mixes
// with others.
func TestStepsPerCallGiveTheSameResult(t *testing.T) {
	if engine.DefaultBackend() == "go" {
		t.Skip("one step for each call on go")
	}
	m, d, _ := long(t)
	for name, plan := range plansOfManySteps(t) {
		run := func(steps int) *engine.Results {
			perf := engine.Performance{Precision: engine.Float64, Microbatch: 14, StepsPerCall: steps}
			return train(t, m, d, plan(), perf, "several steps")
		}
		alone, together := run(1), run(8)
		for r, want := range alone.Parameters.Values {
			if off := distance(together.Parameters.Values[r], want); !(off <= 1e-12*length(want)) {
				t.Errorf("%s: replica %d of 8 steps a call is %.3g away from that of one, whose weights have norm %.3g", name, r, off, length(want))
			}
			for step := range alone.Probes[min(r, len(alone.Probes)):] {
				if off := distance(together.Probes[r][step], alone.Probes[r][step]); !(off <= 1e-12*(1+length(alone.Probes[r][step]))) {
					t.Errorf("%s: probes of replica %d at step %d are %.3g away", name, r, step, off)
				}
			}
		}
		same(t, name+": 32 steps a call", run(32), together)
	}
}

// Weights are handed out after the steps that were asked for and no others, and are those of
// a run that hands out all.
func TestWeightsAtSomeSteps(t *testing.T) {
	m, d, plan := long(t)
	observed := func(at func(int) bool) (map[string][]float64, *engine.Results) {
		seen, plan := map[string][]float64{}, plan
		plan.WeightsAt = at
		plan.Weights = func(step, replica int, weights []float64) {
			seen[fmt.Sprint(replica, " after ", step)] = append([]float64{}, weights...)
		}
		result := train(t, m, d, plan, engine.Performance{}, "observed")
		return seen, result
	}
	all, want := observed(nil)
	if len(all) != 3*30 {
		t.Fatalf("%d sets of weights of 3 replicas and 30 steps", len(all))
	}
	wanted := func(step int) bool { return step == 3 || step == 4 || step == 20 || step == 29 }
	some, got := observed(wanted)
	for step := range 30 {
		for r := range 3 {
			key := fmt.Sprint(r, " after ", step)
			if weights, ok := some[key]; ok != wanted(step) || ok && !reflect.DeepEqual(weights, all[key]) {
				t.Errorf("replica %s: handed out: %v, want %v and the same weights", key, ok, wanted(step))
			}
		}
	}
	same(t, "weights of some steps", got, want)
}

// A run that stops between the ends of calls resumes to the same bits, and a checkpoint ends
// a call.
func TestSeveralStepsResume(t *testing.T) {
	perf := engine.Performance{ReplicasPerCall: 3, Microbatch: 20}
	m, d, plan := long(t)
	want := train(t, m, d, plan, perf, "resumed")
	perf.Checkpoint = engine.Checkpoint{Dir: t.TempDir(), Every: 7}
	s := newStoppable(t, perf) // which observes every step
	for _, step := range []int{2, 10, 20} {
		s.stopAfter(t, step, 0)
	}
	same(t, "resumed", train(t, m, d, plan, perf, "resumed"), want)
}

func TestStepsPerCallDefault(t *testing.T) {
	d := blobs(20, 784, 10)
	for _, c := range []struct {
		widths []int
		want   int
	}{
		{[]int{784, 10}, 2},     // 7,850 parameters
		{[]int{784, 11, 10}, 1}, // 8,755
	} {
		want := c.want
		if engine.DefaultBackend() == "go" {
			want = 1
		}
		if got := trainer(t, mlp(t, c.widths...), d, private().Plan(), engine.Performance{}).Performance().StepsPerCall; got != want {
			t.Errorf("%v: %d steps a call, want %d", c.widths, got, want)
		}
	}
	_, err := engine.NewTrainer(mlp(t, 784, 10), d, private(), engine.Performance{StepsPerCall: math.MaxInt32})
	checkError(t, err, []string{"Performance.StepsPerCall 2147483647: must be in [0, 1024]"})
	_, err = engine.NewTrainer(mlp(t, 784, 10), d, private(), engine.Performance{Backend: "go", StepsPerCall: 2})
	checkError(t, err, []string{"Performance.StepsPerCall 2: must be 0 or 1 on the go backend"})
}
