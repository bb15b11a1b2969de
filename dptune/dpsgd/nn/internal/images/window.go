// Package images computes layers over images: convolutions, poolings, and random crops. It knows no
// models.
package images

import "fmt"

// Window is nn.Window.
type Window struct{ Kernel, Stride, Padding [2]int }

// Outputs returns how many places the window has on an image of shape [rows, columns,
// channels], along rows and columns.
//
//	places = ⌊(side + 2 padding - kernel) / stride⌋ + 1
func (w Window) Outputs(input []int) (places [2]int, err error) {
	if len(input) != 3 {
		return places, fmt.Errorf("input of shape %v: must be [rows, columns, channels]", input)
	}
	for i := range places {
		if w.Kernel[i] < 1 || w.Stride[i] < 1 || w.Padding[i] < 0 || w.Padding[i] >= w.Kernel[i] {
			return places, fmt.Errorf("kernel and stride must be >= 1, padding in [0, kernel)")
		}
		side := input[i] + 2*w.Padding[i]
		if side < w.Kernel[i] {
			return places, fmt.Errorf("input of shape %v: must have sides of at least %v with the padding", input, w.Kernel)
		}
		places[i] = (side-w.Kernel[i])/w.Stride[i] + 1
	}
	return places, nil
}

// Places is Outputs for an input that is known to fit.
func (w Window) Places(input []int) [2]int {
	places, _ := w.Outputs(input)
	return places
}
