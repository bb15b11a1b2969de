package dpsgd_test

import (
	"fmt"
	"testing"

	"github.com/dplab/dplab/data"
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
