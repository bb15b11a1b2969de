package figures

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
