package exact

import (
	"testing"
)

// The finest grid of Figure 14: 25 steps.
func BenchmarkLaws(b *testing.B) {
	for b.Loop() {
		if _, err := (Process{NoiseMultiplier: 1, BatchSize: 16}).Laws(25); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEpsilonAt(b *testing.B) {
	law := lawsOf(b, Process{NoiseMultiplier: 1, BatchSize: 16}, 25)[24]
	for b.Loop() {
		if _, err := law.EpsilonAt(1e-5); err != nil {
			b.Fatal(err)
		}
	}
}
