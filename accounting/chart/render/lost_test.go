package render

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
)

func chartOf(curves ...chart.Curve) chart.Chart {
	return chart.Chart{Name: "c", XLabel: "x", YLabel: "y", Curves: curves}
}

// Each way to lose a part of a curve is counted, in the picture's small print and in the caption.
func TestEveryLossIsCounted(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x, y := chart.Series{1, 2, 3}, chart.Series{1, 2, 3}
	ranges := func(k chart.Curve, low, high chart.Series) chart.Curve {
		k.Low, k.High = low, high
		return k
	}
	at := func(kind chart.Kind) chart.Curve { return chart.Curve{Label: "a", Kind: kind, X: x, Y: y} }
	fixed := func(c chart.Chart, xMin, xMax, yMin, yMax float64) chart.Chart {
		c.XMin, c.XMax, c.YMin, c.YMax = xMin, xMax, yMin, yMax
		return c
	}
	onLogX := chartOf(chart.Curve{Label: "a", X: chart.Series{0, 1, inf}, Y: y})
	onLogX.XLog = true
	var many []chart.Curve
	for i := range 4 {
		many = append(many, chart.Curve{Label: fmt.Sprint(i), X: x, Y: chart.Series{nan, 1, 2}})
	}
	for name, c := range map[string]struct {
		drawing chart.Chart
		want    string // the whole remark
	}{
		"all is drawn":         {chartOf(at(chart.Line), ranges(at(chart.Points), y, y), at(chart.Bars), at(chart.Step)), ""},
		"x and y not numbers":  {chartOf(chart.Curve{Label: "a", X: chart.Series{nan, 2, 3}, Y: chart.Series{1, nan, 3}}), "Not drawn: of “a” 2 of 3 points (not numbers)."},
		"not on a log x axis":  {onLogX, "Not drawn: of “a” 2 of 3 points (outside of the axes)."},
		"no point in the axes": {fixed(chartOf(at(chart.Points)), 0, 0, 100, 200), "Not drawn: of “a” 3 of 3 points (outside of the axes)."},
		"a line that leaves":   {fixed(chartOf(at(chart.Line)), 0, 0, 0, 2), "Not drawn: of “a” 1 of 3 points (outside of the axes)."},
		"left of the axes":     {fixed(chartOf(at(chart.Step)), 1.5, 4, 0, 0), "Not drawn: of “a” 1 of 3 points (outside of the axes)."},
		"a band at one point": {chartOf(ranges(at(chart.Line), chart.Series{0, nan, 2}, chart.Series{2, 3, 4})),
			"Not drawn: of “a” 1 of 3 ranges (not numbers)."},
		"an error bar": {chartOf(ranges(at(chart.Points), chart.Series{0, 1, 2}, chart.Series{2, 3, nan})),
			"Not drawn: of “a” 1 of 3 ranges (not numbers)."},
		"error bars that are cut": {fixed(chartOf(ranges(at(chart.Points), chart.Series{0, 1, 2}, chart.Series{2, 3, inf})), 0, 0, 0.5, 5),
			"Not drawn: of “a” 2 of 3 ranges (cut at the frame)."},
		"bars that are cut at the top": {fixed(chartOf(at(chart.Bars)), 0, 4, 0, 2.5), "Not drawn: of “a” 1 of 3 bars (cut at the frame)."},
		"bars that are cut at a side":  {fixed(chartOf(at(chart.Bars)), 1, 3, 0, 4), "Not drawn: of “a” 2 of 3 bars (cut at the frame)."},
		"bars out of the axes":         {fixed(chartOf(at(chart.Bars)), 0, 4, 10, 20), "Not drawn: of “a” 3 of 3 points (outside of the axes)."},
		"two curves": {fixed(chartOf(at(chart.Line), chart.Curve{X: x, Y: y}), 0, 0, 0, 2),
			"Not drawn: of “a” 1 of 3 points (outside of the axes); of the curves without a label 1 of 3 points (outside of the axes)."},
		"four curves": {chartOf(many...), "Not drawn, of 4 curves: 4 of 12 points (not numbers)."},
	} {
		l := newLayout(c.drawing)
		remark := strings.Join(l.remarks(), " ")
		if remark != c.want || c.want != "" && !strings.HasPrefix(strings.Join(l.notes, " "), c.want) {
			t.Errorf("%s: remark %q, notes %q, want %q", name, remark, l.notes, c.want)
		}
		if caption := (Print{Figure: c.drawing, Paper: Page}).Caption(); !strings.Contains(caption, c.want) {
			t.Errorf("%s: caption %q, want %q in it", name, caption, c.want)
		}
	}
}

