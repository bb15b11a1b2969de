package render

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
)

// crossed is a chart of one point with an error bar at the left end of the axis.
func crossed(dodge int) chart.Chart {
	return chart.Chart{Name: "crossed", Title: "t", XLabel: "x", YLabel: "y", XMin: 1, XMax: 2, YMin: 0, YMax: 4, Curves: []chart.Curve{
		{Label: "l", Kind: chart.Points, X: chart.Series{1}, Y: chart.Series{2}, Low: chart.Series{1}, High: chart.Series{3}, Dodge: dodge}}}
}

// strokes returns where the paths of the drawn curve start, the three lines of the error bar and the circle.
func strokes(c chart.Chart) (starts []vg.Point) {
	var rec recorder.Canvas
	k := plotters(c)[0]
	k.Plot(draw.NewCanvas(&rec, 100, 100), axesOf(c, false, 360))
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.Stroke:
			starts = append(starts, a.Path[0].Pos)
		case *recorder.Fill:
			starts = append(starts, a.Path[0].Pos)
		}
	}
	return starts
}

// A point at the end of the axis is drawn although it is moved beyond.
func TestDodgeMovesThePicture(t *testing.T) {
	still := strokes(crossed(0))
	for dodge, by := range map[int]vg.Length{-6: -30, -1: -5, 1: 5, 2: 10} {
		moved := strokes(crossed(dodge))
		if len(moved) != 4 || len(still) != 4 {
			t.Fatalf("dodge %d: %d paths, and %d of the point in its place; want 4: the error bar's and the circle's", dodge, len(moved), len(still))
		}
		for i := range still {
			want := still[i].Add(vg.Point{X: by})
			if d := moved[i].Sub(want); math.Hypot(float64(d.X), float64(d.Y)) > 1e-6 {
				t.Errorf("dodge %d: path %d at %v, want %v", dodge, i, moved[i], want)
			}
		}
	}
	for format, encode := range formats {
		a, errA := encode(crossed(0))
		b, errB := encode(crossed(1))
		if errA != nil || errB != nil || bytes.Equal(a, b) {
			t.Errorf("%s: the point is not moved (%v, %v)", format, errA, errB)
		}
	}
}

func TestDodgeKeepsTheNumbers(t *testing.T) {
	var still, moved strings.Builder
	if err := crossed(0).WriteCSV(&still); err != nil {
		t.Fatal(err)
	}
	if err := crossed(3).WriteCSV(&moved); err != nil || moved.String() != still.String() {
		t.Errorf("CSV %q (%v), want %q", moved.String(), err, still.String())
	}
	data, err := json.Marshal(crossed(3))
	if err != nil {
		t.Fatal(err)
	}
	var read chart.Chart
	if err := json.Unmarshal(data, &read); err != nil || !slices.Equal(read.Curves[0].X, chart.Series{1}) || read.Curves[0].Dodge != 3 {
		t.Errorf("read back %v (%v), want x = 1 and a dodge of 3", read.Curves, err)
	}
}
