package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/images"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Conv2D returns the convolution of an image [rows, columns, inputs] with a kernel, plus a
// bias: an image of outputs channels.
//
//	z[y, x, o] = b_o + Σ_{i, j, c} W[o, i, j, c] a[y·stride+i-padding, x·stride+j-padding, c]
//
// Initial W is uniform in ±√(6/(fan-in + fan-out)), where the fans include the kernel's places.
// Initial b is zero (Glorot and Bengio (2010), AISTATS, equation 16).
//
// Let P [places, kernel·inputs] have the inputs in the window at each place as rows, and let g
// [places, outputs] be the gradient at z. One example's gradient is
//
//	gradient of W = gᵀ P,  gradient of b = Σ_places g
//	‖gradient of W‖² = Σ (gᵀ P)² = Σ (P Pᵀ) ∘ (g gᵀ)
//
// The smaller of the two sums is computed: the first has outputs·kernel·inputs values, the second
// places² (Rochette, Manoel and Tramel (2019), arXiv:1912.06015v1; Bu, Mao and Xu (2022),
// arXiv:2205.10683v3, Section 3).
func Conv2D(inputs, outputs int, window Window) Layer {
	return conv2D{inputs: inputs, outputs: outputs, window: window, bias: true}
}

// Conv2DNoBias is Conv2D without a bias, for use before a normalization.
func Conv2DNoBias(inputs, outputs int, window Window) Layer {
	return conv2D{inputs: inputs, outputs: outputs, window: window}
}

type conv2D struct {
	inputs, outputs int
	window          Window
	bias            bool
}

func (l conv2D) String() string {
	name := "Conv2D"
	if !l.bias {
		name = "Conv2DNoBias"
	}
	return fmt.Sprintf("%s(%d, %d, %v)", name, l.inputs, l.outputs, l.window)
}

func (l conv2D) OutputShape(input []int) ([]int, error) {
	if l.inputs < 1 || l.outputs < 1 {
		return nil, fmt.Errorf("%v: sizes must be >= 1", l)
	}
	places, err := l.window.outputs(input)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	if input[2] != l.inputs {
		return nil, fmt.Errorf("%v: input of shape %v has %d channels: must have %d", l, input, input[2], l.inputs)
	}
	return []int{places[0], places[1], l.outputs}, nil
}

func (l conv2D) Weights([]int) []Weight {
	list := []Weight{{
		Name:  "weights",
		Shape: []int{l.outputs, l.window.Kernel[0], l.window.Kernel[1], l.inputs},
		Init:  l.glorot,
	}}
	if l.bias {
		list = append(list, Weight{Name: "bias", Shape: []int{l.outputs}})
	}
	return list
}

func (l conv2D) glorot(rng *rand.Rand, values []float64) {
	places := l.window.Kernel[0] * l.window.Kernel[1]
	limit := math.Sqrt(6 / float64(places*(l.inputs+l.outputs)))
	for i := range values {
		values[i] = limit * (2*rng.Float64() - 1)
	}
}

// Scratch counts the values of the unfolded rows.
func (l conv2D) Scratch(input []int) int {
	places := images.Window(l.window).Places(input)
	return places[0] * places[1] * l.window.Kernel[0] * l.window.Kernel[1] * l.inputs
}

func (l conv2D) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	z, backward := l.convolution().Forward(weights, in.Values, in.known().finite)
	return Activations{Values: z}, pass(backward)
}

func (l conv2D) convolution() images.Convolution {
	return images.Convolution{Inputs: l.inputs, Outputs: l.outputs, Window: images.Window(l.window), Bias: l.bias}
}

// Conv1D returns the convolution of places [T, inputs] with a kernel, plus a bias: [T', outputs],
// T' = ⌊(T + 2 padding - kernel) / stride⌋ + 1. It is [Conv2D] on an image of one column.
//
// TokenPadding reads as zeros, as the places around the text do, see Activations.Present. An output
// is present if the convolution of a text of only the present places has it. Let e = kernel - 1 - 2
// padding. For e >= 0, the inputs t·stride to t·stride + e are present. For e < 0, one of those
// from t·stride + e to t·stride is. So more TokenPadding behind a text changes no output that is
// present. If stride is 1, neither does TokenPadding before it. A text shorter than kernel less
// twice the padding has no output.
func Conv1D(inputs, outputs, kernel, stride, padding int) Layer {
	w := Window{[2]int{kernel, 1}, [2]int{stride, 1}, [2]int{padding, 0}}
	return conv1D{conv2D{inputs: inputs, outputs: outputs, window: w, bias: true}}
}

