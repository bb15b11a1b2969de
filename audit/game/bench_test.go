package game_test

import (
	"context"
	"testing"

	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// BenchmarkOneStep times whole games: two worlds, 12 background examples.
func BenchmarkOneStep(b *testing.B) {
	g := honest(b, 500)
	for b.Loop() {
		if _, err := g.Run(context.Background(), streams.Fixed("benchmark")); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/1000, "µs/run")
}

// BenchmarkOneRun is 20,000 scores of a network of 62,006 weights at σ 4: 40 trainings of 250 steps with 500
// canaries each, on the examples of a data set as large as a batch. With -short it is one training of 5 steps.
// It runs on the backend that DPLAB_BACKEND names: xla:cpu takes cgo, -tags xla and the plugin.
func BenchmarkOneRun(b *testing.B) {
	model, err := models.ConvNet()
	if err != nil {
		b.Fatal(err)
	}
	const batch = 128
	d := data.Dataset{Name: "zeros", Shape: []int{32, 32, 3}, Classes: 10, Features: make([]float32, batch*32*32*3), Labels: make([]int32, batch)}
	for i := range d.Labels {
		d.Labels[i] = int32(i % 10)
		d.Features[i*32*32*3+i] = 1
	}
	g := game.OneRun{Model: model, Data: d, Coordinates: 500, Trainings: 40, Config: dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 4, Sampling: dpsgd.FullBatch{}, Steps: 250, ExpectedBatchSize: batch, LearningRate: 0.1,
	}}
	if testing.Short() {
		g.Trainings, g.Config.Steps = 1, 5
	}
	for b.Loop() {
		if _, err := g.Run(context.Background(), streams.Fixed("benchmark")); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(g.Trainings*g.Config.Steps*b.N)/b.Elapsed().Seconds(), "model-steps/s")
}