// The panels of one figure are counted together.
func TestLossesOfPanels(t *testing.T) {
	c := chartOf(chart.Curve{Label: "a", X: chart.Series{1, 2}, Y: chart.Series{1, math.NaN()}})
	l := newLayout(chart.Panels{Name: "p", Charts: []chart.Chart{c, c}})
	if got, want := strings.Join(l.remarks(), ""), "Not drawn: of “a” 2 of 4 points (not numbers)."; got != want {
		t.Errorf("remark %q, want %q", got, want)
	}
}

// In 300 random charts as many markers are drawn as the count says.
func TestCountIsThatOfTheMarkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1, 2, 3, 4, 2.5}
	draw1 := func() float64 { return values[rng.IntN(len(values))] }
	for i := range 300 {
		c := chartOf(chart.Curve{Kind: chart.Points})
		c.XLog, c.YLog = rng.IntN(2) == 0, rng.IntN(2) == 0
		if rng.IntN(2) == 0 {
			c.XMin, c.XMax, c.YMin, c.YMax = 1, 3, 1.5, 3.5
		}
		for range 6 {
			c.Curves[0].X, c.Curves[0].Y = append(c.Curves[0].X, draw1()), append(c.Curves[0].Y, draw1())
		}
		k, lost := plotters(c)[0], lostOf(c, 360)[0]
		arrows := 0
		low, high := xRange(c, 360)
		for j := range k.curve.X {
			if k.beyond(j) != 0 && k.curve.X[j] >= low && k.curve.X[j] <= high {
				arrows++
			}
		}
		want := lost.points - lost.lost[notNumbers] - lost.lost[outside] - arrows
		var rec recorder.Canvas
		area, p := draw.NewCanvas(&rec, 100, 100), axesOf(c, false, 360)
		x, y := transforms(area, p)
		k.drawMarkers(area, k.points(x, y), 0)
		got := 0
		for _, a := range rec.Actions {
			if _, ok := a.(*recorder.Fill); ok {
				got++
			}
		}
		if got != want {
			t.Fatalf("chart %d, %+v: %d markers, the count says %d", i, c, got, want)
		}
	}
}

// A NaN in a band breaks the band where it must. What is known at a point between two breaks is an
// error bar.
func TestBandBreaksWhereItMust(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		low         chart.Series
		areas, bars int
	}{
		"four points": {chart.Series{1, nan, 1, 1}, 1, 1}, "three points": {chart.Series{1, nan, 1}, 0, 2}, "one point": {chart.Series{1}, 0, 1}, "whole": {chart.Series{1, 1, 1}, 1, 0},
	} {
		k := chart.Curve{Label: "a", Low: c.low}
		for i := range c.low {
			k.X, k.Y, k.High = append(k.X, float64(i)), append(k.Y, 2), append(k.High, 3)
		}
		drawing := chartOf(k)
		var rec recorder.Canvas
		bandPlotter{plotters(drawing)[0]}.Plot(draw.NewCanvas(&rec, 100, 100), axesOf(drawing, false, 360))
		areas, lines := 0, 0
		for _, a := range rec.Actions {
			switch a.(type) {
			case *recorder.Fill:
				areas++
			case *recorder.Stroke:
				lines++
			}
		}
		if areas != c.areas || lines != 2*c.areas+3*c.bars {
			t.Errorf("%s: %d areas and %d lines, want %d areas with two edges and %d error bars of three lines", name, areas, lines, c.areas, c.bars)
		}
	}
}

