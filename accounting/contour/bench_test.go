package contour

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/numeric"
)

// BenchmarkEpsilon answers each row of the reference, both directions.
func BenchmarkEpsilon(b *testing.B) {
	rows, _ := readRows(b, "reference.csv")
	for _, r := range rows {
		event := sgd(r.q, r.sigma, int(r.steps))
		b.Run(r.id, func(b *testing.B) {
			b.ReportAllocs()
			var width float64
			for b.Loop() {
				g, err := NewAccountant().EpsilonAt(event, r.delta)
				if err != nil {
					b.Fatal(err)
				}
				width = g.Epsilon.Width() / g.Epsilon.Upper
			}
			b.ReportMetric(width, "relative-width")
		})
	}
}

// BenchmarkHard answers questions outside the comfortable range.
func BenchmarkHard(b *testing.B) {
	for _, c := range []struct {
		name  string
		event accounting.Event
		delta float64
	}{
		{"delta1e-300", sgd(0.01, 1, 1000), 1e-300},
		{"T1e9", sgd(1e-4, 2, 1e9), 1e-12},
		{"sigma0.1", sgd(0.01, 0.1, 100), 1e-5},
		{"twoSteps", sgd(0.01, 0.6, 2), 1e-5},
		{"threeSteps", sgd(0.001, 1, 3), 1e-5},
		{"fewShot", sgd(1e-6, 0.7, 100), 1e-12},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := NewAccountant().EpsilonAt(c.event, c.delta); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCalibrate finds the noise multiplier of the reference's first row for ε = 8.
func BenchmarkCalibrate(b *testing.B) {
	for b.Loop() {
		if _, err := calibrateFirstRow(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkChecks answers rows of the reference without checks, with that of the upper end, and
// with both.
func BenchmarkChecks(b *testing.B) {
	rows, _ := readRows(b, "reference.csv")
	for _, r := range rows[:4] {
		q, err := ask.Of("contour", sgd(r.q, r.sigma, int(r.steps)), accounting.AddOrRemoveOne)
		if err != nil {
			b.Fatal(err)
		}
		for i, name := range []string{"none", "upper", "both"} {
			b.Run(r.id+"/"+name, func(b *testing.B) {
				for b.Loop() {
					g, by, err := Accountant{}.epsilonOf(q, numeric.Log(r.delta))
					if g.Delta = r.delta; err != nil {
						b.Fatal(err)
					}
					if i > 0 {
						g = attach.Of(g, by.above)
					}
					if i > 1 {
						g = attach.Lower(g, by.below)
					}
					if (g.Certificate != nil) != (i > 0) || g.Epsilon.LowerChecked != (i > 1) {
						b.Fatal(g)
					}
				}
			})
		}
	}
}
