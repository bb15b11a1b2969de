package papernot2022

import "testing"

func TestNumbersInLabels(t *testing.T) {
	for x, want := range map[float64]string{1: "1", 12.5: "12.5", 999: "999", 1000: "1,000", 1e6: "1,000,000", 123456: "123,456"} {
		if got := grouped(x); got != want {
			t.Errorf("grouped(%g) = %q: want %q", x, got, want)
		}
	}
	for x, want := range map[float64]string{1e-6: "1e-6", 1e-12: "1e-12", 0.01: "0.01"} {
		if got := short(x); got != want {
			t.Errorf("short(%g) = %q: want %q", x, got, want)
		}
	}
}
