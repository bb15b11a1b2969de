package figures

import (
	"fmt"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// wrap breaks a text at spaces into lines at most width wide. A single longer word stays whole.
func wrap(style text.Style, s string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// checkText reports a character that the house font lacks: it would be drawn as an empty box.
func checkText(where, s string) error {
	face := font.DefaultCache.Lookup(sans(labelSize, false, ink).Font, labelSize)
	var buf sfnt.Buffer
	for _, r := range s {
		if index, err := face.Face.GlyphIndex(&buf, r); err != nil || index == 0 {
			return fmt.Errorf("%s %q: the font has no %q (%U)", where, s, r, r)
		}
	}
	return nil
}

// powers draws a tick label such as "10^-6" with a raised exponent: the house font lacks some of
// Unicode's superscript digits. Text without a circumflex is drawn plainly.
type powers struct{ text.Handler }

func newPowers() powers { return powers{plot.DefaultTextHandler} }

func (p powers) split(txt string, fnt font.Font) (base, exponent string, small font.Font) {
	base, exponent, _ = strings.Cut(txt, "^")
	small = fnt
	small.Size *= 0.72
	return base, strings.Replace(exponent, "-", "−", 1), small
}

// Box returns the size of the label on its line.
func (p powers) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	base, exponent, small := p.split(txt, fnt)
	width, height, depth = p.Handler.Box(base, fnt)
	if exponent != "" {
		w, _, _ := p.Handler.Box(exponent, small)
		width += w
	}
	return width, height, depth
}

// Draw draws the base, then the exponent 0.4 of the font size higher.
func (p powers) Draw(c vg.Canvas, txt string, style text.Style, pt vg.Point) {
	base, exponent, small := p.split(txt, style.Font)
	width, _, _ := p.Box(txt, style.Font)
	pt.X += vg.Length(style.XAlign) * width
	style.XAlign = text.XLeft
	p.Handler.Draw(c, base, style, pt)
	if exponent == "" {
		return
	}
	w, height, depth := p.Handler.Box(base, style.Font)
	_, smallHeight, smallDepth := p.Handler.Box(exponent, small)
	pt.X += w
	// The style's vertical alignment is relative to each text's own height: line the two baselines up.
	pt.Y += vg.Length(style.YAlign) * ((height + depth) - (smallHeight + smallDepth))
	pt.Y += depth - smallDepth + 0.4*style.Font.Size
	style.Font = small
	p.Handler.Draw(c, exponent, style, pt)
}
