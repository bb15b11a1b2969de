package render

import (
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
)

func BenchmarkPNG(b *testing.B) { benchmark(b, PNG) }
func BenchmarkSVG(b *testing.B) { benchmark(b, SVG) }
func BenchmarkPDF(b *testing.B) { benchmark(b, PDF) }

func benchmark(b *testing.B, encode func(chart.Figure) ([]byte, error)) {
	c := samples.Curves()
	for b.Loop() {
		if _, err := encode(c); err != nil {
			b.Fatal(err)
		}
	}
}
