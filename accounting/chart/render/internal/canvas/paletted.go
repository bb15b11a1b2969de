package canvas

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"slices"
)

const (
	// ColorError is the largest error of a pixel of a PNG, in each of red, green and blue, of 255.
	ColorError = 32
	// areaColors is the number of exact colors of areas: the paper, the pens, the pale color of a
	// band, the colorLevels of cells.
	areaColors = 96
	// areaBlocks is the least number of 2 x 2 pixel blocks of an area's color. A color with fewer
	// blocks is at the edges of letters and lines.
	areaBlocks = 60
)

// rgb is an opaque color.
type rgb [3]uint8

func (c rgb) grey() bool { return c[0] == c[1] && c[1] == c[2] }

// Paletted returns an opaque image in at most 256 colors. A figure has the colors of its pens and,
// at the edges, mixtures of two. Each pixel is within ColorError of its color, or a little more if
// 256 colors are too few. A grey one stays grey. The color thin, of lines too thin for an area,
// stays exact.
func Paletted(img *image.RGBA, thin color.NRGBA) *image.Paletted {
	line := rgb{thin.R, thin.G, thin.B}
	colors, areas := ranked(img)
	exact := min(areas, areaColors)
	greys, all := choose(colors, line, exact, ColorError)
	// 5 x 5 x 5 cubes of 52 x 52 x 52 cover all colors, and two colors of one cube are at most 51
	// apart. So the loop ends with a palette of at most 125 colors and the exact ones.
	for wider := ColorError + 1; len(all) > 256; wider++ {
		greys, all = choose(colors, line, exact, wider)
	}
	index := make(map[rgb]uint8, len(colors))
	for _, c := range colors {
		from := all
		if c.grey() {
			from = greys
		}
		place, _ := nearest(from, c)
		index[c] = uint8(place)
	}
	out := image.NewPaletted(img.Rect, nil)
	for _, c := range all {
		out.Palette = append(out.Palette, color.RGBA{c[0], c[1], c[2], 0xff})
	}
	last, place := rgb{}, index[rgb{}]
	for i := range out.Pix { // neighbors mostly have one color
		if c := rgb(img.Pix[4*i : 4*i+3]); c != last {
			last, place = c, index[c]
		}
		out.Pix[i] = place
	}
	return out
}

// ranked returns the colors of the image, those of areas first, and the number of these. In each
// group the most frequent come first.
func ranked(img *image.RGBA) (colors []rgb, areas int) {
	at := func(x, y int) rgb { return rgb(img.Pix[y*img.Stride+4*x : y*img.Stride+4*x+3]) }
	pixels, blocks := map[rgb]int{}, map[rgb]int{}
	for y := range img.Rect.Dy() {
		for x, dx := 0, img.Rect.Dx(); x < dx; {
			c, begin, block := at(x, y), x, 0
			for ; x < dx && at(x, y) == c; x++ { // neighbors mostly have one color
				if x > begin && y > 0 && c == at(x, y-1) && c == at(x-1, y-1) {
					block++
				}
			}
			pixels[c] += x - begin
			if block > 0 {
				blocks[c] += block
			}
		}
	}
	for c := range pixels {
		colors = append(colors, c)
		if blocks[c] >= areaBlocks {
			areas++
		}
	}
	slices.SortFunc(colors, func(a, b rgb) int {
		if area := blocks[a] >= areaBlocks; area != (blocks[b] >= areaBlocks) {
			if area {
				return -1
			}
			return 1
		}
		return cmp.Or(pixels[b]-pixels[a], bytes.Compare(a[:], b[:]))
	})
	return colors, areas
}

// choose returns a palette, and the greys at its start. It has the first exact colors and the color
// line. For each other color it has one within distance, and for each grey a grey.
func choose(colors []rgb, line rgb, exact, distance int) (greys, all []rgb) {
	for _, grey := range []bool{true, false} {
		for i, c := range colors {
			if c.grey() != grey {
				continue
			}
			if _, d := nearest(all, c); d > distance || i < exact || c == line {
				all = append(all, c)
			}
		}
		if grey {
			greys = all[:len(all):len(all)]
		}
	}
	return greys, all
}

// nearest returns the place of the palette's color nearest to c, and its distance: the largest of
// the differences in red, green and blue. The distance is above 255 for an empty palette.
func nearest(chosen []rgb, c rgb) (place, distance int) {
	distance = 256
	for i, p := range chosen {
		d := 0
		for j := range c {
			d = max(d, int(c[j])-int(p[j]), int(p[j])-int(c[j]))
		}
		if d < distance {
			place, distance = i, d
		}
	}
	return place, distance
}
