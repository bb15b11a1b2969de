package transform

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

const mpmathSource = "mpmath 1.4.1, 80 digits"

func TestMills(t *testing.T) {
	for _, c := range [][2]float64{
		{-5, 672621.636722879252}, {-1, 3.47705181170369447}, {0, 1.25331413731550025},
		{2.5, 0.354265111329793667}, {3, 0.304590298710103296}, {3.5, 0.266567768968223757},
		{5, 0.192808104715315765}, {8, 0.123131963257932296}, {12, 0.0827662865013691773},
		{20, 0.0498759259818367837}, {37, 0.0270073279651283361}, {100, 0.00999900029985010491},
	} {
		if got := numeric.MillsRatio(c[0]); math.Abs(got-c[1]) > 4e-15*c[1] {
			t.Errorf("mills(%g) = %.18g, want %.18g; %s", c[0], got, c[1], mpmathSource)
		}
	}
}

func TestH2(t *testing.T) {
	for _, c := range [][2]float64{
		{1e-9, 5.00000000166666667e-19}, {0.4999, 0.148656406816389708}, {0.5001, 0.148786151071079307},
		{-0.3, 0.0408182206817178661}, {-20, 19.0000000020611536}, {3, 16.0855369231876677},
	} {
		if got := h2(c[0]); math.Abs(got-c[1]) > 2e-15*c[1] {
			t.Errorf("h2(%g) = %.18g, want %.18g; %s", c[0], got, c[1], mpmathSource)
		}
	}
}
