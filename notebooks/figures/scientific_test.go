package figures

import (
	"math"
	"testing"
)

func TestScientific(t *testing.T) {
	for v, want := range map[float64]string{
		1e-5: "10⁻⁵", 2e-5: "2·10⁻⁵", 1e-9: "10⁻⁹", 1.25e-3: "1.25·10⁻³", -1e-10: "−10⁻¹⁰", -3e7: "−3·10⁷", 1e5: "10⁵", 1e23: "10²³", 6e-308: "6·10⁻³⁰⁸",
		0: "0", 1: "1", 0.01: "0.01", 0.05: "0.05", -0.5: "−0.5", 20: "20", 99999: "99999", math.Inf(1): "∞", math.Inf(-1): "−∞",
	} {
		if got := Scientific(v); got != want {
			t.Errorf("Scientific(%g) = %q, want %q", v, got, want)
		}
	}
}
