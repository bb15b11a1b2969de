package render

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"image/png"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/render/internal/canvas"
)

// pngDPI is the resolution of PNG images: two pixels for each CSS pixel. Prints have printDPI, as
// journals want.
const (
	pngDPI   = 192
	printDPI = 300
)

// Size returns the figure's size in CSS pixels (1/96 inch).
func Size(f chart.Figure) (width, height int, err error) {
	l, err := measured(f)
	if err != nil {
		return 0, 0, err
	}
	size := l.page()
	return pixels(size.X), pixels(size.Y), nil
}

func pixels(l vg.Length) int { return int(l/vg.Inch*96 + 0.5) }

// PNG returns the figure as a PNG image at pngDPI, opaque.
func PNG(f chart.Figure) ([]byte, error) {
	l, err := measured(f)
	if err != nil {
		return nil, err
	}
	dpi := pngDPI
	if _, printed := f.(Print); printed {
		dpi = printDPI
	}
	size := l.page()
	c := vgimg.NewWith(vgimg.UseWH(size.X, size.Y), vgimg.UseDPI(dpi))
	l.drawOn(c)
	var out bytes.Buffer
	if err := png.Encode(&out, c.Image()); err != nil {
		return nil, fmt.Errorf("render: png: %w", err)
	}
	return withProperties(out.Bytes(), f), nil
}

// drawOn draws the layout on a canvas of the page's size.
func (l layout) drawOn(c vg.Canvas) {
	if l.scale != 1 {
		c.Scale(float64(l.scale), float64(l.scale))
	}
	l.draw(draw.NewCanvas(c, l.size.X, l.size.Y))
}

// SVG returns the figure as an SVG document. Text stays text, in Liberation Sans or another font of
// the same widths (Arial, Helvetica).
func SVG(f chart.Figure) ([]byte, error) {
	l, err := measured(f)
	if err != nil {
		return nil, err
	}
	size := l.page()
	c := canvas.NewSVG(size.Y, tickSize)
	l.drawOn(c)
	doc, err := c.Bytes(size.X, size.Y)
	if err != nil {
		return nil, err
	}
	return describedSVG(doc, f), nil
}

// PDF returns the figure as a PDF page of the figure's size. It embeds the letters of the text.
func PDF(f chart.Figure) ([]byte, error) {
	l, err := measured(f)
	if err != nil {
		return nil, err
	}
	size := l.page()
	c := canvas.NewPDF(size.X, size.Y)
	if title, made := properties(f); made != "" {
		c.Describe(title, made)
	}
	l.drawOn(c)
	return c.Bytes()
}

// byEnding has the file endings of all formats.
var byEnding = map[string]func(chart.Figure) ([]byte, error){".pdf": PDF, ".svg": SVG, ".png": PNG}

// CheckPath returns an error unless the path ends in .pdf, .svg or .png, in small letters or
// capitals.
func CheckPath(path string) error {
	if byEnding[strings.ToLower(filepath.Ext(path))] == nil {
		return fmt.Errorf("%q: must end in .pdf, .svg or .png", path)
	}
	return nil
}

// File returns the figure in the format of a path's ending. It writes nothing.
func File(f chart.Figure, path string) ([]byte, error) {
	if err := CheckPath(path); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	return byEnding[strings.ToLower(filepath.Ext(path))](f)
}

// withProperties returns a PNG image with the title and the origin of the figure, as international
// text (PNG specification, 3rd edition, 11.3.3.4), and with its resolution. An image of unknown
// origin is returned as it is.
func withProperties(image []byte, f chart.Figure) []byte {
	title, made := properties(f)
	if made == "" {
		return image
	}
	perMetre := make([]byte, 9)
	dots := float64(printDPI) / 0.0254
	binary.BigEndian.PutUint32(perMetre, uint32(dots+0.5))
	binary.BigEndian.PutUint32(perMetre[4:], uint32(dots+0.5))
	perMetre[8] = 1                   // the unit is the metre
	const header = 8 + 4 + 4 + 13 + 4 // the signature and the chunk IHDR
	out := bytes.NewBuffer(bytes.Clone(image[:header]))
	out.Write(chunk("pHYs", perMetre))
	for _, property := range [][2]string{{"Title", title}, {"Description", made}} {
		out.Write(chunk("iTXt", []byte(property[0]+"\x00\x00\x00\x00\x00"+property[1])))
	}
	out.Write(image[header:])
	return out.Bytes()
}

// chunk returns one chunk of a PNG file.
func chunk(name string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, name...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// describedSVG returns an SVG document with the title and the origin of the figure.
func describedSVG(doc []byte, f chart.Figure) []byte {
	title, made := properties(f)
	start := bytes.Index(doc, []byte("<svg"))
	if made == "" || start < 0 {
		return doc
	}
	end := start + bytes.IndexByte(doc[start:], '>') + 1
	text := "\n<title>" + html.EscapeString(title) + "</title><desc>" + html.EscapeString(made) + "</desc>"
	return append(append(bytes.Clone(doc[:end]), text...), doc[end:]...)
}
