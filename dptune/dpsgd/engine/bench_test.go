package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// BenchmarkStep times whole steps: drawing the batch and the noise, clipping, update.
// "dp" over "nonprivate" of one model is the price of privacy; ms/model-step is the time
// of a step of one replica, and cpu-ms its processor time, which a busy machine disturbs
// less. Run it with GOEXPERIMENT=simd and GODEBUG=asyncpreemptoff=1 as well.
func BenchmarkStep(b *testing.B) {
	for _, size := range []struct {
		name   string
		batch  int
		widths []int
	}{
		{"mlp-784-120-120-10", 256, []int{784, 120, 120, 10}},
		{"digits-64-64-10", 128, []int{64, 64, 10}},
	} {
		for _, replicas := range []int{1, 10} {
			for _, private := range []bool{false, true} {
				name := fmt.Sprintf("%s/batch=%d/replicas=%d/%s", size.name, size.batch, replicas, privacy(private))
				b.Run(name, func(b *testing.B) { benchmarkStep(b, size.widths, size.batch, replicas, private) })
			}
		}
	}
}

func privacy(private bool) string {
	if private {
		return "dp"
	}
	return "nonprivate"
}

func benchmarkStep(b *testing.B, widths []int, batch, replicas int, private bool) {
	model, err := models.MLP(widths...)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkPlan(b, model, blobs(10*batch, widths[0], widths[len(widths)-1]), batch, replicas, private)
}

// benchmarkPlan times steps of a model on examples. The mean batch has a tenth of them.
func benchmarkPlan(b *testing.B, model dpsgd.Model, examples data.Dataset, batch, replicas int, private bool) {
	const rate, steps = 0.1, 20
	config := dpsgd.Config{Sampling: dpsgd.Poisson{Rate: rate}, Steps: steps, ExpectedBatchSize: float64(batch), LearningRate: 0.1, NonPrivate: !private}
	if private {
		config.ClipNorm, config.NoiseMultiplier = 1, 1
	}
	plan := dpsgd.Plan{}
	for range replicas {
		plan.Replicas = append(plan.Replicas, config)
	}
	trainer, err := engine.NewReplicas(model, examples, plan)
	if err != nil {
		b.Fatal(err)
	}
	best, bestCPU, runs := time.Duration(1<<62), time.Duration(1<<62), 0
	for b.Loop() {
		cpu := cpuTime()
		result, err := trainer.Run(context.Background(), streams.Fixed("benchmark"))
		if err != nil {
			b.Fatal(err)
		}
		best, bestCPU = min(best, result.Elapsed), min(bestCPU, cpuTime()-cpu)
		runs++
	}
	modelSteps := float64(replicas * steps)
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(runs)/modelSteps, "ms/model-step")
	b.ReportMetric(best.Seconds()*1e3/modelSteps, "best-ms/model-step")
	b.ReportMetric(bestCPU.Seconds()*1e3/modelSteps, "cpu-ms/model-step")
	b.ReportMetric(modelSteps*float64(batch)/best.Seconds(), "examples/s")
}
