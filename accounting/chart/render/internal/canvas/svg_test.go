package canvas

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

var svgTokens = regexp.MustCompile(`[a-zA-Z]|-?(?:\d*\.)?\d+`)

// svgPoints reads the data of a path by its grammar, and returns the ends of its parts on the page
// in points. Of an arc it returns the middle too. Closing returns to the start.
func svgPoints(t *testing.T, data string) (out []vg.Point) {
	t.Helper()
	tokens := svgTokens.FindAllString(data, -1)
	if strings.Join(strings.Fields(strings.Join(tokens, "")), "") != strings.ReplaceAll(data, " ", "") {
		t.Fatalf("path %q is more than commands and numbers", data)
	}
	number := func() float64 {
		v, err := strconv.ParseFloat(tokens[0], 64)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		tokens = tokens[1:]
		return v
	}
	var command byte
	var x, y, startX, startY float64
	for len(tokens) > 0 {
		if c := tokens[0][0]; c >= 'A' {
			command, tokens = c, tokens[1:]
		}
		switch command {
		case 'M':
			x, y = number(), number()
			startX, startY = x, y
			command = 'L' // pairs that follow a move are lines
		case 'l':
			x, y = x+number(), y+number()
		case 'h':
			x += number()
		case 'v':
			y += number()
		case 'q', 'c':
			for range map[byte]int{'q': 2, 'c': 4}[command] {
				number()
			}
			x, y = x+number(), y+number()
		case 'a':
			rx, ry, turn, large, sweep, dx, dy := number(), number(), number(), number(), number(), number(), number()
			if rx != ry || turn != 0 || large != 0 {
				t.Fatalf("%q: an arc of radii %g and %g, turned by %g, flag %g", data, rx, ry, turn, large)
			}
			// The middle of an arc of less than half a turn is on the side that the flag has.
			chord := math.Hypot(dx, dy)
			sag := rx - math.Sqrt(max(0, rx*rx-chord*chord/4))
			if sweep == 0 {
				sag = -sag
			}
			out = append(out, vg.Point{X: vg.Length(x + dx/2 + sag*dy/chord), Y: vg.Length(y + dy/2 - sag*dx/chord)})
			x, y = x+dx, y+dy
		case 'z':
			x, y = startX, startY
		default:
			t.Fatalf("%q: command %q", data, command)
		}
		out = append(out, vg.Point{X: vg.Length(x), Y: vg.Length(y)})
	}
	return out
}

// Drawn paths under drawn transformations lie on the page where the transformations, applied one
// after the other to each point, put them: to a hundredth of a point.
func TestSVGPathsLieWhereTheyAreDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	point := func() vg.Point { return vg.Point{X: vg.Length(200 * rng.Float64()), Y: vg.Length(200 * rng.Float64())} }
	for range 500 {
		const height = 300
		c := NewSVG(height, 9)
		var transforms []func(vg.Point) vg.Point
		for range rng.IntN(4) {
			switch rng.IntN(3) {
			case 0:
				angle := rng.NormFloat64()
				c.Rotate(angle)
				transforms = append(transforms, func(p vg.Point) vg.Point {
					turned := complex(float64(p.X), float64(p.Y)) * cmplx.Rect(1, angle)
					return vg.Point{X: vg.Length(real(turned)), Y: vg.Length(imag(turned))}
				})
			case 1:
				by := point()
				c.Translate(by)
				transforms = append(transforms, by.Add)
			case 2:
				by := 0.5 + rng.Float64()
				c.Scale(by, by)
				transforms = append(transforms, func(p vg.Point) vg.Point { return p.Scale(vg.Length(by)) })
			}
		}
		onPage := func(p vg.Point) vg.Point {
			for i := len(transforms) - 1; i >= 0; i-- {
				p = transforms[i](p)
			}
			return vg.Point{X: p.X, Y: height - p.Y}
		}
		var path vg.Path
		var want []vg.Point
		middle := map[int]bool{} // of an arc
		start := point()
		path.Move(start)
		want = append(want, start)
		for range 1 + rng.IntN(6) {
			p := point()
			switch rng.IntN(4) {
			case 0:
				path.Line(p)
			case 1:
				path.QuadTo(point(), p)
			case 2:
				path.CubeTo(point(), point(), p)
			case 3:
				radius, from, angle := vg.Length(1+20*rng.Float64()), 6*rng.Float64(), 3*(2*rng.Float64()-1)
				at := func(a float64) vg.Point {
					return p.Add(vg.Point{X: radius * vg.Length(math.Cos(a)), Y: radius * vg.Length(math.Sin(a))})
				}
				path.Arc(p, radius, from, angle)
				want = append(want, at(from), at(from+angle/2))
				middle[len(want)-1] = true
				p = at(from + angle)
			}
			want = append(want, p)
		}
		if rng.IntN(2) == 0 {
			path.Close()
			want = append(want, start)
		}
		c.SetLineWidth(1)
		c.Stroke(path)
		doc, err := c.Bytes(400, height)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(doc), ` d="`)
		data, _, _ := strings.Cut(rest, `"`)
		got := svgPoints(t, data)
		if len(got) != len(want) {
			t.Fatalf("%q has %d points, want %d", data, len(got), len(want))
		}
		for i := range want {
			w := onPage(want[i])
			// Rounding to a hundredth moves a point by at most 0.0071. The middle of an arc comes from its
			// rounded ends and radius, and moves by more where the arc is nearly half a turn.
			limit := 0.0072
			if middle[i] {
				limit = 0.15
			}
			if d := got[i].Sub(w); math.Hypot(float64(d.X), float64(d.Y)) > limit {
				t.Fatalf("%q: point %d at %v, want %v", data, i, got[i], w)
			}
		}
	}
}