type conv1D struct{ of conv2D }

func (l conv1D) String() string {
	w := l.of.window
	return fmt.Sprintf("Conv1D(%d, %d, %d, %d, %d)", l.of.inputs, l.of.outputs, w.Kernel[0], w.Stride[0], w.Padding[0])
}

func (l conv1D) OutputShape(input []int) ([]int, error) {
	if len(input) != 2 || input[1] != l.of.inputs {
		return nil, fmt.Errorf("%v: input of shape %v: must be [places, %d]", l, input, l.of.inputs)
	}
	out, err := l.of.OutputShape(column(input))
	if err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	return []int{out[0], out[2]}, nil
}

// column returns the shape of places as an image.
func column(input []int) []int { return []int{input[0], 1, input[1]} }

func (l conv1D) Weights(input []int) []Weight { return l.of.Weights(column(input)) }

// Scratch counts the inputs without padding too.
func (l conv1D) Scratch(input []int) int { return l.of.Scratch(column(input)) + kernel.SizeOf(input) }

func (l conv1D) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	onlyPresent := func(x *graph.Node) *graph.Node { return x }
	if present := in.Present; present != nil {
		onlyPresent = func(x *graph.Node) *graph.Node { return presentValues(present, x) }
	}
	x := in.selected(onlyPresent(in.Values))
	out, backward := l.of.Forward(weights, x.rearranged(graph.InsertAxes(x.Values, 3)))
	y := Activations{Values: graph.Squeeze(out.Values, 3)}
	if in.Present != nil {
		y.Present = l.present(in.Present, y.Values.Shape().Dim(2))
	}
	return y, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInput, atWeights := backward(graph.InsertAxes(g, 3), wantInput)
		if wantInput {
			atInput = onlyPresent(graph.Squeeze(atInput, 3))
		}
		return atInput, atWeights
	}
}

// present returns Present of so many outputs.
func (l conv1D) present(of *graph.Node, outputs int) *graph.Node {
	w := l.of.window
	stride, extra, combined := w.Stride[0], w.Kernel[0]-1-2*w.Padding[0], graph.Min
	if extra < 0 {
		extra, combined = -extra, graph.Max
		of = kernel.PadZeros(of, compute.PadAxis{}, compute.PadAxis{}, compute.PadAxis{Start: extra, End: extra})
	}
	var all *graph.Node
	for i := range extra + 1 {
		each := graph.Slice(of, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(i, i+(outputs-1)*stride+1).Stride(stride))
		if all == nil {
			all = each
			continue
		}
		all = combined(all, each)
	}
	return all
}

// WeightStandardized returns [Conv2D] with kernels that are standardized before use. For the kernel
// W_o of an output, of n values,
//
//	Ŵ_o = (W_o - mean) / √(n variance + ε),  ε = 1e-5
//
// With G_o the gradient at Ŵ_o and means over a kernel, one example's gradient is
//
//	gradient of W_o = (G_o - mean(G_o) - Ŵ_o Σ Ŵ_o G_o) / √(n variance + ε)
//
// It is formed for each example, see [Model.PerSampleWeights].
//
// Reference: Qiao et al. (2019), arXiv:1903.10520v2, and for the factor of √n Brock, De and Smith
// (2021), arXiv:2101.08692v2.
func WeightStandardized(inputs, outputs int, window Window) Layer {
	return weightStandardized{conv2D{inputs: inputs, outputs: outputs, window: window, bias: true}}
}

type weightStandardized struct{ of conv2D }

func (l weightStandardized) String() string {
	return fmt.Sprintf("WeightStandardized(%d, %d, %v)", l.of.inputs, l.of.outputs, l.of.window)
}

func (l weightStandardized) OutputShape(input []int) ([]int, error) {
	out, err := l.of.OutputShape(input)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	return out, nil
}

func (l weightStandardized) Weights(input []int) []Weight { return l.of.Weights(input) }

func (l weightStandardized) Scratch(input []int) int { return l.of.Scratch(input) }

func (l weightStandardized) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	z, backward := l.of.convolution().ForwardStandardized(weights, in.Values, in.known().finite)
	return Activations{Values: z}, pass(backward)
}
