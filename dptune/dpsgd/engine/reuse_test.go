package engine_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// noiseOf returns the noise of every replica and step, coordinate by coordinate: what a run
// on no data releases.
func noiseOf(t *testing.T, plan dpsgd.Plan, perf engine.Performance, name string) [][][]float64 {
	t.Helper()
	m := mlp(t, 2, 2)
	plan.Probes = nil
	for i := range m.Size() {
		unit := make([]float64, m.Size())
		unit[i] = 1
		plan.Probes = append(plan.Probes, unit)
	}
	return train(t, m, blobs(0, 2, 2), plan, perf, name).Probes
}

// No number of noise is drawn twice, by any replica, step or root. The noise of a replica's step is
// the same if the run is cut, resumed or observed, and with a canary. So the two worlds of a game
// differ only by the canary.
func TestNoNoiseIsDrawnTwice(t *testing.T) {
	c := private()
	c.Steps, c.ClipNorm, c.NoiseMultiplier = 7, 1, 1
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{c, c, c}}
	want := noiseOf(t, plan, engine.Performance{Precision: engine.Float64}, "noise")
	seen := map[float64]string{}
	for name, noise := range map[string][][][]float64{"root noise": want, "another root": noiseOf(t, plan, engine.Performance{Precision: engine.Float64}, "another")} {
		for r := range noise {
			for step, values := range noise[r] {
				for i, v := range values {
					here := fmt.Sprintf("%s, replica %d, step %d, coordinate %d", name, r, step, i)
					if there, twice := seen[v]; twice { // by chance with 2^-29 for a pair, 4e4 pairs
						t.Errorf("%s and %s have the noise %g", there, here, v)
					}
					seen[v] = here
				}
			}
		}
	}
	dir := t.TempDir()
	crafted := plan
	crafted.Canary = &dpsgd.Canary{Gradient: make([]float64, 6), In: []bool{true, false, true}}
	rate := plan
	rate.Replicas = []dpsgd.Config{c, c, c}
	rate.Replicas[1].LearningRate, rate.Replicas[1].Sampling = 9, dpsgd.Poisson{Rate: 0.01}
	shared := plan
	shared.SharedBatches = true
	type run struct {
		plan dpsgd.Plan
		perf engine.Performance
	}
	runs := map[string]run{
		"one group":      {plan, engine.Performance{ReplicasPerCall: 3}},
		"three groups":   {plan, engine.Performance{ReplicasPerCall: 1, Goroutines: 2}},
		"microbatches":   {plan, engine.Performance{Microbatch: 1}},
		"canary":         {crafted, engine.Performance{}},
		"other numbers":  {rate, engine.Performance{}},
		"shared batches": {shared, engine.Performance{}},
		"saved":          {plan, engine.Performance{Checkpoint: engine.Checkpoint{Dir: dir}}},
		"materialized":   {dpsgd.Plan{Replicas: plan.Replicas, ClipMethod: dpsgd.Materialized}, engine.Performance{}},
	}
	if engine.DefaultBackend() != "go" { // where memory of one call serves the next
		for _, together := range []int{1, 2, 5} {
			runs[fmt.Sprintf("%d steps of a call", together)] = run{plan, engine.Performance{StepsPerCall: together}}
		}
		runs["microbatches of a call"] = run{plan, engine.Performance{StepsPerCall: 2, Microbatch: 1}}
	}
	for name, run := range runs {
		run.perf.Precision = engine.Float64
		if got := noiseOf(t, run.plan, run.perf, "noise"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the noise of a replica and step is not the same", name)
		}
	}
}

// One trainer serves concurrent runs, with and without parallel microbatches, each with the bits of
// a single run.
func TestOneTrainerRunsManyTimesAtOnce(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(80, 12, 4)
	for _, perf := range []engine.Performance{{}, {Microbatch: 8, Goroutines: 4}, {ReplicasPerCall: 1, Goroutines: 2}} {
		tr := trainer(t, m, d, dpsgd.Plan{Replicas: several(3)}, perf)
		results := make([]*engine.Results, 4)
		var running sync.WaitGroup
		for i := range results {
			running.Go(func() {
				result, err := tr.Run(context.Background(), streams.Fixed(fmt.Sprint("root ", i/2)))
				if err != nil {
					t.Error(err)
				}
				results[i] = result
			})
		}
		running.Wait()
		if t.Failed() {
			return
		}
		for i, result := range results {
			alone := must(tr.Run(t.Context(), streams.Fixed(fmt.Sprint("root ", i/2))))(t)
			if !reflect.DeepEqual(result.Parameters.Values, alone.Parameters.Values) {
				t.Errorf("%+v: run %d differs from the same run alone", perf, i)
			}
		}
	}
}

// A run that is stopped, or fails, leaves no goroutine behind.
func TestStoppedRunsLeaveNothingBehind(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(80, 12, 4)
	c := private()
	c.Steps = 1_000_000
	failing := c.Plan()
	gradient := make([]float64, m.Size())
	failing.Canary = &dpsgd.Canary{In: []bool{true}, GradientAt: func(step, _ int) []float64 {
		if step > 3 {
			return nil // of a wrong length
		}
		return gradient
	}}
	for name, perf := range map[string]engine.Performance{"one part": {}, "lanes": {Microbatch: 8, Goroutines: 4}, "groups": {ReplicasPerCall: 1, Microbatch: 8}} {
		stopped := trainer(t, m, d, dpsgd.Plan{Replicas: []dpsgd.Config{c, c}}, perf)
		broken := trainer(t, m, d, failing, perf)
		before := runtime.NumGoroutine()
		for range 5 {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			if _, err := stopped.Run(ctx, streams.Fixed("stopped")); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: error %v", name, err)
			}
			cancel()
			_, err := broken.Run(t.Context(), streams.Fixed("broken"))
			checkError(t, err, []string{"Plan.Canary.GradientAt(", "has length 0"})
		}
		for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
		}
		if after := runtime.NumGoroutine(); after > before {
			t.Errorf("%s: %d goroutines, before the runs %d", name, after, before)
		}
	}
}
