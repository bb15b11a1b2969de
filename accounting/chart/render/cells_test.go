package render

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
)

// A cell ends halfway to its neighbors, on a log axis at their geometric mean. The outer ones are
// symmetric.
func TestEdgesOfCells(t *testing.T) {
	for _, c := range []struct {
		values []float64
		log    bool
		want   []span
	}{
		{[]float64{4, 0, 1, 1}, false, []span{{0, -0.5, 0.5}, {1, 0.5, 2.5}, {4, 2.5, 5.5}}},
		{[]float64{1, 100, 10000}, true, []span{{1, 0.1, 10}, {100, 10, 1000}, {10000, 1000, 100000}}},
		{[]float64{7, 7}, false, []span{{7, 6.5, 7.5}}},
		{[]float64{8}, true, []span{{8, 4, 16}}},
		{[]float64{0, 3}, true, []span{{3, 1.5, 6}}}, // 0 has no place on a log axis
	} {
		got := edgesOf(c.values, c.log)
		if len(got) != len(c.want) {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
			continue
		}
		for i, s := range got {
			if w := c.want[i]; s.at != w.at || math.Abs(s.from/w.from-1) > 1e-12 || math.Abs(s.to/w.to-1) > 1e-12 {
				t.Errorf("%v: %v, want %v", c.values, s, w)
			}
		}
	}
}

// The lightness of a color grows with its level, so a grey-scale print keeps the order. The levels
// are different colors. Letters on each have a contrast of at least 3, as WCAG 2.2 wants of large
// text and of graphics.
func TestColorsGrowLighter(t *testing.T) {
	last, colors := -1.0, map[color.NRGBA]bool{}
	for i := range colorLevels {
		at := (float64(i) + 0.5) / colorLevels
		c := shade(at)
		colors[c] = true
		light := luminance(c)
		if light <= last {
			t.Errorf("level %d has luminance %g, the one before it %g", i, light, last)
		}
		last = light
		if letter := luminance(color.NRGBAModel.Convert(contrast(at)).(color.NRGBA)); (max(light, letter)+0.05)/(min(light, letter)+0.05) < 3 {
			t.Errorf("level %d: luminance %g, letters %g", i, light, letter)
		}
	}
	if len(colors) != colorLevels {
		t.Errorf("%d colors, want %d", len(colors), colorLevels)
	}
	if shade(0) != (color.NRGBA{0x44, 0x01, 0x54, 0xff}) || shade(1) != (color.NRGBA{0xfd, 0xe7, 0x25, 0xff}) {
		t.Errorf("the ends are %v and %v", shade(0), shade(1))
	}
}

// drawnCells draws the cells of a chart on axes of 90 x 100 points.
func drawnCells(c chart.Chart) (fills []*recorder.Fill, colors []color.Color, texts []string, lines int) {
	var drawn recorder.Canvas
	k, _ := cellsOf(c)
	k.Plot(draw.NewCanvas(&drawn, 90, 100), axesOf(c, false, 360))
	var ink color.Color
	for _, a := range drawn.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			ink = a.Color
		case *recorder.Fill:
			fills, colors = append(fills, a), append(colors, ink)
		case *recorder.FillString:
			texts = append(texts, a.String)
		case *recorder.Stroke:
			lines++
		}
	}
	return fills, colors, texts, lines
}

// The cell of 100 is the lower right one, in the lightest color. The NaN is crossed out, and so is
// a place without a cell.
func TestCellsAreDrawn(t *testing.T) {
	c := samples.Heat()
	fills, colors, texts, lines := drawnCells(c)
	if len(fills) != 6 || lines != 2 || !slices.Equal(texts, []string{"20.0", "60.0", "100.0", "40.0", "80.0"}) {
		t.Fatalf("%d fills, %d lines, texts %q", len(fills), lines, texts)
	}
	at := slices.Index(colors, color.Color(shade(1)))
	if at < 0 {
		t.Fatalf("no cell has the color of the largest value: %v", colors)
	}
	for _, want := range []vg.Point{{X: 60.3, Y: 0.3}, {X: 89.7, Y: 49.7}} {
		if !slices.ContainsFunc(fills[at].Path, func(p vg.PathComp) bool { d := p.Pos.Sub(want); return math.Hypot(float64(d.X), float64(d.Y)) < 1e-9 }) {
			t.Errorf("the cell of 100 is %v: it must have a corner at %v", fills[at].Path, want)
		}
	}
	k := &c.Curves[0]
	k.X, k.Y, k.Z = k.X[1:], k.Y[1:], k.Z[1:]
	if fills, _, _, lines := drawnCells(c); len(fills) != 6 || lines != 4 {
		t.Errorf("without a cell: %d fills, %d lines, want 6 and 4", len(fills), lines)
	}
	l := newLayout(c)
	if note := strings.Join(l.notes, " "); note != "A cross marks a cell without a value: 2 of 6." {
		t.Errorf("notes %q", note)
	}
}

