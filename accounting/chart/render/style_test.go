package render

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/letters"
)

// luminance returns the relative luminance Y in [0, 1]; IEC 61966-2-1 (sRGB), as used by WCAG 2.2.
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		if s := float64(v) / 255; s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((float64(v)/255+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// lightness returns CIE L*, 0 to 100.
func lightness(c color.NRGBA) float64 { return 116*math.Cbrt(luminance(c)) - 16 }

func TestPaletteSurvivesGreyScale(t *testing.T) {
	for i := range chart.PaletteSize {
		if contrast := 1.05 / (luminance(palette[i]) + 0.05); contrast < 2.5 {
			t.Errorf("color %d: contrast %.2f with the paper, want at least 2.5", i+1, contrast)
		}
		if i > 0 {
			if d := math.Abs(lightness(palette[i]) - lightness(palette[i-1])); d < 12 {
				t.Errorf("colors %d and %d: lightness differs by %.1f, want at least 12 of 100", i, i+1, d)
			}
		}
		for j := range i {
			if shapes[i] == shapes[j] {
				t.Errorf("colors %d and %d share a marker", i+1, j+1)
			}
		}
	}
}

func TestColorsStayWithTheirLaw(t *testing.T) {
	got := looks([]chart.Curve{{}, {Reference: true}, {Color: 5}, {}})
	for i, want := range []color.NRGBA{palette[0], reference, palette[4], palette[1]} {
		if got[i].color != want {
			t.Errorf("curve %d has the color %v, want %v", i+1, got[i].color, want)
		}
	}
}

// A legend explains every dash pattern that is drawn.
func TestReferencesWithoutLabelShareAnEntry(t *testing.T) {
	got := looks([]chart.Curve{{Reference: true, Label: "limit"}, {}, {Reference: true}, {Reference: true, Label: "other"}, {Reference: true}})
	for i, want := range []int{0, 1, 0, 3, 3} {
		if fmt.Sprint(got[i]) != fmt.Sprint(got[want]) {
			t.Errorf("reference %d is drawn as %v, want %v as reference %d", i+1, got[i], got[want], want+1)
		}
	}
	if fmt.Sprint(got[0].dashes) == fmt.Sprint(got[3].dashes) {
		t.Errorf("two labeled references share the dashes %v", got[0].dashes)
	}
}

func TestHouseFontHasTheSymbols(t *testing.T) {
	if err := letters.Check("symbols", "εδµμηγαλσντβρθφκω ΔΣ ×≤≥≈≠±−∞√∂∫·–—“”’…²³¹⁰⁴⁵⁶⁷⁸⁹⁻ℓ→ é"); err != nil {
		t.Error(err)
	}
	if err := letters.Check("symbols", "a\u2208b"); err == nil {
		t.Error("U+2208, which the font lacks, was not noticed")
	}
	for _, bold := range []bool{false, true} {
		f := sans(10, bold, ink).Font
		if !font.DefaultCache.Has(f) {
			t.Errorf("font %s is not there", f.Name())
		}
	}
}

// An axis of zeros only has ticks that can be read, and one of a small constant shows its size.
func TestAxisOfAConstant(t *testing.T) {
	for value, want := range map[float64][2]float64{0: {0, 1}, 5: {4.5, 5.5}, -2: {-2.2, -1.8}, 1e-12: {0.9e-12, 1.1e-12}} {
		low, high := widen(value, value, false, 0.05)
		if math.Abs(low-want[0]) > 1e-12*math.Abs(want[0]) || math.Abs(high-want[1]) > 1e-12*math.Abs(want[1]) {
			t.Errorf("values of %g only: an axis from %g to %g, want %g to %g", value, low, high, want[0], want[1])
		}
	}
}

// The wanted labels follow from the rules in the comments of linearTicks and logTicks.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		ticker    plot.Ticker
		low, high float64
		want      []string
	}{
		{linearTicks{}, 0, 1, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{linearTicks{}, -3.2, 7, []string{"−2", "0", "2", "4", "6"}},
		{linearTicks{}, 0.91, 0.934, []string{"0.910", "0.915", "0.920", "0.925", "0.930"}},
		{linearTicks{}, 1e8 - 0.125, 1e8 + 3.125, []string{"0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"}}, // counted from 10⁸, which the label of the axis has
		{linearTicks{}, 3, 3 + 1e-15, []string{"3"}},
		{linearTicks{}, 0.12345678, 0.123456812, []string{"−2·10⁻⁸", "−1.5·10⁻⁸", "−10⁻⁸", "−5·10⁻⁹", "0", "5·10⁻⁹", "10⁻⁸"}},
		{linearTicks{}, 0, 2e7, []string{"0", "5·10⁶", "10⁷", "1.5·10⁷", "2·10⁷"}},
		{logTicks{}, 1, 1000, []string{"1", "10", "100", "1000"}},
		{logTicks{}, 1e-8, 1e-4, []string{"10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴"}},
		{logTicks{}, 1, 30, []string{"1", "2", "5", "10", "20"}},
		{logTicks{}, 2, 4, []string{"2.0", "2.5", "3.0", "3.5", "4.0"}},
	} {
		var got []string
		for _, tick := range c.ticker.Ticks(c.low, c.high) {
			if !tick.IsMinor() {
				got = append(got, tick.Label)
			}
			if tick.Value < c.low*(1-1e-9)-1e-12 || tick.Value > c.high*(1+1e-9)+1e-12 {
				t.Errorf("[%g, %g]: tick at %g", c.low, c.high, tick.Value)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%T [%g, %g]: %q, want %q", c.ticker, c.low, c.high, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%T [%g, %g]: %q, want %q", c.ticker, c.low, c.high, got, c.want)
				break
			}
		}
	}
}

