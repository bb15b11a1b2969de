package canvas

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// SVG draws an SVG document. It replaces gonum/plot's vgsvg, because notebooks store these
// documents and its documents are less than half as long. Coordinates are on the page, relative to
// the last point, in hundredths of a point. Consecutive strokes of one style are one path. Fonts
// are named, not embedded.
//
// The scales of x and y must be equal, up to the sign.
type SVG struct {
	body  bytes.Buffer
	now   state
	stack []state
	size  vg.Length // of most texts

	stroke string       // the style of the path in paths, if any
	paths  bytes.Buffer // data of strokes that are not yet in body
	label  *label       // a text that is not yet in body
	err    error
}

// label is one text element. Strings that follow each other on a line, such as a letter and its
// subscript, are parts of one: then they keep together in any font.
type label struct {
	now          state
	start, next  vg.Point // in the coordinates of now
	size         vg.Length
	head, inside string // attributes and content
}

// fixed is a length in points. A longer label has its length in the document, and fills it in a
// font of other widths too.
const fixed = 40

// state is the state that Push keeps. (x, y) is drawn at (a x + c y + e, b x + d y + f) of the
// page. Its y grows downwards.
type state struct {
	a, b, c, d, e, f float64
	color            color.NRGBA
	width            vg.Length
	dashes           string
}

// fontFamily names the font of texts in SVG documents, and others of the same widths.
const fontFamily = "'Liberation Sans',Arial,Helvetica,sans-serif"

// NewSVG returns a document of a page of height h. Most of its texts have the given size, which is
// written once.
func NewSVG(h, size vg.Length) *SVG {
	c := &SVG{now: state{a: 1, d: -1, f: float64(h)}, size: size}
	vg.Initialize(c)
	return c
}

// Bytes returns the document of a page of the given size.
func (c *SVG) Bytes(w, h vg.Length) ([]byte, error) {
	c.flush()
	width, height := decimal(math.Round(100*float64(w))), decimal(math.Round(100*float64(h)))
	head := fmt.Sprintf(`<?xml version="1.0"?>`+"\n"+`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" xml:space="preserve">`+"\n"+
		`<g font-family="%s" font-size="%s" stroke-width="1">`+"\n", width, height, width, height, fontFamily, decimal(100*float64(c.size)))
	return append(append([]byte(head), c.body.Bytes()...), "</g>\n</svg>\n"...), c.err
}

// decimal writes hundredths as a decimal number in as few characters as possible.
func decimal(hundredths float64) string {
	text := strconv.FormatFloat(hundredths/100, 'f', 2, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	switch {
	case text == "-0" || text == "" || text == "-":
		return "0"
	case strings.HasPrefix(text, "0."):
		return text[1:]
	case strings.HasPrefix(text, "-0."):
		return "-" + text[2:]
	}
	return text
}

// place returns the coordinates of a point on the page, in hundredths of a point.
func (s state) place(x, y float64) (px, py float64) {
	return math.Round(100 * (s.a*x + s.c*y + s.e)), math.Round(100 * (s.b*x + s.d*y + s.f))
}

// scale returns the length of a unit on the page.
func (s state) scale() float64 { return math.Hypot(s.a, s.b) }

// SetLineWidth implements vg.Canvas.
func (c *SVG) SetLineWidth(w vg.Length) { c.now.width = w }

// SetLineDash implements vg.Canvas.
func (c *SVG) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var lengths []string
	for _, l := range pattern {
		lengths = append(lengths, decimal(math.Round(100*float64(l)*c.now.scale())))
	}
	c.now.dashes = attribute("stroke-dasharray", strings.Join(lengths, " "), "")
	if len(lengths) > 0 {
		c.now.dashes += attribute("stroke-dashoffset", decimal(math.Round(100*float64(offset)*c.now.scale())), "0")
	}
}

// SetColor implements vg.Canvas.
func (c *SVG) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	c.now.color = color.NRGBAModel.Convert(clr).(color.NRGBA)
}

// Rotate implements vg.Canvas.
func (c *SVG) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	s := &c.now
	s.a, s.b, s.c, s.d = s.a*cos+s.c*sin, s.b*cos+s.d*sin, s.c*cos-s.a*sin, s.d*cos-s.b*sin
}

// Translate implements vg.Canvas.
func (c *SVG) Translate(p vg.Point) {
	s := &c.now
	s.e, s.f = s.a*float64(p.X)+s.c*float64(p.Y)+s.e, s.b*float64(p.X)+s.d*float64(p.Y)+s.f
}

// Scale implements vg.Canvas.
func (c *SVG) Scale(x, y float64) {
	s := &c.now
	s.a, s.b, s.c, s.d = s.a*x, s.b*x, s.c*y, s.d*y
}

// Push implements vg.Canvas.
func (c *SVG) Push() { c.stack = append(c.stack, c.now) }