// Values beyond given ends have the color of the end, infinite ones too, and the notes count them.
// A value that differs from the end only by rounding is at the end.
func TestEndsOfTheColorBar(t *testing.T) {
	c := samples.Heat()
	c.ZMin, c.ZMax = 40, 80
	c.Curves[0].Z[0], c.Curves[0].Z[5] = math.Inf(-1), math.Nextafter(80, 100)
	_, colors, _, _ := drawnCells(c)
	for want, n := range map[color.Color]int{shade(0): 2, shade(1): 2, shade(0.5): 1} {
		got := 0
		for _, c := range colors {
			if c == want {
				got++
			}
		}
		if got != n {
			t.Errorf("%d cells have color %v, want %d", got, want, n)
		}
	}
	if note := strings.Join(newLayout(c).notes, " "); !strings.Contains(note, "beyond the ends of the color bar have the color of the end: 2 of 6.") {
		t.Errorf("notes %q", note)
	}
}

// A scale of one value, or of none, has two ends. The axes end with the cells, or with points beyond
// these.
func TestRangesOfCells(t *testing.T) {
	for _, z := range []chart.Series{{3, 3}, {math.NaN(), math.NaN()}, {0, 0}, {math.Inf(1), math.Inf(-1)}} {
		c := chart.Chart{Name: "c", XLabel: "x", YLabel: "y", ZLabel: "z", Curves: []chart.Curve{{Kind: chart.Cells, X: chart.Series{1, 2}, Y: chart.Series{5, 5}, Z: z}}}
		if s := colorsOf(c, z); !(s.low < s.high) {
			t.Errorf("%v: scale %v", z, s)
		}
		if _, err := PNG(c); err != nil {
			t.Errorf("%v: %v", z, err)
		}
		if low, high := xRange(c, 360); low != 0.5 || high != 2.5 {
			t.Errorf("x from %g to %g, want 0.5 to 2.5", low, high)
		}
		c.Curves = append(c.Curves, chart.Curve{X: chart.Series{1, 9}, Y: chart.Series{5, 8}})
		if low, high := yRange(c); low != 4.5 || high != 8 {
			t.Errorf("y from %g to %g, want 4.5 to 8", low, high)
		}
	}
}

// A large grid has no letters, and no white lines between its cells. Its image has at most 256
// colors, and the exact color of each level.
func TestLargeGrid(t *testing.T) {
	k := chart.Curve{Kind: chart.Cells}
	for i := range 64 {
		for j := range 60 {
			k.X, k.Y, k.Z = append(k.X, float64(i)), append(k.Y, float64(j)), append(k.Z, float64(i))
		}
	}
	c := chart.Chart{Name: "c", XLabel: "x", YLabel: "y", ZLabel: "z", Curves: []chart.Curve{k}}
	if fills, _, texts, lines := drawnCells(c); len(fills) != 64*60 || len(texts) != 0 || lines != 0 {
		t.Errorf("%d fills, %d texts, %d lines", len(fills), len(texts), lines)
	}
	data, err := PNG(c)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	found := map[color.Color]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			found[color.NRGBAModel.Convert(img.At(x, y))] = true
		}
	}
	for i := range colorLevels {
		if want := shade((float64(i) + 0.5) / colorLevels); !found[want] {
			t.Errorf("level %d: the image has no %v", i, want)
		}
	}
}

// Few places have a tick each; the legend of other curves is below the axes, since the cells fill
// them.
func TestHeatTicksAndLegend(t *testing.T) {
	c := samples.Heat()
	p := axesOf(c, false, 360)
	var labels []string
	for _, tick := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		labels = append(labels, tick.Label)
	}
	if !slices.Equal(labels, []string{"0.1", "1", "10"}) {
		t.Errorf("ticks %q", labels)
	}
	if l := newLayout(c); l.below[0].size().Y == 0 {
		t.Error("the legend is not below the axes")
	}
	for _, w := range []Paper{Column, Page} {
		if _, err := SVG(Print{Figure: c, Paper: w}); err != nil {
			t.Errorf("%v: %v", w, err)
		}
	}
	c.ZLabel = strings.Repeat("long ", 20)
	if _, err := SVG(c); err == nil || !strings.Contains(err.Error(), "color label") {
		t.Errorf("a label that is too long: %v", err)
	}
}

func TestTextOfCells(t *testing.T) {
	for _, c := range []struct {
		low, high, z float64
		want         string
	}{
		{0, 100, 61.234, "61.2"},
		{0, 1, 0.5, "0.500"},
		{-1, 1, -0.25, "−0.250"},
		{0, 5000, 1234, "1234"},
		{0, 1e-9, 4.56789e-10, "4.568e-10"},
		{0, 3e7, 1.23456e7, "1.235e7"},
		{0, 1, math.Inf(1), "∞"},
	} {
		if got := (colorScale{c.low, c.high}).text(c.z); got != c.want {
			t.Errorf("%g on [%g, %g]: %q, want %q", c.z, c.low, c.high, got, c.want)
		}
	}
}
