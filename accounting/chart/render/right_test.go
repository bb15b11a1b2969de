package render

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
)

// twoAxes is a chart with a curve on either axis.
func twoAxes() chart.Chart {
	return chart.Chart{Name: "two-axes", Title: "t", XLabel: "x", YLabel: "loss", YMin: 0, YMax: 4,
		RightLabel: "noise", RightLog: true, RightMin: 1, RightMax: 100, Curves: []chart.Curve{
			{Label: "a", X: chart.Series{1, 2, 3}, Y: chart.Series{0, 1, 4}},
			{Label: "b", X: chart.Series{1, 2, 3}, Y: chart.Series{1, 10, 100}, Low: chart.Series{1, 1, 10}, High: chart.Series{10, 100, 100}, Right: true},
		}}
}

// A value of the right axis is drawn where that axis has it: 10 is halfway from 1 to 100.
func TestRightAxisPlaces(t *testing.T) {
	c := withoutRight(twoAxes())
	for what, pair := range map[string][2]chart.Series{
		"y": {c.Curves[1].Y, {0, 2, 4}}, "low": {c.Curves[1].Low, {0, 0, 2}}, "high": {c.Curves[1].High, {2, 4, 4}}, "left y": {c.Curves[0].Y, {0, 1, 4}},
	} {
		for i, want := range pair[1] {
			if math.Abs(pair[0][i]-want) > 1e-12 {
				t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
			}
		}
	}
	if c.Curves[1].Label != "b (right axis)" || c.Curves[0].Label != "a" {
		t.Errorf("labels %q, %q", c.Curves[0].Label, c.Curves[1].Label)
	}
	whole := twoAxes()
	whole.YLog, whole.YMin, whole.YMax = true, 10, 1e5
	got := toLeft(withoutRight(whole), chart.Series{10, math.NaN(), math.Inf(1), -1, 1e9, 1e-9})
	want := chart.Series{1000, math.NaN(), math.Inf(1), math.Inf(-1), 1e19, 1e-17}
	for i := range want {
		same := got[i] == want[i] || math.IsNaN(got[i]) && math.IsNaN(want[i]) || math.Abs(got[i]/want[i]-1) < 1e-9
		if !same {
			t.Errorf("value %d: %g, want %g", i, got[i], want[i])
		}
	}
	plain := twoAxes()
	plain.Curves, plain.RightLabel = plain.Curves[:1], ""
	if got := withoutRight(plain); got.YMin != 0 || got.YMax != 4 || &got.Curves[0] != &plain.Curves[0] {
		t.Errorf("a chart without a right axis: %+v", got)
	}
}

// Each axis fits its own curves, and the right one has ticks and its label at the right of the
// axes.
func TestRightAxisIsDrawn(t *testing.T) {
	c := twoAxes()
	c.YMin, c.YMax, c.RightMin, c.RightMax = 0, 0, 0, 0
	fitted := withoutRight(c)
	if !(fitted.YMax > 4 && fitted.YMax < 5 && fitted.RightMin < 1 && fitted.RightMin > 0.5 && fitted.RightMax > 100 && fitted.RightMax < 200) {
		t.Errorf("axes %g to %g and %g to %g", fitted.YMin, fitted.YMax, fitted.RightMin, fitted.RightMax)
	}
	l, err := measured(c)
	if err != nil {
		t.Fatal(err)
	}
	var rec recorder.Canvas
	l.draw(draw.NewCanvas(&rec, l.size.X, l.size.Y))
	places := map[string][]vg.Length{}
	for _, a := range rec.Actions {
		if text, ok := a.(*recorder.FillString); ok {
			places[text.String] = append(places[text.String], text.Point.X)
		}
	}
	for _, label := range []string{"1", "10", "100"} {
		if !slices.ContainsFunc(places[label], func(x vg.Length) bool { return x > 0.7*l.size.X }) {
			t.Errorf("no tick %q at the right: %v", label, places[label])
		}
	}
	for _, text := range []string{"loss", "noise", "b (right axis)"} {
		if len(places[text]) == 0 {
			t.Errorf("%q is not drawn", text)
		}
	}
	for format, encode := range formats {
		moved := c
		moved.RightMax, moved.RightMin = 1000, 1
		a, errA := encode(c)
		b, errB := encode(moved)
		if errA != nil || errB != nil || bytes.Equal(a, b) {
			t.Errorf("%s: the ends of the right axis are not used (%v, %v)", format, errA, errB)
		}
	}
	outside := c
	outside.RightMin, outside.RightMax = 5, 1000
	if l := newLayout(outside); !strings.Contains(strings.Join(l.notes, " "), "“b (right axis)” 1 of 3 points (outside of the axes)") {
		t.Errorf("notes %q do not report the point outside", l.notes)
	}
}

// Three panels on a page: markers moved by Dodge stay inside the axes, also next to a right axis.
func TestDodgeStaysInside(t *testing.T) {
	c := chart.Chart{Name: "moved", XLabel: "ε", YLabel: "accuracy", XLog: true, Curves: []chart.Curve{
		{Label: "a", Kind: chart.Points, X: chart.Series{1, 2, 4, 8}, Y: chart.Series{1, 2, 3, 4}, Dodge: -2},
		{Label: "b", Kind: chart.Points, X: chart.Series{1, 2, 4, 8}, Y: chart.Series{1, 2, 3, 4}, Dodge: 1},
	}}
	both := c
	both.Curves, both.RightLabel = slices.Clone(c.Curves), "steps"
	both.Curves[1].Right, both.Curves[1].Y = true, chart.Series{10000, 20000, 30000, 40000}
	for _, one := range []chart.Chart{c, both} {
		l := newLayout(Print{Figure: chart.Panels{Name: "three", Columns: 3, Charts: []chart.Chart{one, one, one}}, Paper: Page})
		p := axesOf(l.charts[0], false, l.cell.X)
		data := p.DataCanvas(l.axes(draw.NewCanvas(new(recorder.Canvas), l.cell.X, l.cell.Y), 0, p))
		x, _ := transforms(data, p)
		for _, k := range plotters(l.charts[0]) {
			for _, v := range k.curve.X {
				at := x(v) + vg.Length(k.curve.Dodge)*dodgeStep
				if at-markerRadius < data.Min.X || at+markerRadius > data.Max.X {
					t.Errorf("%s of %q at %g: the marker is at %v, outside of %v to %v", one.RightLabel, k.curve.Label, v, at, data.Min.X, data.Max.X)
				}
			}
		}
	}
}
