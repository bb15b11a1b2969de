package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

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
	places := l.window.places(input)
	return places[0] * places[1] * l.window.Kernel[0] * l.window.Kernel[1] * l.inputs
}

func (l conv2D) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	blocks := newUnfolding(l.window, in.Values.Shape().Dimensions[2:])
	u := blocks.forRows(in.Values)
	replicas, batch := weights[0].Shape().Dim(0), in.Values.Shape().Dim(1)
	places := u.places[0] * u.places[1]

	rows := kernel.RowsFor(u.rows(kernel.Images(in.Values)), in.Values.Shape().Dim(0), replicas) // [R or 1, B·places, width]
	z := kernel.ProductOfRows(rows, u.kernels(weights[0], rows))
	if l.bias {
		z = graph.Add(z, kernel.ExpandLike(graph.InsertAxes(kernel.AfterKernel(z, weights[1]), 1), z))
	}
	z = graph.Reshape(z, replicas, batch, u.places[0], u.places[1], l.outputs)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		var atInput *graph.Node
		if wantInput {
			atInput = l.atInput(blocks, blocks.blockOrder(weights[0]), g)
		}
		return atInput, &convGradients{order: u, productGradients: productGradients{
			width: u.width(), bias: l.bias, finite: in.known().finite,
			rows: graph.Reshape(rows, rows.Shape().Dim(0)*batch, places, rows.Shape().Dim(2)),
			g:    graph.Reshape(g, replicas, batch, places, l.outputs),
		}}
	}
	return Activations{Values: z}, backward
}

// atInput returns the gradient at the inputs. At each place within the window, it adds g times the
// weights there to the inputs that the window saw.
func (l conv2D) atInput(u unfolding, w, g *graph.Node) *graph.Node {
	replicas, batch, c := g.Shape().Dim(0), g.Shape().Dim(1), u.channels()
	flat := graph.Reshape(g, replicas, batch*u.places[0]*u.places[1], l.outputs)
	sums := make([]*graph.Node, u.partsOfBlock(g))
	c /= len(sums)
	product := func(from, to int) *graph.Node {
		return kernel.BatchedProduct(flat, graph.Slice(w, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(from, to)))
	}
	if kernel.SharesMemory(g) { // one product is faster
		all := kernel.Kept(kernel.BatchedProduct(flat, w))
		product = func(from, to int) *graph.Node {
			return graph.Slice(all, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(from, to))
		}
	}
	from := 0
	u.each(func(at [2]int) {
		for i, sum := range sums {
			part := product(from, from+c)
			from += c
			part = u.unview(graph.Reshape(part, replicas*batch, u.places[0], u.places[1], c), at)
			if sum != nil {
				part = graph.Add(sum, part)
			}
			sums[i] = part
		}
	})
	return graph.Reshape(u.unblocks(sums), replicas, batch, u.input[0], u.input[1], u.input[2])
}
