package pld_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
)

// BenchmarkEpsilon answers each row of the reference at the default width, both directions.
func BenchmarkEpsilon(b *testing.B) {
	for _, r := range readRows(b) {
		benchmark(b, r.id, sgd(r.q, r.sigma, r.steps), r.delta)
	}
}

// BenchmarkOther answers for events that only a grid can price.
func BenchmarkOther(b *testing.B) {
	benchmark(b, "laplace", laplace(2), 1e-5)
	benchmark(b, "heterogeneous", heterogeneous(laplace(2)), 1e-5)
	benchmark(b, "pure1000", times(accounting.PureDP{Epsilon: 0.1}, 1000), 1e-6)
	benchmark(b, "sampledLaplace", times(sampled(0.05, laplace(1)), 500), 1e-6)
	benchmark(b, "delta1e-300", sgd(0.01, 1, 1000), 1e-300)
	benchmark(b, "T1e9", sgd(1e-4, 2, 1e9), 1e-12)
	benchmark(b, "fewShot", sgd(1e-6, 0.7, 100), 1e-12)
}

func benchmark(b *testing.B, name string, event accounting.Event, delta float64) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		var width float64
		for b.Loop() {
			g, err := pld.NewAccountant().EpsilonAt(event, delta)
			if err != nil {
				b.Fatal(err)
			}
			width = g.Epsilon.Width()
		}
		b.ReportMetric(width, "width")
	})
}
