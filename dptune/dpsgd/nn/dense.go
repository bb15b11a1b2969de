package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Dense returns the fully connected layer z = W a + b, with W of shape [outputs, inputs].
// Initial W is uniform in ±√(6/(inputs+outputs)), b is zero
// (Glorot and Bengio (2010), AISTATS, equation 16).
//
// One example's gradient, with g the gradient at its z, is (g aᵀ, g). So
//
//	‖gradient‖² = ‖g‖² (‖a‖² + 1)
//	Σ_b c_b gradient_b = ((c g)ᵀ A, Σ_b c_b g_b)
//
// No per-sample gradient is formed (Goodfellow (2015), arXiv:1510.01799v2).
func Dense(inputs, outputs int) Layer { return dense{inputs, outputs} }

type dense struct{ inputs, outputs int }

func (l dense) String() string { return fmt.Sprintf("Dense(%d, %d)", l.inputs, l.outputs) }

func (l dense) OutputShape(input []int) ([]int, error) {
	if l.inputs < 1 || l.outputs < 1 {
		return nil, fmt.Errorf("%v: sizes must be >= 1", l)
	}
	if kernel.SizeOf(input) != l.inputs {
		return nil, fmt.Errorf("%v: input of shape %v has %d values: must have %d", l, input, kernel.SizeOf(input), l.inputs)
	}
	return []int{l.outputs}, nil
}

func (l dense) Weights([]int) []Weight {
	return []Weight{
		{Name: "weights", Shape: []int{l.outputs, l.inputs}, Init: l.glorot},
		{Name: "bias", Shape: []int{l.outputs}},
	}
}

func (l dense) glorot(rng *rand.Rand, values []float64) {
	limit := math.Sqrt(6 / float64(l.inputs+l.outputs))
	for i := range values {
		values[i] = limit * (2*rng.Float64() - 1)
	}
}

func (l dense) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	return onRows(l.adapt(weights, in))
}

// adapt returns columns: z [R, out, B] is the stored W times a. So no matrix of weights is
// transposed, and the length of W's rows need not be a multiple of a vector's length.
func (l dense) adapt(weights []*graph.Node, in Activations) (Activations, Backward) {
	w, b := weights[0], weights[1]
	a := newOperand(in)
	var z *graph.Node
	if in.columns {
		z = kernel.Times(w, a.columns)
	} else {
		z = kernel.TimesTransposed(w, a.rows)
	}
	bias := graph.InsertAxes(kernel.AfterKernel(z, b), -1)
	z = graph.Add(z, kernel.ExpandLike(bias, z))
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		var atInput *graph.Node
		if wantInput {
			atInput = l.atInput(w, g, in)
		}
		return atInput, denseGradients{in: in, a: a, g: g}
	}
	return Activations{Values: z, columns: true}, backward
}

// atInput returns Wᵀ g, in the layout of the inputs.
func (l dense) atInput(w, g *graph.Node, in Activations) *graph.Node {
	if in.columns {
		return kernel.Times(kernel.Transposed(w), g)
	}
	dims := append([]int{}, in.Values.Shape().Dimensions...)
	dims[0] = w.Shape().Dim(0)
	return graph.Reshape(kernel.BatchedProduct(kernel.Transposed(g), w), dims...)
}

// denseGradients are the outer products of g (columns [R, out, B]) and a, and g itself.
type denseGradients struct {
	in Activations
	a  *operand
	g  *graph.Node
}

func (d denseGradients) SquaredNorms() *graph.Node {
	g2 := graph.AddScalar(kernel.SumMiddle(graph.Square(d.g)), kernel.LostSquares(d.g.DType(), d.g.Shape().Dim(1)))
	return graph.Mul(g2, kernel.ExpandReplicas(graph.OnePlus(d.inputNorms()), g2))
}

// Roundings counts both sums of squares, the addition of 1, and the product. An entry is rounded
// twice when it is added, as (c g) a.
func (d denseGradients) Roundings(persample.Count) int {
	inputs := kernel.SizeOf(d.in.Values.Shape().Dimensions[2:])
	if d.in.columns {
		inputs = d.in.Values.Shape().Dim(1)
	}
	if d.in.known().squaredNorms != nil && d.g.DType() == dtypes.Float32 {
		inputs = 2 // norms of the table are summed in float64 and then rounded
	}
	return d.g.Shape().Dim(1) + 1 + inputs + 2 + 2*2
}

// OverPlaces gives the products of the places: they are not outer products of one example.
func (d denseGradients) OverPlaces(times int) persample.Gradients {
	place := func(x *graph.Node) *graph.Node {
		return graph.Reshape(x, x.Shape().Dim(0), x.Shape().Dim(1)/times, times, x.Shape().Dim(2))
	}
	p := persample.NewProducts(place(d.a.asRows()), place(kernel.Transposed(d.g)))
	p.Bias, p.Finite = true, d.in.known().finite
	return p
}

// inputNorms returns ‖a‖² of each example.
func (d denseGradients) inputNorms() *graph.Node {
	switch norms := d.in.known().squaredNorms; {
	case norms != nil:
		return norms
	case d.in.columns:
		return kernel.SumMiddle(graph.Square(d.a.columns))
	default:
		return kernel.SquaredNorms(d.a.rows)
	}
}

func (d denseGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	cg := kernel.WeightedColumns(factors, d.g)
	var atW *graph.Node
	switch finite := d.in.known().finite; {
	case d.in.columns && finite:
		atW = kernel.TimesTransposed(cg, d.a.columns)
	case d.in.columns:
		atW = kernel.TimesTransposed(cg, kernel.ZeroColumns(factors, d.a.columns))
	case finite:
		atW = kernel.Times(cg, d.a.rows)
	default:
		atW = kernel.Times(cg, kernel.ZeroWhere(factors, d.a.rows))
	}
	return []*graph.Node{atW, kernel.SumLast(cg)}
}

func (d denseGradients) Each() []*graph.Node {
	g := kernel.Transposed(d.g)
	return []*graph.Node{graph.Mul(graph.InsertAxes(g, -1), graph.InsertAxes(d.a.asRows(), 2)), g}
}
