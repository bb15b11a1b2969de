package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
)

// BenchmarkModelStep is BenchmarkStep for the papers' models.
func BenchmarkModelStep(b *testing.B) {
	for _, c := range []struct {
		name  string
		batch int
	}{{"mnist-cnn", 256}, {"convnet", 128}, {"all-conv", 64}, {"imdb", 64}} {
		for _, private := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/batch=%d/%s", c.name, c.batch, privacy(private)), func(b *testing.B) {
				named := must(models.ByName(c.name))(b)
				m := must(named.Build())(b)
				benchmarkPlan(b, m, namedExamples(named, 10*c.batch), c.batch, 1, private)
			})
		}
	}
}

// namedExamples returns examples of the shape that a model takes.
func namedExamples(n models.Named, count int) data.Dataset {
	width := 1
	for _, side := range n.Input {
		width *= side
	}
	d := blobs(count, width, n.Classes)
	d.Shape = n.Input
	if n.Tokens > 0 {
		for i := range d.Features {
			d.Features[i] = float32((i * 7919) % n.Tokens)
		}
	}
	return d
}

// BenchmarkRaisedNorms reports by how much less than C an example adds whose gradient is longer:
// what the proof of sensitivity.go costs the papers' models, at weights as they are drawn.
func BenchmarkRaisedNorms(b *testing.B) {
	for _, named := range models.All() {
		b.Run(named.Name, func(b *testing.B) {
			const clip = 1e-4
			m := must(named.Build())(b)
			tr := trainer(b, m, namedExamples(named, 8), clipOnly(clip).Plan(), engine.Performance{Microbatch: 1})
			w := dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{m.Init(rand.New(rand.NewPCG(13, 14)))}}
			least, example := 1.0, int32(0)
			for b.Loop() {
				sum, _ := sumWith(b, tr, w, []int32{example % 8})
				least, example = min(least, length(sum)/clip), example+1
			}
			b.ReportMetric(1e6*(1-least), "millionths-below-C")
		})
	}
}
