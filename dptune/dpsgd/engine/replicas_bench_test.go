package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// BenchmarkReplicas times whole private steps of many small models at once. It reports model-steps
// per second, and processor time and allocated bytes of one. Every example joins every step, so
// shapes are those of a fixed batch. Run it with GOEXPERIMENT=simd and GODEBUG=asyncpreemptoff=1 as
// well.
func BenchmarkReplicas(b *testing.B) {
	for _, c := range []struct {
		name       string
		widths     []int
		activation nn.Layer
		batch      int
		replicas   []int
	}{
		{"fcnn-8-6-2-relu", []int{8, 6, 2}, nn.ReLU(), 400, []int{1, 64, 512}},
		{"fcnn-8-6-2-tanh", []int{8, 6, 2}, nn.Tanh(), 400, []int{64}},
		{"mlp-784-120-120-10", []int{784, 120, 120, 10}, nn.Tanh(), 64, []int{1, 16, 64}},
	} {
		for _, replicas := range c.replicas {
			for _, shared := range []bool{false, true} {
				if shared && replicas == 1 {
					continue
				}
				name := fmt.Sprintf("%s/batch=%d/replicas=%d/shared=%v", c.name, c.batch, replicas, shared)
				b.Run(name, func(b *testing.B) {
					model := must(models.MLPWith(c.activation, c.widths...))(b)
					benchmarkReplicas(b, model, c.widths[len(c.widths)-1], c.batch, replicas, shared)
				})
			}
		}
	}
}

func benchmarkReplicas(b *testing.B, model dpsgd.Model, classes, batch, replicas int, shared bool) {
	const modelSteps = 256 // at least, and at least eight steps
	config := dpsgd.Config{
		Sampling: dpsgd.Poisson{Rate: 1}, Steps: max(8, modelSteps/replicas), ExpectedBatchSize: float64(batch), LearningRate: 0.1,
		ClipNorm: 1, NoiseMultiplier: 1,
	}
	plan := dpsgd.Plan{SharedBatches: shared}
	for range replicas {
		plan.Replicas = append(plan.Replicas, config)
	}
	trainer := trainer(b, model, blobs(batch, model.Input[0], classes), plan, engine.Performance{})
	run := func() (time.Duration, time.Duration, uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		cpu := cpuTime()
		result := must(trainer.Run(context.Background(), streams.Fixed("benchmark")))(b)
		cpu = cpuTime() - cpu
		runtime.ReadMemStats(&after)
		return result.Elapsed, cpu, after.TotalAlloc - before.TotalAlloc
	}
	run() // compiles
	best, bestCPU, bytes := run()
	for b.Loop() {
		elapsed, cpu, allocated := run()
		best, bestCPU, bytes = min(best, elapsed), min(bestCPU, cpu), min(bytes, allocated)
	}
	steps := float64(replicas * config.Steps)
	b.ReportMetric(steps/best.Seconds(), "model-steps/s")
	b.ReportMetric(bestCPU.Seconds()*1e6/steps, "cpu-µs/model-step")
	b.ReportMetric(float64(bytes)/steps, "B/model-step")
}
