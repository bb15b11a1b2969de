package nn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

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
	const epsilon = 1e-5
	dims := weights[0].Shape().Dimensions // [R, outputs, rows, columns, inputs]
	n := kernel.SizeOf(dims[2:])
	w := graph.Reshape(weights[0], dims[0], dims[1], n)
	sum := func(x *graph.Node) *graph.Node { // of each kernel, repeated along it
		s := kernel.SumLast(graph.Reshape(x, x.Shape().Dim(0), x.Shape().Size()/x.Shape().Dim(0)/n, n))
		return kernel.ExpandLike(graph.Reshape(s, append(x.Shape().Dimensions[:x.Rank()-1:x.Rank()-1], 1)...), x)
	}
	centered := func(x *graph.Node) *graph.Node { return graph.Sub(x, graph.MulScalar(sum(x), 1/float64(n))) }
	w = centered(w)
	scale := graph.Sqrt(graph.AddScalar(sum(graph.Square(w)), epsilon))
	w = graph.Div(w, scale)
	out, backward := l.of.Forward([]*graph.Node{graph.Reshape(w, dims...), weights[1]}, in)
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInput, atWeights := backward(g, wantInput)
		each := atWeights.Each()
		batch := each[0].Shape().Dim(1)
		like := func(x *graph.Node) *graph.Node { // repeated for each example
			return kernel.Expand(graph.InsertAxes(x, 1), dims[0], batch, dims[1], n)
		}
		at := graph.Reshape(each[0], dims[0], batch, dims[1], n)
		standard := like(w)
		at = graph.Sub(centered(at), graph.Mul(standard, sum(graph.Mul(standard, at))))
		each[0] = graph.Reshape(graph.Div(at, like(scale)), each[0].Shape().Dimensions...)
		return atInput, materialized{each}
	}
}
