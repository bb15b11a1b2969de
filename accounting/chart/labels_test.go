package chart

import (
	"math"
	"testing"
)

func TestNumbersInLabels(t *testing.T) {
	for x, want := range map[float64]string{1: "1", 12.5: "12.5", 999: "999", 1000: "1,000", 1e6: "1,000,000", 123456: "123,456"} {
		if got := Grouped(x); got != want {
			t.Errorf("Grouped(%g) = %q: want %q", x, got, want)
		}
	}
	for want, got := range map[string]string{
		"12,000":       About(12345, 2),
		"0.861 ± 0.04": WithError(0.8612, 0.04),
		"1.50":         Places(1.5, 2),
		"":             Places(math.NaN(), 2),
	} {
		if got != want {
			t.Errorf("got %q: want %q", got, want)
		}
	}
}

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

// The wanted texts follow from the rule in Format's comment.
func TestFormat(t *testing.T) {
	for _, c := range []struct {
		v, err float64
		want   string
	}{
		{4.6571, 0.005, "4.6571"}, {-0.0029, 0.005, "−0.0029"}, {6.35, 0.005, "6.3500"},
		{4.66, 0, "4.66"}, {0.005, 0, "0.005"}, {1.0 / 3, 0, "0.333333"}, {-12, 0, "−12"},
		{3.1234e-9, 5e-11, "3.123e-9"}, {3.1e-9, 0, "3.1e-9"}, {1e12, 0, "1e12"}, {123456.7, 1000, "123457"},
		{math.Inf(1), 0.1, "∞"}, {math.Inf(-1), 0, "−∞"}, {math.NaN(), 0, "not a number"}, {0, 0.1, "0"},
		{1e-12, 0.1, "1.0e-12"}, {2, math.Inf(1), "2"}, {2.5, 1e-30, "2.50000000"},
	} {
		if got := Format(c.v, c.err); got != c.want {
			t.Errorf("Format(%g, %g) = %q, want %q", c.v, c.err, got, c.want)
		}
	}
}
