package chart_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
)

// Row i of z is at y[i], and column j at x[j].
func TestHeatPlaces(t *testing.T) {
	c, err := chart.Heat("Heat", "x", "y", "z", []float64{1, 2, 3}, []float64{10, 20}, [][]float64{{1, 2, 3}, {4, 5, 6}})
	if err != nil {
		t.Fatal(err)
	}
	k := c.Curves[0]
	want := chart.Curve{Kind: chart.Cells, X: chart.Series{1, 2, 3, 1, 2, 3}, Y: chart.Series{10, 10, 10, 20, 20, 20}, Z: chart.Series{1, 2, 3, 4, 5, 6}}
	if !reflect.DeepEqual(k, want) || c.Name != "heat" || c.ZLabel != "z" {
		t.Errorf("%+v", c)
	}
}

func TestHeatRefuses(t *testing.T) {
	two := []float64{1, 2}
	for _, c := range []struct {
		zLabel string
		x, y   []float64
		z      [][]float64
		want   string
	}{
		{"z", two, two, [][]float64{{1, 2}}, "2 y and 1 rows of z: must be equal"},
		{"z", two, two, [][]float64{{1, 2}, {3}}, "row 2 of z has 1 values for 2 x"},
		{"", two, two, [][]float64{{1, 2}, {3, 4}}, "color bar must have a label"},
		{"z", []float64{1, 1}, two, [][]float64{{1, 2}, {3, 4}}, "cells 1 and 2 are both at x 1, y 1"},
		{"z", []float64{1, math.NaN()}, two, [][]float64{{1, 2}, {3, 4}}, "cell 2 is at x NaN, y 1: must be numbers"},
		{"z", two, []float64{1, math.Inf(1)}, [][]float64{{1, 2}, {3, 4}}, "cell 3 is at x 1, y +Inf"},
		{"z", nil, nil, nil, "must have a point"},
	} {
		if _, err := chart.Heat("Heat", "x", "y", c.zLabel, c.x, c.y, c.z); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	for want, change := range map[string]func(*chart.Chart){
		"has 6 x and 1 z":            func(c *chart.Chart) { c.Curves[0].Z = chart.Series{1} },
		"2 curves of cells: must be": func(c *chart.Chart) { c.Curves = append(c.Curves, c.Curves[0]) },
		"must not have a label":      func(c *chart.Chart) { c.Curves[0].Label = "a" },
		"color range [2, 1]":         func(c *chart.Chart) { c.ZMin, c.ZMax = 2, 1 },
		"the font has no":            func(c *chart.Chart) { c.ZLabel = "q ∈ (0, 1)" },
		"must be at most 10000": func(c *chart.Chart) {
			var k chart.Curve // a diagonal of few cells has many places
			for i := range 101 {
				k.X, k.Y, k.Z = append(k.X, float64(i)), append(k.Y, float64(i)), append(k.Z, 1)
			}
			k.Kind = chart.Cells
			c.XLog, c.YLog, c.Curves = false, false, []chart.Curve{k}
		},
	} {
		c := samples.Heat()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The column z is there if a chart of the figure has cells, and its JSON keeps a NaN.
func TestHeatIsSaved(t *testing.T) {
	var text strings.Builder
	p := chart.Panels{Charts: []chart.Chart{samples.Mixed(), samples.Heat()}}
	if err := p.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"panel,curve,x,y,low,high,z\n", "Accuracy,tuned,0.5,80,78,82,\n", "Accuracy,,10,4,,,80\n", "Accuracy,,1,4,,,NaN\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	data, err := json.Marshal(samples.Heat())
	if err != nil {
		t.Fatal(err)
	}
	var back chart.Chart
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	z := back.Curves[0].Z
	if back.Curves[0].Kind != chart.Cells || len(z) != 6 || z[2] != 100 || !math.IsNaN(z[4]) {
		t.Errorf("read back %+v", back.Curves[0])
	}
	c := samples.Heat()
	c.Curves[0].Z[0] = 1.23456
	if got := c.Rounded(3).Curves[0].Z[0]; got != 1.23 {
		t.Errorf("rounded to %g, want 1.23", got)
	}
}
