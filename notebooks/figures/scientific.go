package figures

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Scientific writes v for an axis label, a title or a sentence, with all its digits: 1e-5 is "10⁻⁵" and 2e-5 is
// "2·10⁻⁵". From 0.01 up to 100,000 it is written plainly. Tables have the form of Format, which programs read too.
func Scientific(v float64) string {
	size := math.Abs(v)
	if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 || size >= 0.01 && size < 1e5 {
		return Format(v, 0)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	e, _ := strconv.Atoi(exponent) // FormatFloat writes one
	switch mantissa {
	case "1":
		return power(e)
	case "-1":
		return "−" + power(e)
	}
	return minus(mantissa) + "·" + power(e)
}

// power writes 10 to the power e.
func power(e int) string {
	return "10" + strings.Map(func(r rune) rune { return []rune("⁻?/⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'-'] }, strconv.Itoa(e))
}

// superscripts are drawn as these characters, small and raised: the house font lacks some of them.
var superscripts = map[rune]rune{
	'⁻': '−', '⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6', '⁷': '7', '⁸': '8', '⁹': '9'}

// raising draws one line of text, with superscripts.
type raising struct{ text.Handler }

// piece is a part of a text: all superscripts, or none.
type piece struct {
	text string
	font font.Font
	rise vg.Length
}

func pieces(txt string, fnt font.Font) (out []piece) {
	small := fnt
	small.Size *= 0.72
	for _, r := range txt {
		p := piece{font: fnt}
		if plain, raised := superscripts[r]; raised {
			p, r = piece{font: small, rise: 0.36 * fnt.Size}, plain
		}
		if last := len(out) - 1; last < 0 || out[last].rise != p.rise {
			out = append(out, p)
		}
		out[len(out)-1].text += string(r)
	}
	return out
}

// Box returns the size of the text: the height and depth are those of a line without superscripts.
func (h raising) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Handler.Box("", fnt)
	for _, p := range pieces(txt, fnt) {
		w, _, _ := h.Handler.Box(p.text, p.font)
		width += w
	}
	return width, height, depth
}

// Draw draws the text where the handler would draw it, piece by piece.
func (h raising) Draw(c vg.Canvas, txt string, style text.Style, pt vg.Point) {
	list := pieces(txt, style.Font)
	if len(list) == 0 || len(list) == 1 && list[0].rise == 0 {
		h.Handler.Draw(c, txt, style, pt)
		return
	}
	c.SetColor(style.Color)
	c.Push()
	c.Translate(pt)
	c.Rotate(style.Rotation)
	at := vg.Point{
		X: vg.Length(style.XAlign) * style.Width(txt),
		Y: vg.Length(style.YAlign)*style.Height(txt) + style.Font.Size - style.FontExtents().Ascent, // the baseline, as text.Plain has it
	}
	for _, p := range list {
		c.FillString(h.Cache().Lookup(p.font, p.font.Size), at.Add(vg.Point{Y: p.rise}), p.text)
		w, _, _ := h.Handler.Box(p.text, p.font)
		at.X += w
	}
	c.Pop()
}
