package render

import (
	"math"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/dplab/dplab/accounting/chart/internal/letters"
)

// scripts draws one line of text with superscripts and subscripts. Letters, digits and hyphens
// after a letter and an underscore are a subscript: "ε_B", "A_GC-R". The underscore itself is not
// drawn.
type scripts struct{ text.Handler }

// piece is a part of a text: plain text, superscripts, or one subscript.
type piece struct {
	text string
	font font.Font
	rise vg.Length // negative for a subscript
}

// leastScript is the size of a script that is 7 points high in print. Notes are not printed.
const leastScript = 7 / printScale

func pieces(txt string, fnt font.Font) (out []piece) {
	small := fnt
	if small.Size *= 0.72; fnt.Size > noteSize {
		small.Size = max(small.Size, min(leastScript, fnt.Size))
	}
	line, runes := []rune(txt), []rune(nil)
	lowered := false
	for i, r := range line {
		if r == '_' && i > 0 && unicode.IsLetter(line[i-1]) && i+1 < len(line) && inSubscript(line[i+1]) && !lowered {
			lowered = true
			continue
		}
		lowered = lowered && inSubscript(r)
		p := piece{font: fnt}
		if plain, raised := letters.Superscripts[r]; raised {
			p, r = piece{font: small, rise: 0.36 * fnt.Size}, plain
		} else if lowered {
			p = piece{font: small, rise: -0.18 * fnt.Size}
		}
		if last := len(out) - 1; last < 0 || out[last].rise != p.rise {
			out, runes = append(out, p), nil
		}
		runes = append(runes, r)
		out[len(out)-1].text = string(runes)
	}
	return out
}

// inSubscript reports whether r can be in a subscript.
func inSubscript(r rune) bool {
	return r == '-' || r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Box returns the size of the text. Its height and depth are those of a line without scripts.
func (h scripts) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Handler.Box("", fnt)
	for _, p := range pieces(txt, fnt) {
		w, _, _ := h.Handler.Box(p.text, p.font)
		width += w
	}
	return width, height, depth
}

// Draw draws the text where the handler would draw it, piece by piece.
func (h scripts) Draw(c vg.Canvas, txt string, style text.Style, pt vg.Point) {
	list := pieces(txt, style.Font)
	if len(list) == 0 || len(list) == 1 && list[0].rise == 0 {
		h.Handler.Draw(c, txt, style, pt)
		return
	}
	c.SetColor(style.Color)
	c.Push()
	c.Rotate(style.Rotation)
	// As in text.Plain, the place is turned back instead of moving the canvas. A shift by a part of
	// a pixel would blur the letters of an image.
	sin, cos := math.Sincos(-style.Rotation)
	at := vg.Point{X: pt.X*vg.Length(cos) - pt.Y*vg.Length(sin), Y: pt.X*vg.Length(sin) + pt.Y*vg.Length(cos)}
	at.X += vg.Length(style.XAlign) * style.Width(txt)
	at.Y += vg.Length(style.YAlign)*style.Height(txt) + style.Font.Size - style.FontExtents().Ascent // the baseline
	for _, p := range list {
		c.FillString(h.Cache().Lookup(p.font, p.font.Size), at.Add(vg.Point{Y: p.rise}), p.text)
		w, _, _ := h.Handler.Box(p.text, p.font)
		at.X += w
	}
	c.Pop()
}
