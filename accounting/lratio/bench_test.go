package lratio_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/lratio"
)

// epochs is MNIST by epochs: 60 periods of 234 steps.
func epochs(sigma float64) accounting.Event {
	return accounting.RandomAllocation{Period: 234, Steps: 60 * 234, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: sigma}}
}

// Each round has its own σ, so no law is remembered from the one before.
func BenchmarkEpsilonAt(b *testing.B) {
	sigma := 1.1
	for b.Loop() {
		sigma += 1e-9
		if _, err := lratio.NewAccountant().EpsilonAt(epochs(sigma), 1e-5); err != nil {
			b.Fatal(err)
		}
	}
}

// Fifty questions about one event, as a curve asks them.
func BenchmarkManyQuestions(b *testing.B) {
	sigma := 1.1
	for b.Loop() {
		sigma += 1e-9
		for i := range 50 {
			if _, err := accounting.Unchecked(lratio.NewAccountant()).EpsilonAt(epochs(sigma), math.Exp(-0.3*float64(i+1))); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// The noise for ε = 2.
func BenchmarkCalibrate(b *testing.B) {
	target := accounting.Target{Epsilon: 2, Delta: 1e-5}
	for b.Loop() {
		target.Epsilon += 1e-9
		if _, err := (accounting.Calibration{Accountant: lratio.NewAccountant(), Event: epochs, Target: target}).NoiseMultiplier(); err != nil {
			b.Fatal(err)
		}
	}
}
