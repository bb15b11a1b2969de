package render

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
)

// A box is from Low to High, and its line at Y; on axes of 100 points the places are the values.
func TestBoxIsDrawn(t *testing.T) {
	c := chart.Chart{Name: "c", XLabel: "x", YLabel: "y", XMin: 0, XMax: 100, YMin: 0, YMax: 100, Curves: []chart.Curve{
		{Kind: chart.Boxes, X: chart.Series{20, 30, 60}, Y: chart.Series{50, 50, 55}, Low: chart.Series{40, 40, 40}, High: chart.Series{70, 70, 200}}}}
	var drawn recorder.Canvas
	p := axesOf(c, false, 360)
	plotters(c)[0].Plot(draw.NewCanvas(&drawn, 100, 100), p)
	var boxes, lines [][]vg.Point
	for _, a := range drawn.Actions {
		s, ok := a.(*recorder.Stroke)
		if !ok {
			continue
		}
		var points []vg.Point
		for _, part := range s.Path {
			points = append(points, part.Pos)
		}
		if len(points) == 2 {
			lines = append(lines, points)
		} else {
			boxes = append(boxes, points)
		}
	}
	if len(boxes) != 3 || len(lines) != 3 {
		t.Fatalf("%d boxes and %d lines, want 3 and 3", len(boxes), len(lines))
	}
	// The least distance is 10, and a box has 0.6 of it.
	for _, want := range []vg.Point{{X: 17, Y: 40}, {X: 17, Y: 70}, {X: 23, Y: 70}, {X: 23, Y: 40}} {
		if !near(boxes[0], want) {
			t.Errorf("the first box is %v: it must have %v", boxes[0], want)
		}
	}
	if !near(lines[0], vg.Point{X: 17, Y: 50}) || !near(lines[0], vg.Point{X: 23, Y: 50}) {
		t.Errorf("the first line is %v", lines[0])
	}
	if !near(boxes[2], vg.Point{X: 57, Y: 100}) {
		t.Errorf("the third box is %v: it must end at the frame", boxes[2])
	}
}

func near(points []vg.Point, want vg.Point) bool {
	for _, p := range points {
		if d := p.Sub(want); d.X*d.X+d.Y*d.Y < 1e-12 {
			return true
		}
	}
	return false
}

// Names are at the places 1, 2, and so on; a long one is smaller, and one that is too long an
// error.
func TestNamesOfPlaces(t *testing.T) {
	c := chart.Chart{Name: "c", XLabel: "law", YLabel: "y", XNames: []string{"a", "b", "c"},
		Curves: []chart.Curve{{Kind: chart.Points, X: chart.Series{1, 2, 3}, Y: chart.Series{1, 2, 3}}}}
	p := axesOf(c, false, 360)
	ticks := p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max)
	if len(ticks) != 3 || ticks[1].Value != 2 || ticks[1].Label != "b" || p.X.Min != 0.5 || p.X.Max != 3.5 {
		t.Errorf("ticks %v in %g to %g, want the names at 1, 2, 3 in 0.5 to 3.5", ticks, p.X.Min, p.X.Max)
	}
	short := p.X.Tick.Label.Font.Size
	c.XNames[0] = "negative binomial, η = 1, γ = 0.1"
	if long := axesOf(c, false, 360).X.Tick.Label.Font.Size; !(long < short) {
		t.Errorf("the font of a long name is %v, of a short one %v", long, short)
	}
	if _, err := measured(c); err != nil {
		t.Errorf("a long name: %v", err)
	}
	c.XNames[0] = strings.Repeat("long ", 10)
	if _, err := measured(c); err == nil || !strings.Contains(err.Error(), "on the x axis: must be shorter") {
		t.Errorf("a name that is too long: %v", err)
	}
}
