package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func ExampleMixture_Draw() {
	outliers := Mixture{Name: "outliers", Classes: 2, Components: []Component{
		{Label: 0, Count: 2, Mean: []float64{7.9, 8}}, // no spread: the point itself
	}}
	d, err := outliers.Draw(rand.New(rand.NewPCG(1, 2)))
	fmt.Println(d.Len(), d.Row(0), d.Row(1), d.Labels, err)
	// Output: 2 [7.9 8] [7.9 8] [0 0] <nil>
}

func TestDrawHasTheMomentsAskedFor(t *testing.T) {
	const n = 20000
	m := Mixture{Classes: 2, Components: []Component{
		{Label: 1, Count: n, Mean: []float64{3, -1}, StdDev: 2},
	}}
	d, err := m.Draw(rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	// Five standard errors: a mean of n draws has σ/√n, a variance σ²√(2/n). Each check
	// fails falsely with chance 6e-7, and the seed is fixed.
	for axis, mean := range []float64{3, -1} {
		var sum, squares float64
		for i := range n {
			x := float64(d.Row(i)[axis]) - mean
			sum += x
			squares += x * x
		}
		if got := sum / n; math.Abs(got) > 5*2/math.Sqrt(n) {
			t.Errorf("axis %d: mean is off by %g", axis, got)
		}
		if got := squares/n - 4; math.Abs(got) > 5*4*math.Sqrt(2.0/n) {
			t.Errorf("axis %d: variance is off by %g", axis, got)
		}
	}
}

func TestDrawRepeatsAndKeepsOrder(t *testing.T) {
	m := Mixture{Classes: 2, Components: []Component{
		{Label: 1, Count: 3, Mean: []float64{0}, StdDev: 1},
		{Label: 0, Count: 2, Mean: []float64{9}},
	}}
	first, err := m.Draw(rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	second, err := m.Draw(rand.New(rand.NewPCG(1, 2)))
	if err != nil || !slices.Equal(first.Features, second.Features) {
		t.Errorf("the same stream gave other points (error %v)", err)
	}
	if !slices.Equal(first.Labels, []int32{1, 1, 1, 0, 0}) {
		t.Errorf("labels %v", first.Labels)
	}
	m.Components = m.Components[:1]
	if without, err := m.Draw(rand.New(rand.NewPCG(1, 2))); err != nil || !slices.Equal(without.Features, first.Features[:3]) {
		t.Errorf("the points depend on what comes after them (error %v)", err)
	}
}

func TestDrawRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	one := Component{Count: 1, Mean: []float64{0}}
	cases := []struct {
		m    Mixture
		want string
	}{
		{Mixture{Classes: 1}, "Components is empty"},
		{Mixture{Components: []Component{one}}, "Classes 0"},
		{Mixture{Classes: 1, Components: []Component{{Count: 0, Mean: []float64{0}}}}, "Components[0].Count 0"},
		{Mixture{Classes: 1, Components: []Component{one, {Label: 1, Count: 1, Mean: []float64{0}}}}, "Components[1].Label 1"},
		{Mixture{Classes: 1, Components: []Component{one, {Count: 1, Mean: []float64{0, 0}}}}, "Components[1].Mean"},
		{Mixture{Classes: 1, Components: []Component{{Count: 1}}}, "Mean has 0 coordinates"},
		{Mixture{Classes: 1, Components: []Component{{Count: 1, Mean: []float64{math.NaN()}}}}, "must be finite"},
		{Mixture{Classes: 1, Components: []Component{{Count: 1, Mean: []float64{1e300}}}}, "must be finite"},
		{Mixture{Classes: 1, Components: []Component{{Count: 1, Mean: []float64{0}, StdDev: -1}}}, "StdDev -1"},
		{Mixture{Classes: 1, Components: []Component{{Count: 1, Mean: []float64{0}, StdDev: math.NaN()}}}, "StdDev NaN"},
	}
	for _, c := range cases {
		if _, err := c.m.Draw(rng); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v: want one with %q", c.m, err, c.want)
		}
	}
	if _, err := (Mixture{Classes: 1, Components: []Component{one}}).Draw(nil); err == nil {
		t.Error("nil stream accepted")
	}
}
