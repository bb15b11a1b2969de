package figures

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

func TestScientific(t *testing.T) {
	for v, want := range map[float64]string{
		1e-5: "10⁻⁵", 2e-5: "2·10⁻⁵", 1e-9: "10⁻⁹", 1.25e-3: "1.25·10⁻³", -1e-10: "−10⁻¹⁰", -3e7: "−3·10⁷", 1e5: "10⁵", 1e23: "10²³", 6e-308: "6·10⁻³⁰⁸",
		0: "0", 1: "1", 0.01: "0.01", 0.05: "0.05", -0.5: "−0.5", 20: "20", 99999: "99999", math.Inf(1): "∞", math.Inf(-1): "−∞",
	} {
		if got := Scientific(v); got != want {
			t.Errorf("Scientific(%g) = %q, want %q", v, got, want)
		}
	}
}

// letters returns the strings that were drawn, and where on the page they start.
func letters(rec recorder.Canvas) (drawn []string, at []vg.Point) {
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

// A text with superscripts starts where a plain text of its width does, and its exponent is to the right and higher,
// seen in the direction of the text.
func TestSuperscriptsAreRaised(t *testing.T) {
	pt := vg.Point{X: 70, Y: 50}
	for _, rotation := range []float64{0, math.Pi / 2} {
		for _, align := range []draw.XAlignment{draw.XLeft, draw.XCenter, draw.XRight} {
			style := sans(10, false, ink)
			style.Rotation, style.XAlign, style.YAlign = rotation, align, draw.YCenter
			var plain, raised recorder.Canvas
			style.Handler.Draw(&plain, "10", style, pt)
			style.Handler.Draw(&raised, "10⁻⁵", style, pt)
			_, want := letters(plain)
			drawn, got := letters(raised)
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
