package chart

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// The counts by hand: bins of width 1, each with its lower end, and the last one with both.
func TestHistogramCounts(t *testing.T) {
	values := []float64{0, 0.5, 1, 2, 2, 3.9, 4}
	c, err := Histogram("Values", "value", Bins{Count: 4}, Sample{Values: values})
	if err != nil {
		t.Fatal(err)
	}
	if k := c.Curves[0]; !slices.Equal(k.X, Series{0.5, 1.5, 2.5, 3.5}) || !slices.Equal(k.Y, Series{2, 1, 2, 2}) || k.Kind != Bars {
		t.Errorf("bars %v at %v, want 2 1 2 2", k.Y, k.X)
	}
	if c.YLabel != "values per bin of width 1" {
		t.Errorf("y label %q", c.YLabel)
	}
	c, err = Histogram("Values", "value", Bins{Count: 2, Density: true}, Sample{Label: "a", Values: values}, Sample{Label: "b", Values: []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	if k := c.Curves; !floats.EqualApprox(k[0].Y, []float64{3. / 14, 4. / 14}, 1e-15) || !slices.Equal(k[1].Y, Series{0.5, 0}) {
		t.Errorf("densities %v and %v, want 3/14 4/14 and 0.5 0", k[0].Y, k[1].Y)
	}
	if c.YLabel != "density, bins of width 2" {
		t.Errorf("y label %q", c.YLabel)
	}
}

// The number of bins by the rule of Freedman and Diaconis, within its ends.
func TestNumberOfBins(t *testing.T) {
	ramp := floats.Span(make([]float64, 1000), 0, 1) // IQR 0.5, width 2·0.5/10 = 0.1
	outlier := append(slices.Clone(ramp), 3)
	normal := make([]float64, 100_000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range normal {
		normal[i] = rng.NormFloat64()
	}
	for _, c := range []struct {
		name   string
		values []float64
		want   int
	}{
		{"uniform", ramp, 10}, {"with an outlier", outlier, 30}, {"few", []float64{1, 2, 3}, 10}, {"many", normal, 100},
		{"mostly equal", append(make([]float64, 50), 1), 10}, {"equal", []float64{5, 5}, 10},
		{"equal up to rounding", []float64{1e9, math.Nextafter(1e9, 2e9)}, 10}, {"far apart", []float64{-1e300, 1e300}, 10},
	} {
		got, err := Histogram(c.name, "x", Bins{}, Sample{Values: c.values})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if n := len(got.Curves[0].X); n != c.want || floats.Sum(got.Curves[0].Y) != float64(len(c.values)) {
			t.Errorf("%s: %d bins of %v values, want %d", c.name, n, floats.Sum(got.Curves[0].Y), c.want)
		}
	}
	c, _ := Histogram("Small", "x", Bins{}, Sample{Values: []float64{0, 1e-7}})
	if !strings.HasSuffix(c.YLabel, "width 10⁻⁸") {
		t.Errorf("y label %q", c.YLabel)
	}
}

// By hand: the quantile p of n values is at place (n-1)p, counted from 0.
func TestQuantile(t *testing.T) {
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 3, 0.75: 5, 1: 8} {
		if got := quantile([]float64{1, 2, 4, 8}, p); got != want {
			t.Errorf("quantile %g: %g, want %g", p, got, want)
		}
	}
	if got := quantile([]float64{7}, 0.25); got != 7 {
		t.Errorf("of one value: %g", got)
	}
}
