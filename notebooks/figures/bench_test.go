package figures

import "testing"

func BenchmarkPNG(b *testing.B) { benchmark(b, PNG) }
func BenchmarkSVG(b *testing.B) { benchmark(b, SVG) }
func BenchmarkPDF(b *testing.B) { benchmark(b, PDF) }

func benchmark(b *testing.B, encode func(Figure) ([]byte, error)) {
	c := curves()
	for b.Loop() {
		if _, err := encode(c); err != nil {
			b.Fatal(err)
		}
	}
}
