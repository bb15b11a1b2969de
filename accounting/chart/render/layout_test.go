package render

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
)

// crowded is a chart that is full of curves.
func crowded() chart.Chart {
	c := chart.Chart{Name: "crowded", Title: "t", XLabel: "x", YLabel: "y"}
	for j := range 8 {
		k := chart.Curve{Label: "a rather long label that names its parameters"}
		for i := range 100 {
			k.X, k.Y = append(k.X, float64(i)), append(k.Y, math.Sin(float64(i*(j+2))))
		}
		c.Curves = append(c.Curves, k)
	}
	return c
}

func TestLegendHidesNothing(t *testing.T) {
	roomy := newLayout(samples.Curves())
	if roomy.rooms[0] != 0 {
		t.Errorf("a chart with an empty corner has %g points for a legend below", roomy.rooms[0])
	}
	p := axesOf(samples.Curves(), false, roomy.cell.X)
	area := roomy.axes(draw.NewCanvas(new(recorder.Canvas), roomy.cell.X, roomy.cell.Y), 0, p)
	if _, hidden := (legendPlotter{newLegend(samples.Curves().Curves), plotters(samples.Curves())}).place(p.DataCanvas(area), p); hidden != 0 {
		t.Errorf("the legend lies on %d samples of the curves", hidden)
	}
	full := newLayout(crowded())
	if below := full.below[0].size(); below.Y == 0 || full.size.Y < full.cell.Y+below.Y || below.X > full.size.X {
		t.Errorf("a crowded chart: legend %v below, figure %v, axes %v", below, full.size, full.cell)
	}
}

func TestPanelsShareOneLegend(t *testing.T) {
	curve := func(label string, color int) chart.Curve {
		return chart.Curve{Label: label, Color: color, X: chart.Series{1, 2}, Y: chart.Series{1, 2}}
	}
	points, bars := curve("a", 1), curve("a", 1)
	points.Kind, bars.Kind = chart.Points, chart.Bars
	drawing := func(curves ...chart.Curve) chart.Chart {
		return chart.Chart{Name: "c", XLabel: "x", YLabel: "y", Curves: curves}
	}
	full := crowded()
	full.Curves = full.Curves[:7]
	for i := range full.Curves {
		full.Curves[i].Label = string(rune('a' + i))
	}
	for name, c := range map[string]struct {
		charts []chart.Chart
		common int
	}{
		"equal curves":                     {[]chart.Chart{drawing(curve("a", 1)), drawing(curve("a", 1))}, 1},
		"one chart":                        {[]chart.Chart{full}, 0},
		"points and a line of one color":   {[]chart.Chart{drawing(points), drawing(curve("a", 1))}, 1},
		"points and a line of two colors":  {[]chart.Chart{drawing(points), drawing(curve("a", 2))}, 0},
		"bars and a line":                  {[]chart.Chart{drawing(bars), drawing(curve("a", 1))}, 0},
		"other labels, all fit inside":     {[]chart.Chart{drawing(curve("a", 1)), drawing(curve("b", 2))}, 0},
		"other labels, one is crowded":     {[]chart.Chart{full, drawing(curve("z", 8))}, 8},
		"crowded, two labels of one look":  {[]chart.Chart{full, drawing(curve("z", 1))}, 0},
		"part of the crowded one's":        {[]chart.Chart{full, drawing(curve("a", 1))}, 7},
		"crowded, one label has two looks": {[]chart.Chart{full, drawing(curve("a", 2))}, 0},
	} {
		l := newLayout(chart.Panels{Name: "p", Charts: c.charts})
		if len(l.legend.labels) != c.common {
			t.Errorf("%s: %d labels in a common legend, want %d", name, len(l.legend.labels), c.common)
		}
		if own := l.rooms[0] > 0; own != (c.common == 0 && len(c.charts[0].Curves) > 1) {
			t.Errorf("%s: a legend below one chart: %v", name, own)
		}
	}
}

func TestMissingPointsAreVisible(t *testing.T) {
	c := samples.Curves()
	x := func(v float64) vg.Length { return vg.Length(v) }
	if runs := plotters(c)[2].runs(x, x); len(runs) != 2 || len(runs[0]) != 31 || len(runs[1]) != 25 {
		t.Errorf("a curve of 61 points without points 31 to 35 is drawn in %d pieces, want 31 and 25 points", len(runs))
	}
	notes := strings.Join(newLayout(c).notes, " ")
	if !strings.Contains(notes, "5 of 61 points (not numbers)") || !strings.Contains(notes, "An arrow at the upper edge") || strings.Contains(notes, "lower edge") {
		t.Errorf("the notes do not tell of the gap and the infinities: %q", notes)
	}
	finite := samples.Mixed()
	if notes := strings.Join(newLayout(finite).notes, " "); notes != "Ten seeds." {
		t.Errorf("a chart of finite points has the notes %q", notes)
	}
}

func TestInfinitiesAreDrawnAtTheEdge(t *testing.T) {
	for _, c := range []struct {
		y       float64
		log     bool
		nearTop bool
	}{{math.Inf(1), false, true}, {math.Inf(-1), false, false}, {0, true, false}, {-3, true, false}} {
		var rec recorder.Canvas
		area := draw.NewCanvas(&rec, 100, 100)
		p := plot.New()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 2, 1, 2
		k := curvePlotter{curve: chart.Curve{X: chart.Series{1}, Y: chart.Series{c.y}}, look: looks(make([]chart.Curve, 1))[0], yLog: c.log}
		k.Plot(area, p)
		var filled *recorder.Fill
		for _, a := range rec.Actions {
			if f, ok := a.(*recorder.Fill); ok {
				filled = f
			}
		}
		if filled == nil || filled.Path[0].Pos.X < 40 || (filled.Path[0].Pos.Y > 50) != c.nearTop {
			t.Errorf("y = %g, log %v: drawn %v, want an arrow near the top: %v", c.y, c.log, filled, c.nearTop)
		}
	}
}

