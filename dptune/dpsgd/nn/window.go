package nn

import (
	"fmt"
)

// Window is the window of a convolution or a pooling over an image: sides, steps and zero padding,
// each for rows and then for columns. Padding is added on both sides.
type Window struct{ Kernel, Stride, Padding [2]int }

// Square returns the window with equal sides.
func Square(kernel, stride, padding int) Window {
	return Window{[2]int{kernel, kernel}, [2]int{stride, stride}, [2]int{padding, padding}}
}

// String returns, for instance, "3x3 stride 2x2 padding 1x1".
func (w Window) String() string {
	text := pair(w.Kernel)
	if w.Stride != [2]int{1, 1} {
		text += " stride " + pair(w.Stride)
	}
	if w.Padding != [2]int{} {
		text += " padding " + pair(w.Padding)
	}
	return text
}

func pair(p [2]int) string { return fmt.Sprintf("%dx%d", p[0], p[1]) }

// outputs returns how many places the window has on an image of shape [rows, columns,
// channels], along rows and columns.
//
//	places = ⌊(side + 2 padding - kernel) / stride⌋ + 1
func (w Window) outputs(input []int) (places [2]int, err error) {
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

// places is outputs for an input that is known to fit.
func (w Window) places(input []int) [2]int {
	places, _ := w.outputs(input)
	return places
}