// Pop implements vg.Canvas.
func (c *SVG) Pop() {
	c.now = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}

// attribute returns an attribute with a space before it. It returns "" if the value is the default.
func attribute(name, value, otherwise string) string {
	if value == otherwise {
		return ""
	}
	return fmt.Sprintf(` %s="%s"`, name, value)
}

// paint returns the attributes of a color, for fill or stroke.
func (s state) paint(what, otherwise string) string {
	n := s.color
	hex := fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
	if hex[1] == hex[2] && hex[3] == hex[4] && hex[5] == hex[6] {
		hex = "#" + hex[1:2] + hex[3:4] + hex[5:6]
	}
	return attribute(what, hex, otherwise) + attribute(what+"-opacity", decimal(math.Round(100*float64(n.A)/255)), "1")
}

// Stroke implements vg.Canvas.
func (c *SVG) Stroke(p vg.Path) {
	if c.now.width <= 0 {
		return
	}
	width := decimal(math.Round(100 * float64(c.now.width) * c.now.scale()))
	style := ` fill="none"` + c.now.paint("stroke", "none") + attribute("stroke-width", width, "1") + c.now.dashes
	if style != c.stroke || c.now.color.A != 255 { // translucent strokes darken each other
		c.flush()
		c.stroke = style
	}
	c.paths.WriteString(c.now.data(p))
}

// flush writes the collected strokes and the label.
func (c *SVG) flush() {
	if l := c.label; l != nil {
		length := ""
		if along := float64(l.next.X-l.start.X) * l.now.scale(); along > fixed {
			length = attribute("textLength", decimal(math.Round(100*along)), "")
		}
		fmt.Fprintf(&c.body, "<text%s%s>%s</text>\n", l.head, length, l.inside)
		c.label = nil
	}
	if c.paths.Len() > 0 {
		fmt.Fprintf(&c.body, "<path%s d=\"%s\"/>\n", c.stroke, c.paths.Bytes())
	}
	c.paths.Reset()
	c.stroke = ""
}

// Fill implements vg.Canvas.
func (c *SVG) Fill(p vg.Path) {
	c.flush()
	fmt.Fprintf(&c.body, "<path%s d=\"%s\"/>\n", c.now.paint("fill", "#000"), c.now.data(p))
}

// FillString implements vg.Canvas.
func (c *SVG) FillString(f font.Face, pt vg.Point, text string) {
	if f.Font.Size == 0 {
		return
	}
	s, width := c.now, f.Width(text)
	text = html.EscapeString(text)
	if l := c.label; l != nil && l.now == s && math.Abs(float64(pt.X-l.next.X)) < 0.01 && math.Abs(float64(pt.Y-l.next.Y)) < float64(l.size) {
		rise := decimal(math.Round(100 * float64(l.next.Y-pt.Y) * s.scale()))
		l.inside += fmt.Sprintf("<tspan%s%s>%s</tspan>", attribute("dy", rise, "0"), attribute("font-size", c.points(f.Font.Size), c.points(l.size)), text)
		l.next = vg.Point{X: pt.X + width, Y: pt.Y}
		return
	}
	c.flush()
	x, y := s.place(float64(pt.X), float64(pt.Y))
	weight, turn := "normal", ""
	if f.Font.Weight >= xfont.WeightSemiBold {
		weight = "bold"
	}
	at := decimal(x) + " " + decimal(y)
	if angle := math.Atan2(s.b, s.a) * 180 / math.Pi; angle != 0 {
		turn = attribute("transform", fmt.Sprintf("rotate(%s %s)", decimal(math.Round(100*angle)), at), "")
	}
	c.label = &label{now: s, start: pt, next: vg.Point{X: pt.X + width, Y: pt.Y}, size: f.Font.Size, inside: text,
		head: fmt.Sprintf(` x="%s" y="%s"%s%s%s%s`, decimal(x), decimal(y), turn,
			attribute("font-size", c.points(f.Font.Size), decimal(100*float64(c.size))), attribute("font-weight", weight, "normal"), s.paint("fill", "#000"))}
}

// points writes the size of a font on the page.
func (c *SVG) points(size vg.Length) string {
	return decimal(math.Round(100 * float64(size) * c.now.scale()))
}

// DrawImage implements vg.Canvas.
func (c *SVG) DrawImage(rect vg.Rectangle, img image.Image) {
	c.flush()
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		c.err = fmt.Errorf("render: svg: %w", err)
		return
	}
	s := c.now
	x, y := s.place(float64(rect.Min.X), float64(rect.Max.Y))
	size := rect.Size()
	fmt.Fprintf(&c.body, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="data:image/png;base64,%s"/>`+"\n", decimal(x), decimal(y),
		decimal(math.Round(100*float64(size.X)*s.scale())), decimal(math.Round(100*float64(size.Y)*s.scale())), base64.StdEncoding.EncodeToString(data.Bytes()))
}