func TestSteppedReferencesAreSolid(t *testing.T) {
	got := looks([]chart.Curve{{Kind: chart.Step, Reference: true, Label: "runs"}, {Kind: chart.Step, Reference: true}, {Reference: true, Label: "limit"}})
	if got[0].dashes != nil || got[1].dashes != nil || got[2].dashes == nil || got[0].width >= got[2].width {
		t.Errorf("looks %+v: want two solid, thinner references of kind Step and one dashed line", got)
	}
}

func TestSmallMarkersAreHalfAsLarge(t *testing.T) {
	got := looks([]chart.Curve{{Kind: chart.Points, Color: 1}, {Kind: chart.Points, Color: 1, Small: true}})
	if a, b := got[0].glyph(), got[1].glyph(); b.Radius != a.Radius/2 || a.Color != b.Color || a.Shape != b.Shape {
		t.Errorf("markers %+v and small %+v", a, b)
	}
}

// What lies on top is drawn last, in white and black, and the line below is seen in its gaps.
func TestOnTopIsDrawnLast(t *testing.T) {
	x, y := chart.Series{1, 2}, chart.Series{1, 2}
	c := chart.Chart{Name: "c", XLabel: "x", YLabel: "y", Curves: []chart.Curve{{Label: "limit", X: x, Y: y, OnTop: true}, {Label: "bound", X: x, Y: y}, {Label: "grey", X: x, Y: y, Reference: true}}}
	var rec recorder.Canvas
	for _, k := range plotters(c) {
		k.Plot(draw.NewCanvas(&rec, 100, 100), axesOf(c, false, 360))
	}
	var pen color.Color
	var dashes []vg.Length
	var drawn []color.Color
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			pen = a.Color
		case *recorder.SetLineDash:
			dashes = a.Dashes
		case *recorder.Stroke:
			if drawn = append(drawn, pen); pen == color.White || pen == ink {
				if len(dashes) != 2 || dashes[0] > dashes[1] {
					t.Errorf("%v has the dashes %v, want gaps no shorter than dashes", pen, dashes)
				}
			}
		}
	}
	if n := len(drawn); n < 4 || drawn[0] != reference || drawn[n-2] != color.White || drawn[n-1] != ink {
		t.Errorf("strokes %v, want grey first, white and black last", drawn)
	}
}
