package accounting

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestFormatUpper(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0.0000"}, {1, "1.0000"}, {1.00001, "1.0001"}, {2.5966, "2.5966"}, {2.59660000001, "2.5967"},
		{1e-12, "0.0001"}, {999999.99999, "1000000.0000"}, {1234567.1, "1.23457e+06"}, {1e300, "1e+300"},
		{math.Inf(1), "+Inf"},
	} {
		if got := FormatUpper(c.x); got != c.want {
			t.Errorf("FormatUpper(%v) = %s, want %s", c.x, got, c.want)
		}
	}
}

// What is printed is never on the wrong side, and at most one unit of the last place off.
func TestPrintedBoundsAreBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := math.Exp(rng.Float64()*200 - 100)
		for _, c := range []struct {
			text      string
			direction float64
			error     float64
		}{
			{FormatUpper(x), +1, math.Max(1.01e-4, 1.01e-5*x)},
			{significant(x, 6, +1), +1, 1.01e-5 * x},
			{significant(x, 9, -1), -1, 1.01e-8 * x},
		} {
			printed, err := strconv.ParseFloat(c.text, 64)
			if off := (printed - x) * c.direction; err != nil || off < 0 || off > c.error {
				t.Fatalf("%v printed as %s towards %+g: off by %g", x, c.text, c.direction, off)
			}
		}
	}
}

func TestSignificantAtPowersOfTen(t *testing.T) {
	for _, c := range []struct {
		x         float64
		direction float64
		want      string
	}{
		{math.Nextafter(1, 2), +1, "1.00001"},
		{math.Nextafter(1, 0), -1, "0.99999"},
		{math.Nextafter(10, 11), +1, "10.0001"},
		{math.Nextafter(0.001, 1), +1, "0.00100001"},
		{math.Inf(1), +1, "+Inf"},
		{0, +1, "0"},
	} {
		if got := significant(c.x, 6, c.direction); got != c.want {
			t.Errorf("significant(%v, 6, %g) = %s, want %s", c.x, c.direction, got, c.want)
		}
	}
}