// Of two bands of which one lies within the other, both edges are seen, and neither covers a line.
func TestBandsAreBelowAllCurves(t *testing.T) {
	var rec recorder.Canvas
	x := chart.Series{0, 1}
	c := chart.Chart{Name: "c", XLabel: "x", YLabel: "y", Curves: []chart.Curve{
		{X: x, Y: chart.Series{2, 2}, Low: chart.Series{1.9, 1.9}, High: chart.Series{2.1, 2.1}}, {X: x, Y: chart.Series{2, 3}, Low: chart.Series{0, 0}, High: chart.Series{4, 4}}}}
	axesOf(c, false, 360).Draw(draw.NewCanvas(&rec, 100, 100))
	strokes := map[color.Color]int{} // of bands' edges
	var pen color.Color
	var lastEdge, firstLine int
	for i, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			pen = a.Color
		case *recorder.Stroke:
			switch pen {
			case looks(c.Curves)[0].faded(0x90), looks(c.Curves)[1].faded(0x90):
				strokes[pen]++
				lastEdge = i
			case palette[0], palette[1]:
				if firstLine == 0 {
					firstLine = i
				}
			}
		}
	}
	if len(strokes) != 2 || strokes[looks(c.Curves)[0].faded(0x90)] != 2 || lastEdge > firstLine {
		t.Errorf("edges %v, want two for each band; the last is drawn at %d, the first line at %d", strokes, lastEdge, firstLine)
	}
}

// An error bar that starts at 0 on a log axis is drawn from the edge of the axes up.
func TestErrorBarsReachTheEdge(t *testing.T) {
	for _, low := range []float64{0, math.Inf(-1), -1} {
		var rec recorder.Canvas
		c := chart.Chart{Name: "c", XLabel: "x", YLabel: "y", YLog: true, XMin: 0, XMax: 2, YMin: 1, YMax: 100,
			Curves: []chart.Curve{{Kind: chart.Points, X: chart.Series{1}, Y: chart.Series{10}, Low: chart.Series{low}, High: chart.Series{20}}}}
		plotters(c)[0].Plot(draw.NewCanvas(&rec, 100, 100), axesOf(c, false, 360))
		var ends []vg.Length
		for _, a := range rec.Actions {
			if s, ok := a.(*recorder.Stroke); ok && len(s.Path) == 2 {
				ends = append(ends, s.Path[0].Pos.Y, s.Path[1].Pos.Y)
			}
		}
		top := vg.Length(50 * math.Log10(20))
		if len(ends) != 4 || ends[0] != 0 || math.Abs(float64(ends[1]-top)) > 1e-9 || ends[2] != ends[1] {
			t.Errorf("low end %g: lines between the heights %v, want a bar from 0 to %g and a cap there", low, ends, top)
		}
	}
}

// A figure without one finite point, or with a single one, is drawn all the same.
func TestDegenerateCharts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for i, y := range []chart.Series{{nan}, {inf}, {-inf}, {0}, {1}, {math.MaxFloat64}, {-math.MaxFloat64}, {5e-324}} {
		for j, kind := range []chart.Kind{chart.Line, chart.Step, chart.Points, chart.Bars, chart.Boxes} {
			if testing.Short() && (i+j)%4 != 0 {
				continue
			}
			for _, log := range []bool{false, true} {
				c := chart.Chart{Name: "c", XLabel: "x", YLabel: "y", YLog: log, XLog: log, Curves: []chart.Curve{
					{Label: "l", Kind: kind, X: chart.Series{1}, Y: y, Low: y, High: y}, {Kind: kind, X: y, Y: y, Low: y, High: y}}}
				encode := SVG
				if kind == chart.Line {
					encode = PNG
				}
				if _, err := encode(c); err != nil {
					t.Errorf("y = %v, %v, log %v: %v", y, kind, log, err)
				}
			}
		}
	}
}

func TestPointsFarOutsideAreClipped(t *testing.T) {
	c := chart.Chart{Name: "c", XLabel: "x", YLabel: "y", XMin: 1, XMax: 2, YMin: 1, YMax: 2}
	for _, kind := range []chart.Kind{chart.Line, chart.Step, chart.Points, chart.Bars, chart.Boxes} {
		far := chart.Series{-1e300, 1.2, 1.4, 1e300}
		c.Curves = append(c.Curves, chart.Curve{Label: "l", Kind: kind, X: far, Y: chart.Series{1e300, -1e300, 1.5, 1e300}, Low: chart.Series{-1e300, 1, 1, 1}, High: far})
	}
	for format, encode := range formats {
		if _, err := encode(c); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// What an equals sign joins stays on one line.
func TestWrapKeepsEquations(t *testing.T) {
	if got := wrap(sans(titleSize, true, ink), "Scores, ε_B = 1", sans(titleSize, true, ink).Width("Scores, ε_B =")); len(got) != 2 || got[1] != "ε_B = 1" {
		t.Errorf("lines %q, want the equation whole", got)
	}
}