// A circle is closed, and as large as it is drawn.
func TestSVGCircle(t *testing.T) {
	c := NewSVG(100, 9)
	var p vg.Path
	p.Move(vg.Point{X: 12, Y: 50})
	p.Arc(vg.Point{X: 10, Y: 50}, 2, 0, 2*math.Pi)
	p.Close()
	c.Fill(p)
	doc, err := c.Bytes(100, 100)
	if want := `<path d="M12 50a2 2 0 0 0 -4 0a2 2 0 0 0 4 0z"/>`; err != nil || !strings.Contains(string(doc), want) {
		t.Errorf("%s (%v), want %s", doc, err, want)
	}
}

// Strokes of one style are one path. Others, translucent ones, and those with something between
// them are not.
func TestSVGJoinsStrokes(t *testing.T) {
	line := vg.Path{{Type: vg.MoveComp}, {Type: vg.LineComp, Pos: vg.Point{X: 1}}}
	for _, tt := range []struct {
		paths   int
		between func(c *SVG)
	}{
		{1, func(*SVG) {}},
		{2, func(c *SVG) { c.SetLineWidth(3) }},
		{2, func(c *SVG) { c.SetLineDash([]vg.Length{1, 2}, 0) }},
		{2, func(c *SVG) { c.SetColor(color.NRGBA{R: 1, A: 255}) }},
		{3, func(c *SVG) { c.Fill(line) }},
		{3, func(c *SVG) {
			c.DrawImage(vg.Rectangle{Max: vg.Point{X: 1, Y: 1}}, image.NewGray(image.Rect(0, 0, 1, 1)))
		}},
		{2, func(c *SVG) { c.SetColor(color.NRGBA{A: 100}) }},
	} {
		c := NewSVG(10, 9)
		c.Stroke(line)
		tt.between(c)
		c.Stroke(line)
		doc, err := c.Bytes(10, 10)
		if n := bytes.Count(doc, []byte("<path")) + bytes.Count(doc, []byte("<image")); err != nil || n != tt.paths {
			t.Errorf("%s: %d elements (%v), want %d", doc, n, err, tt.paths)
		}
	}
	c := NewSVG(10, 9)
	c.SetColor(color.NRGBA{A: 100})
	c.Stroke(line)
	c.Stroke(line)
	if doc, err := c.Bytes(10, 10); err != nil || bytes.Count(doc, []byte("<path")) != 2 || !bytes.Contains(doc, []byte(`stroke-opacity=".39"`)) {
		t.Errorf("translucent strokes: %s (%v)", doc, err)
	}
}

func TestDecimal(t *testing.T) {
	for hundredths, want := range map[float64]string{0: "0", 5: ".05", -5: "-.05", 100: "1", -1234: "-12.34", 10: ".1", 100000: "1000"} {
		if got := decimal(hundredths); got != want {
			t.Errorf("decimal(%g) = %q, want %q", hundredths, got, want)
		}
	}
	if got := decimal(math.Copysign(0, -1)); got != "0" {
		t.Errorf("decimal(-0) = %q", got)
	}
}
