package images

import (
	"image"
	"math"
)

// window is the weighted mean of neighbors that one place of a resized line is.
type window struct {
	from    int
	weights []float64 // of the places from on; they add up to 1
}

// triangle returns the windows that make out places of in. With x = (i + 1/2) in/out, the weight of
// place j is in proportion to
//
//	max(0, 1 - |j + 1/2 - x|/s),  s = max(1, in/out)
//
// So an image that shrinks is averaged, and one that grows is interpolated. No weight is beyond the
// edge.
//
// Reference: Pillow 13, src/libImaging/Resample.c, precompute_coeffs with bilinear_filter.
func triangle(in, out int) []window {
	windows, step := make([]window, out), float64(in)/float64(out)
	reach := max(1, step)
	for i := range windows {
		center, sum := (float64(i)+0.5)*step, 0.0
		w := window{from: max(0, int(center-reach+0.5))}
		for j := w.from; j < min(in, int(center+reach+0.5)); j++ {
			weight := max(0, 1-math.Abs(float64(j)+0.5-center)/reach)
			w.weights, sum = append(w.weights, weight), sum+weight
		}
		for k := range w.weights {
			w.weights[k] /= sum
		}
		windows[i] = w
	}
	return windows
}

// appendMeans adds the mean of each window. Each place of line has size numbers.
func appendMeans(features, line []float32, windows []window, size int) []float32 {
	for _, w := range windows {
		for k := range size {
			mean := 0.0
			for j, weight := range w.weights {
				mean += weight * float64(line[(w.from+j)*size+k])
			}
			features = append(features, float32(mean))
		}
	}
	return features
}

// appendResized adds the numbers of an opaque image at another size: first along rows, then along
// columns. At its own size it adds the pixels themselves.
func appendResized(features []float32, picture image.RGBA64Image, height, width, channels int) []float32 {
	box := picture.Bounds()
	if box.Dy() == height && box.Dx() == width {
		for y := range height {
			features = appendRow(features, picture, y, channels)
		}
		return features
	}
	var row, rows []float32
	across := triangle(box.Dx(), width)
	for y := range box.Dy() {
		row = appendRow(row[:0], picture, y, channels)
		rows = appendMeans(rows, row, across, channels)
	}
	return appendMeans(features, rows, triangle(box.Dy(), height), width*channels)
}
