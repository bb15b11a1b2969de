package render

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
	"github.com/dplab/dplab/accounting/chart/render/internal/canvas"
)

// farthest returns the largest difference of two images in red, green or blue, of 255, at any pixel.
func farthest(a, b image.Image) (d int) {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA), color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			d = max(d, abs(int(p.R)-int(q.R)), abs(int(p.G)-int(q.G)), abs(int(p.B)-int(q.B)))
		}
	}
	return d
}

// PNG's colors are compared with the rendering in true color.
func TestPNGIsPalettedAndNearTheTrueColors(t *testing.T) {
	for i, f := range []chart.Figure{samples.Curves(), samples.Mixed(), samples.Panels(), crowded()} {
		if testing.Short() && i%2 == 0 {
			continue
		}
		name, _ := f.Head()
		data, err := PNG(f)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		img, ok := decoded.(*image.Paletted)
		if !ok || !img.Opaque() {
			t.Fatalf("%s: a %T, want an opaque image with a palette", name, decoded)
		}
		full := trueColor(newLayout(f), pngDPI)
		if img.Bounds() != full.Bounds() {
			t.Fatalf("%s: %v, want %v", name, img.Bounds(), full.Bounds())
		}
		if d := farthest(img, full); d > canvas.ColorError || d == 0 {
			t.Errorf("%s: colors are up to %d of 255 from the true ones, want 1 to %d", name, d, canvas.ColorError)
		}
		for y := range full.Rect.Dy() {
			for x := range full.Rect.Dx() {
				if c := full.RGBAAt(x, y); color.NRGBA(c) == gridInk && img.At(x, y) != color.Color(c) {
					t.Fatalf("%s: a grid line has the color %v, want %v", name, img.At(x, y), c)
				}
			}
		}
	}
}

// The pale color of a band is nearer to white than canvas.ColorError for half of the palette. Without
// its own place in the palette of the PNG the band would vanish.
func TestBandsKeepTheirColor(t *testing.T) {
	c := chart.Chart{Name: "bands", XLabel: "x", YLabel: "y", XMin: 0, XMax: 1, YMin: 0, YMax: chart.PaletteSize + 1}
	for i := range chart.PaletteSize + 1 {
		y := float64(i) + 0.5
		c.Curves = append(c.Curves, chart.Curve{Reference: i == chart.PaletteSize, X: chart.Series{0, 1}, Y: chart.Series{y, y},
			Low: chart.Series{y - 0.3, y - 0.3}, High: chart.Series{y + 0.3, y + 0.3}})
	}
	full := trueColor(newLayout(c), pngDPI)
	img := canvas.Paletted(full, gridInk)
	seen := map[color.Color]bool{}
	for y := range full.Rect.Dy() {
		for x := full.Rect.Dx() / 2; x < full.Rect.Dx()-60; x++ {
			middle, flat := full.RGBAAt(x, y), true
			for i := range 5 {
				flat = flat && full.RGBAAt(x+i, y) == middle && y > i && full.RGBAAt(x, y-i) == middle
			}
			if !flat {
				continue
			}
			seen[middle] = true
			if img.At(x, y) != color.Color(middle) {
				t.Fatalf("an area of color %v has the color %v", middle, img.At(x, y))
			}
		}
	}
	if len(seen) < chart.PaletteSize+2 {
		t.Errorf("%d colors of areas, want the paper's and %d bands'", len(seen), chart.PaletteSize+1)
	}
}

// An image of all colors needs a coarser palette: no 256 colors have one within 32 of each other.
func TestPaletteOfAnyImage(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 200, 200))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(rng.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 0xff
		}
	}
	out := canvas.Paletted(img, gridInk)
	if d := farthest(out, img); len(out.Palette) > 256 || d > 42 {
		t.Errorf("%d colors, up to %d of 255 off; want 256 and 42 at most", len(out.Palette), d)
	}
}