// Axes that show nothing say so, also on paper, where the count stands in the caption.
func TestEmptyAxesSaySo(t *testing.T) {
	x, y := chart.Series{1, 2, 3}, chart.Series{1, 2, 3}
	for name, c := range map[string]struct {
		curve chart.Curve
		want  bool
	}{
		"points beyond":       {chart.Curve{Kind: chart.Points, X: x, Y: y}, true},
		"a line beyond":       {chart.Curve{X: x, Y: y}, true},
		"a line that crosses": {chart.Curve{X: chart.Series{1, 3}, Y: chart.Series{1, 300}}, false},
		"an arrow":            {chart.Curve{X: x, Y: chart.Series{1, 2, math.Inf(1)}}, false},
		"a band":              {chart.Curve{X: x, Y: y, Low: y, High: chart.Series{150, 150, 150}}, false},
	} {
		drawing := chartOf(c.curve)
		drawing.YMin, drawing.YMax = 100, 200
		for _, f := range []chart.Figure{drawing, Print{Figure: drawing, Paper: Column}} {
			var rec recorder.Canvas
			l := newLayout(f)
			l.draw(draw.NewCanvas(&rec, l.size.X, l.size.Y))
			said := false
			for _, a := range rec.Actions {
				text, ok := a.(*recorder.FillString)
				said = said || ok && text.String == nothingDrawn
			}
			if said != c.want {
				t.Errorf("%s, %T: %q is drawn: %v, want %v", name, f, nothingDrawn, said, c.want)
			}
		}
	}
}

// The first and the last bar are as wide as the others.
func TestBarsKeepTheirWidth(t *testing.T) {
	for name, x := range map[string]chart.Series{"three": {1, 2, 3}, "from 0": {0, 1, 2, 3}, "one": {2}, "many": {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}} {
		for _, log := range []bool{false, true} {
			if log && x[0] == 0 {
				continue
			}
			c := chartOf(chart.Curve{Kind: chart.Bars, X: x, Y: slicesOf(1, len(x))})
			c.XLog = log
			if log && len(x) > 3 {
				c.Curves[0].X = chart.Series{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}
			}
			var rec recorder.Canvas
			plotters(c)[0].Plot(draw.NewCanvas(&rec, 100, 100), axesOf(c, false, 360))
			var widths []vg.Length
			for _, a := range rec.Actions {
				if f, ok := a.(*recorder.Fill); ok {
					low, high := vg.Length(1e9), vg.Length(-1e9)
					for _, corner := range f.Path {
						if corner.Type != vg.CloseComp {
							low, high = min(low, corner.Pos.X), max(high, corner.Pos.X)
						}
					}
					widths = append(widths, high-low)
				}
			}
			for i, w := range widths {
				if math.Abs(float64(w-widths[len(widths)/2])) > 1e-6 || len(widths) != len(x) {
					t.Errorf("%s, log %v: bar %d of %d is %g wide, the middle one %g", name, log, i+1, len(widths), w, widths[len(widths)/2])
				}
			}
		}
	}
}

func slicesOf(v float64, n int) (list chart.Series) {
	for range n {
		list = append(list, v)
	}
	return list
}

