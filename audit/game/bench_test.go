package game_test

import (
	"context"
	"testing"

	"github.com/dplab/dplab/dptune/streams"
)

// BenchmarkOneStep times whole games: two worlds, 12 background examples.
func BenchmarkOneStep(b *testing.B) {
	g := honest(b, 500)
	for b.Loop() {
		if _, err := g.Play(context.Background(), streams.Fixed("benchmark")); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/1000, "µs/run")
}
