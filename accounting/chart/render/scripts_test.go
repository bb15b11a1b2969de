package render

import (
	"image"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
)

// drawnText returns the strings that were drawn, and where on the page they start.
func drawnText(rec recorder.Canvas) (drawn []string, at []vg.Point) {
	var origin vg.Point
	sin, cos := 0.0, 1.0
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.Translate:
			origin = a.Point
		case *recorder.Rotate:
			sin, cos = math.Sincos(a.Angle)
		case *recorder.FillString:
			x, y := float64(a.Point.X), float64(a.Point.Y)
			drawn = append(drawn, a.String)
			at = append(at, origin.Add(vg.Point{X: vg.Length(cos*x - sin*y), Y: vg.Length(sin*x + cos*y)}))
		}
	}
	return drawn, at
}

// A text with superscripts starts where a plain text of its width does, and its exponent is to the
// right and higher, seen in the direction of the text.
func TestSuperscriptsAreRaised(t *testing.T) {
	pt := vg.Point{X: 70, Y: 50}
	for _, rotation := range []float64{0, math.Pi / 2} {
		for _, align := range []draw.XAlignment{draw.XLeft, draw.XCenter, draw.XRight} {
			style := sans(10, false, ink)
			style.Rotation, style.XAlign, style.YAlign = rotation, align, draw.YCenter
			var plain, raised recorder.Canvas
			style.Handler.Draw(&plain, "10", style, pt)
			style.Handler.Draw(&raised, "10⁻⁵", style, pt)
			_, want := drawnText(plain)
			drawn, got := drawnText(raised)
			if len(drawn) != 2 || drawn[0] != "10" || drawn[1] != "−5" {
				t.Fatalf("drawn %q, want 10 and −5", drawn)
			}
			wider := style.Width("10⁻⁵") - style.Width("10")
			if full := sans(10, false, ink).Width("−5"); wider <= full/2 || wider >= full {
				t.Errorf("the exponent is %g wide, and %g in the size of the text", wider, full)
			}
			along := func(x, y vg.Length) vg.Point {
				if rotation == 0 {
					return vg.Point{X: x, Y: y}
				}
				return vg.Point{X: -y, Y: x}
			}
			near := func(a, b vg.Point) bool { return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)) < 1e-9 }
			if start := want[0].Add(along(vg.Length(align)*wider, 0)); !near(got[0], start) {
				t.Errorf("rotation %g, alignment %g: 10 starts at %v, want %v", rotation, align, got[0], start)
			}
			if end := got[0].Add(along(style.Width("10"), 3.6)); !near(got[1], end) {
				t.Errorf("rotation %g, alignment %g: the exponent is at %v, want %v", rotation, align, got[1], end)
			}
		}
	}
}

func TestSubscriptsAreLowered(t *testing.T) {
	for text, want := range map[string][]string{
		"A_GC-R, k = 1": {"A", "GC-R", ", k = 1"},
		"ε_B at 10⁻⁵":   {"ε", "B", " at 10", "−5"},
		"T_max ε":       {"T", "max", " ε"},
		"a_ b, 3_4, _c": {"a_ b, 3_4, _c"},
		"x_1_2":         {"x", "1", "_2"},
	} {
		var rec recorder.Canvas
		sans(10, false, ink).Handler.Draw(&rec, text, sans(10, false, ink), vg.Point{})
		drawn, at := drawnText(rec)
		if !slices.Equal(drawn, want) {
			t.Errorf("%q is drawn as %q, want %q", text, drawn, want)
			continue
		}
		if len(at) > 1 && at[1].Y >= at[0].Y {
			t.Errorf("%q: the subscript is at height %g, the text at %g", text, at[1].Y, at[0].Y)
		}
	}
}

// Letters before a superscript or subscript have the pixels that they have without it, wherever
// they lie and whichever way they run: a shift of half a pixel would blur them.
func TestScriptsDoNotBlurTheLine(t *testing.T) {
	draws := func(txt string, at vg.Point, rotation float64) *image.RGBA {
		c := vgimg.NewWith(vgimg.UseWH(60, 60), vgimg.UseDPI(120))
		style := sans(labelSize, false, ink)
		style.Rotation = rotation
		style.Handler.Draw(c, txt, style, at)
		return c.Image().(*image.RGBA)
	}
	for _, at := range []vg.Point{{X: 20, Y: 20}, {X: 20.3, Y: 20.4}, {X: 21.7, Y: 20.9}} {
		for _, rotation := range []float64{0, math.Pi / 2} {
			plain := draws("final", at, rotation)
			for _, txt := range []string{"final²", "final_U"} {
				with := draws(txt, at, rotation)
				dark := 0
				for i := range plain.Pix {
					if i%4 != 3 && plain.Pix[i] < 0x80 && plain.Pix[i-i%4+3] != 0 {
						if dark++; plain.Pix[i] != with.Pix[i] {
							t.Fatalf("%q at %v, turned by %g: a pixel is %d, without the script %d", txt, at, rotation, with.Pix[i], plain.Pix[i])
						}
					}
				}
				if dark < 50 {
					t.Errorf("%d dark pixels of %q", dark, txt)
				}
			}
		}
	}
}
