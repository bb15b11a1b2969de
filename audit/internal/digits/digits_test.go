package digits

import (
	"math"
	"testing"
)

// Printed numbers are on their safe side, and short. The wanted texts are by hand.
func TestPrintedNumbersAreSafe(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Lower(1.99999999), "1.9999"}, {Lower(0), "0.0000"}, {Lower(3.14159e-5), "3.14e-5"}, {Lower(9.9999e-5), "9.99e-5"}, {Lower(650), "650.0000"},
		{Lower(1.2345), "1.2345"}, {Lower(math.Nextafter(1.2345, 0)), "1.2344"},
		{Delta(1e-5), "1e-5"}, {Delta(0), "0"}, {Delta(1. / 3), "0.333333"}, {Delta(2. / 3e7), "6.66666e-8"}, {Delta(1e-300), "1e-300"}, {Delta(0.3), "0.3"},
		{Confidence(0.95), "0.95"}, {Confidence(1 - 0.05/7), "0.992857"}, {Confidence(0.9999999), "0.9999999"}, {Confidence(1 - 1e-6/3), "0.9999996666"}, {Confidence(0.5), "0.5"}, {Confidence(1e-6), "1e-6"},
		{P(0.0501234), "0.0502"}, {P(1), "1"}, {P(6.754e-14), "6.76e-14"}, {P(0.9999), "1"}, {P(0.00015), "0.00015"}, {P(0), "0"},
		{Interval(0.05479, 0.137, 0.20471), "0.1370 [0.0547, 0.2048]"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
