package nn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// Conv1D returns the convolution of places [T, inputs] with a kernel, plus a bias: [T', outputs],
// T' = ⌊(T + 2 padding - kernel) / stride⌋ + 1. It is [Conv2D] on an image of one column.
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

func (l conv1D) Scratch(input []int) int { return l.of.Scratch(column(input)) }

func (l conv1D) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	present := in.Present
	out, backward := l.of.Forward(weights, in.rearranged(graph.InsertAxes(in.Values, 3)))
	if out.Values.Shape().Dim(2) != in.Values.Shape().Dim(2) {
		present = nil // these are other places
	}
	return Activations{Values: graph.Squeeze(out.Values, 3), Present: present}, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInput, atWeights := backward(graph.InsertAxes(g, 3), wantInput)
		if wantInput {
			atInput = graph.Squeeze(atInput, 3)
		}
		return atInput, atWeights
	}
}