// Markers that are moved stay in the axes, in the narrowest panels too, where six steps to both
// sides would be most of the axis.
func TestDodgedMarkersStayInTheAxes(t *testing.T) {
	for _, dodge := range []int{-6, -3, -1, 1, 3, 6} {
		for _, log := range []bool{false, true} {
			c := chartOf(chart.Curve{Kind: chart.Points, X: chart.Series{1, 2, 4, 8}, Y: chart.Series{1e-5, 2e-5, 3e-5, 1e-5}, Dodge: dodge},
				chart.Curve{Kind: chart.Points, X: chart.Series{1, 2, 4, 8}, Y: chart.Series{1e-5, 2e-5, 3e-5, 1e-5}, Dodge: -dodge})
			c.XLog = log
			for _, f := range []chart.Figure{c, Print{chart.Panels{Name: "p", Columns: 3, Charts: []chart.Chart{c, c, c}}, Page, ""},
				Print{chart.Panels{Name: "p", Charts: []chart.Chart{c, c, c, c, c, c}}, Column, ""}} {
				l := newLayout(f)
				if l.cell.X < 150 && max(dodge, -dodge) > 3 {
					continue
				}
				p := axesOf(l.charts[0], false, l.cell.X)
				data := p.DataCanvas(l.axes(draw.NewCanvas(new(recorder.Canvas), l.cell.X, l.cell.Y), 0, p))
				for _, k := range plotters(l.charts[0]) {
					x, y := transforms(k.moved(data), p)
					for _, pt := range k.points(x, y) {
						if pt.X < data.Min.X+markerRadius || pt.X > data.Max.X-markerRadius {
							t.Errorf("dodge %d, log %v, %T: marker at %.1f, the axes go from %.1f to %.1f", k.curve.Dodge, log, f, pt.X, data.Min.X, data.Max.X)
						}
					}
				}
			}
		}
	}
}

// A long label is written in full, within the figure; words of an axis that do not fit are refused.
func TestLongWords(t *testing.T) {
	for _, label := range []string{strings.TrimSpace(strings.Repeat("a rather long label ", 15)), strings.Repeat("W", 200)} {
		l := newLayout(chartOf(chart.Curve{Label: label, X: chart.Series{1, 2}, Y: chart.Series{1, 2}}))
		below := l.below[0]
		if size := below.size(); size.X > l.size.X || size.Y == 0 || l.rooms[0] < size.Y {
			t.Errorf("label of %d letters: the legend is %v, the figure %v with %g for it", len(label), size, l.size, l.rooms[0])
		}
		if got := strings.Join(strings.Fields(strings.Join(below.labels, "")), ""); got != strings.ReplaceAll(label, " ", "") {
			t.Errorf("label %q is written as %q", label, got)
		}
	}
	for _, long := range []chart.Chart{{XLabel: strings.Repeat("x ", 200), YLabel: "y"}, {XLabel: "x", YLabel: strings.Repeat("y ", 200)}} {
		c := chartOf(chart.Curve{X: chart.Series{1, 2}, Y: chart.Series{1, 2}})
		c.XLabel, c.YLabel = long.XLabel, long.YLabel
		for format, encode := range formats {
			if _, err := encode(c); err == nil || !strings.Contains(err.Error(), "must be shorter: about ") {
				t.Errorf("%s: error %v, want one that says how many letters fit", format, err)
			}
		}
	}
}

// Ticks that differ too little are counted from a value that stands in the axis's label.
func TestTicksCountedFromABase(t *testing.T) {
	c := chartOf(chart.Curve{X: chart.Series{1e8, 1e8 + 1, 1e8 + 2}, Y: chart.Series{-5e8, -5e8 + 0.5, -5e8 + 1}})
	l := newLayout(c)
	if got, want := l.xLabel(c), "x − 100,000,000"; got != want {
		t.Errorf("x label %q, want %q", got, want)
	}
	if got, want := yLabel(c), "y + 500,000,000"; got != want {
		t.Errorf("y label %q, want %q", got, want)
	}
	// Also rounding alone needs no base: one that makes two of a value, or zigzags of equal means.
	for _, y := range []chart.Series{{1e6, 2e6}, {1, 1 + 2e-16}, {69.9904, 69.9904 + 3e-14}} {
		plain := chartOf(chart.Curve{X: chart.Series{1, 2}, Y: y})
		if newLayout(plain).xLabel(plain) != "x" || yLabel(plain) != "y" {
			t.Errorf("y %v: an axis that needs no base has one", y)
		}
		if low, high := yRange(plain); high-low < y[0]/10 {
			t.Errorf("y %v: the axis goes from %g to %g", y, low, high)
		}
	}
}
