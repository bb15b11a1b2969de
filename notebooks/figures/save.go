package figures

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// PNGDPI is the resolution of PNG images: two pixels for each CSS pixel.
const PNGDPI = 192

// Size returns the figure's size in CSS pixels (1/96 inch).
func Size(f Figure) (width, height int, err error) {
	if err := f.Validate(); err != nil {
		return 0, 0, err
	}
	size := newLayout(f).size
	return pixels(size.X), pixels(size.Y), nil
}

func pixels(l vg.Length) int { return int(l/vg.Inch*96 + 0.5) }

// PNG returns the figure as a PNG image at PNGDPI, opaque, in a palette of at most 256 colors.
func PNG(f Figure) ([]byte, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	return encoded(newLayout(f), PNGDPI)
}

// A figure of more pixels than previewPixels at PNGDPI has many panels. In a notebook, which keeps its pictures and their
// whole history, it is drawn at previewDPI.
const (
	previewDPI    = 120
	previewPixels = 1_500_000
)

// Preview returns the figure as a PNG image for a notebook: PNG's (same), or a smaller one of a figure with many panels.
func Preview(f Figure) (image []byte, same bool, err error) {
	if err := f.Validate(); err != nil {
		return nil, false, err
	}
	l, dpi := newLayout(f), PNGDPI
	if l.size.X.Dots(PNGDPI)*l.size.Y.Dots(PNGDPI) > previewPixels {
		dpi = previewDPI
	}
	image, err = encoded(l, dpi)
	return image, dpi == PNGDPI, err
}

func encoded(l layout, dpi int) ([]byte, error) {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, paletted(trueColor(l, dpi))); err != nil {
		return nil, fmt.Errorf("figures: png: %w", err)
	}
	return out.Bytes(), nil
}

// trueColor draws a figure. All its pixels are opaque: the page is white.
func trueColor(l layout, dpi int) *image.RGBA {
	c := vgimg.NewWith(vgimg.UseWH(l.size.X, l.size.Y), vgimg.UseDPI(dpi))
	l.draw(draw.New(c))
	return c.Image().(*image.RGBA)
}

// SVG returns the figure as an SVG document. Its text stays text, in Liberation Sans or any font of the same
// widths (Arial, Helvetica).
func SVG(f Figure) ([]byte, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	l := newLayout(f)
	c := vgsvg.New(l.size.X, l.size.Y)
	l.draw(draw.New(c))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("figures: svg: %w", err)
	}
	fonts := strings.NewReplacer("font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;",
		"font-variant:normal;", "", "font-style:normal;", "", "font-weight:normal;", "")
	return []byte(fonts.Replace(out.String())), nil
}

// PDF returns the figure as a PDF page of its own size, with the letters that it uses embedded.
func PDF(f Figure) ([]byte, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	l := newLayout(f)
	c := newPDF(l.size.X, l.size.Y)
	l.draw(draw.NewCanvas(c, l.size.X, l.size.Y))
	return c.bytes()
}
