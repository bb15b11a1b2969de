package twin

import (
	"math"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// seen calls each for all places of a window on an image: with the index of the output place, of the place within the
// window, and of the pixel there, -1 for padding. It returns rows and columns of the outputs.
func seen(in []int, w nn.Window, each func(output, within, pixel int)) (rows, columns int) {
	places := func(axis int) int { return (in[axis]+2*w.Padding[axis]-w.Kernel[axis])/w.Stride[axis] + 1 }
	rows, columns = places(0), places(1)
	for place := range rows * columns * w.Kernel[0] * w.Kernel[1] {
		output, within := place/(w.Kernel[0]*w.Kernel[1]), place%(w.Kernel[0]*w.Kernel[1])
		row := output/columns*w.Stride[0] + within/w.Kernel[1] - w.Padding[0]
		column := output%columns*w.Stride[1] + within%w.Kernel[1] - w.Padding[1]
		pixel := -1
		if row >= 0 && row < in[0] && column >= 0 && column < in[1] {
			pixel = row*in[1] + column
		}
		each(output, within, pixel)
	}
	return rows, columns
}

func convolution(in []int, outputs int, window nn.Window, bias bool) layer {
	rows, columns := seen(in, window, func(int, int, int) {})
	channels, area := in[2], window.Kernel[0]*window.Kernel[1]
	l := layer{nn.Conv2DNoBias(channels, outputs, window), outputs * area * channels, []int{rows, columns, outputs}, nil}
	kernel := l.size
	if bias {
		l.Layer, l.size = nn.Conv2D(channels, outputs, window), kernel+outputs
	}
	l.of = func(t *tape, w, x []number) []number {
		y := make([]number, rows*columns*outputs)
		for i := range y {
			if y[i] = t.constant(0); bias {
				y[i] = w[kernel+i%outputs]
			}
		}
		seen(in, window, func(output, within, pixel int) {
			for o := 0; o < outputs && pixel >= 0; o++ {
				for c := range channels {
					at := output*outputs + o
					y[at] = t.add(y[at], t.mul(w[(o*area+within)*channels+c], x[pixel*channels+c]))
				}
			}
		})
		return y
	}
	return l
}

// standardized is a convolution with kernels W: (W - mean) / √(Σ (W - mean)² + 1e-5).
func standardized(in []int, outputs int, window nn.Window) layer {
	l := convolution(in, outputs, window, true)
	n, plain := l.size/outputs-1, l.of
	l.Layer = nn.WeightStandardized(in[2], outputs, window)
	l.of = func(t *tape, w, x []number) []number {
		var kernels []number
		for o := range outputs {
			kernel := w[o*n : (o+1)*n]
			mean, squares := t.mean(kernel), make([]number, n)
			for i, v := range kernel {
				squares[i] = t.mul(t.sub(v, mean), t.sub(v, mean))
			}
			sum := t.plus(t.sum(squares), 1e-5)
			root := math.Sqrt(t.at(sum))
			length := t.function(sum, root, 0.5/root)
			for _, v := range kernel {
				kernels = append(kernels, t.div(t.sub(v, mean), length))
			}
		}
		return plain(t, append(kernels, w[outputs*n:]...), x)
	}
	return l
}

func pooling(in []int, window nn.Window, largest bool) layer {
	rows, columns := seen(in, window, func(int, int, int) {})
	l, channels := nn.AvgPool(window), in[2]
	if largest {
		l = nn.MaxPool(window)
	}
	return layer{l, 0, []int{rows, columns, channels}, func(t *tape, _, x []number) []number {
		lists := make([][]number, rows*columns*channels)
		seen(in, window, func(output, _, pixel int) {
			for c := range channels {
				lists[output*channels+c] = append(lists[output*channels+c], x[pixel*channels+c])
			}
		})
		y := make([]number, len(lists))
		for i, list := range lists {
			if !largest {
				y[i] = t.mean(list)
				continue
			}
			y[i] = list[0]
			for _, v := range list {
				if t.at(v) > t.at(y[i]) {
					y[i] = v
				}
			}
		}
		return y
	}}
}

func globalPooling(in []int) layer {
	return layer{nn.GlobalAvgPool(), 0, in[2:], func(t *tape, _, x []number) []number {
		y := make([]number, in[2])
		for c := range y {
			var list []number
			for i := c; i < len(x); i += in[2] {
				list = append(list, x[i])
			}
			y[c] = t.mean(list)
		}
		return y
	}}
}

func groupNorm(in []int, groups int) layer {
	channels := in[2]
	return layer{nn.GroupNorm(groups, channels), 2 * channels, in, func(t *tape, w, x []number) []number {
		lists := make([][]number, groups)
		for i, v := range x {
			group := i % channels / (channels / groups)
			lists[group] = append(lists[group], v)
		}
		means, deviations := make([]number, groups), make([]number, groups)
		for g, list := range lists {
			means[g] = t.mean(list)
			var squares []number
			for _, v := range list {
				d := t.sub(v, means[g])
				squares = append(squares, t.mul(d, d))
			}
			variance := t.plus(t.mean(squares), 1e-5)
			root := math.Sqrt(t.at(variance))
			deviations[g] = t.function(variance, root, 0.5/root)
		}
		y := make([]number, len(x))
		for i, v := range x {
			c, g := i%channels, i%channels/(channels/groups)
			y[i] = t.add(t.mul(t.div(t.sub(v, means[g]), deviations[g]), w[c]), w[channels+c])
		}
		return y
	}}
}
