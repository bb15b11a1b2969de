package render

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/letters"
)

// palette has colors that people with any color vision can distinguish, also in a grey-scale print.
// Neighbors in the list differ in lightness. Each color has its own dash pattern and marker.
var palette = [chart.PaletteSize]color.NRGBA{
	{0x00, 0x44, 0x88, 0xff}, // dark blue
	{0xd8, 0x8a, 0x00, 0xff}, // amber
	{0xb0, 0x2a, 0x4c, 0xff}, // crimson
	{0x33, 0xa0, 0xd0, 0xff}, // sky
	{0x20, 0x60, 0x2c, 0xff}, // forest
	{0xcc, 0x79, 0xa7, 0xff}, // pink
	{0x3a, 0x2a, 0x5e, 0xff}, // indigo
	{0x7f, 0x8c, 0x1f, 0xff}, // olive
}

var dashes = [chart.PaletteSize][]vg.Length{
	nil, {6, 2.5}, {1.6, 1.8}, {8, 2, 1.6, 2}, {3.5, 2}, {10, 2.5}, {6, 2, 1.6, 2, 1.6, 2}, {2.5, 1.2},
}

var shapes = [chart.PaletteSize]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{},
	draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{},
}

var (
	ink       = color.NRGBA{0x20, 0x20, 0x20, 0xff}
	paleInk   = color.NRGBA{0x55, 0x55, 0x55, 0xff}
	gridInk   = color.NRGBA{0xe4, 0xe4, 0xe4, 0xff}
	reference = color.NRGBA{0x77, 0x77, 0x77, 0xff}
	// paleReference is for many single runs over each other.
	paleReference = color.NRGBA{0xa8, 0xa8, 0xa8, 0xff}
)

const (
	titleSize  = vg.Length(11)
	labelSize  = vg.Length(10)
	tickSize   = vg.Length(9)
	legendSize = vg.Length(9)
	noteSize   = vg.Length(8)

	markerRadius = vg.Length(2.3)
	topWidth     = vg.Length(1) // of a line on top; one below is 1.6 wide
)

// The dashes of a line on top are black on longer white ones. Most of the line below stays visible.
var topWhite, topBlack = []vg.Length{4, 5}, []vg.Length{3, 6}

const topOffset = vg.Length(8.5) // centers the black dashes in the white ones

// look is the style of one curve.
type look struct {
	color  color.NRGBA
	dashes []vg.Length
	shape  draw.GlyphDrawer
	width  vg.Length
	kind   chart.Kind
	marked bool // markers on a line
	small  bool // markers of half the size
	onTop  bool // over a white line or disc
}

// looks returns the look of each curve. References share a grey, and the others take the palette in
// turn. A reference without a label has the dashes of the one before, as it shares that one's
// legend entry.
func looks(curves []chart.Curve) []look {
	out := make([]look, len(curves))
	next, grey := 0, 0
	for i, k := range curves {
		if k.OnTop {
			out[i] = look{color: ink, dashes: topBlack, shape: draw.CrossGlyph{}, width: topWidth, kind: k.Kind, onTop: true}
			continue
		}
		if k.Kind == chart.Cells { // they have the colors of their values
			out[i] = look{kind: k.Kind}
			continue
		}
		if k.Reference {
			if k.Label != "" || grey == 0 {
				grey++
			}
			out[i] = look{color: reference, dashes: dashes[grey%chart.PaletteSize], shape: draw.CrossGlyph{}, width: 1, kind: k.Kind}
			if k.Kind == chart.Step { // dashes would hide its steps
				out[i].color, out[i].dashes, out[i].width = paleReference, nil, 0.6
			}
			continue
		}
		slot := k.Color - 1
		if slot < 0 {
			slot = next % chart.PaletteSize
			next++
		}
		out[i] = look{color: palette[slot], dashes: dashes[slot], shape: shapes[slot], width: 1.6, kind: k.Kind, marked: true, small: k.Small}
	}
	return out
}

// like reports whether two curves look the same. One may be points and the other a line through
// such points.
func (l look) like(m look) bool {
	area := func(k chart.Kind) bool { return k == chart.Bars || k == chart.Boxes }
	if (area(l.kind) || area(m.kind)) && l.kind != m.kind {
		return false
	}
	l.kind = m.kind
	return fmt.Sprint(l) == fmt.Sprint(m)
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: l.width, Dashes: l.dashes}
}

// stroke draws the lines. Lines on top are drawn over white.
func (l look) stroke(c draw.Canvas, lines ...[]vg.Point) {
	style := l.line()
	if l.onTop {
		c.StrokeLines(draw.LineStyle{Color: color.White, Width: topWidth, Dashes: topWhite}, lines...)
		style.DashOffs = topOffset
	}
	c.StrokeLines(style, lines...)
}

// mark draws the marker. A marker on top is drawn over white.
func (l look) mark(c draw.Canvas, at vg.Point) {
	if l.onTop {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: l.glyph().Radius, Shape: draw.CircleGlyph{}}, at)
	}
	c.SetLineStyle(draw.LineStyle{Color: l.color, Width: 0.9})
	c.DrawGlyphNoClip(l.glyph(), at)
}

func (l look) glyph() draw.GlyphStyle {
	radius := markerRadius
	switch {
	case l.small:
		radius /= 2
	case l.onTop: // within a marker below
		radius *= 0.8
	}
	return draw.GlyphStyle{Color: l.color, Radius: radius, Shape: l.shape}
}

func (l look) faded(alpha uint8) color.NRGBA {
	c := l.color
	c.A = alpha
	return c
}

// sans returns a text style in the house font.
func sans(size vg.Length, bold bool, ink color.Color) text.Style {
	return text.Style{Color: ink, Font: letters.Font(size, bold), Handler: scripts{plot.DefaultTextHandler}}
}

// fitted returns the style with a smaller font, down to 60%, until the text is at most width wide.
func fitted(style text.Style, line string, width vg.Length) text.Style {
	if w := style.Width(line); w > width && w > 0 {
		style.Font.Size *= max(width/w, 0.6)
	}
	return style
}
