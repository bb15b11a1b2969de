package dpsgd

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
)

// Dense returns the fully connected layer z = W a + b, with W of shape [outputs, inputs].
// Initial W is uniform in ±√(6/(inputs+outputs)), b is zero
// (Glorot and Bengio (2010), AISTATS, equation 16).
//
// One example's gradient, with g the gradient at its z, is (g aᵀ, g), so that
//
//	‖gradient‖² = ‖g‖² (‖a‖² + 1)
//	Σ_b c_b gradient_b = ((c g)ᵀ A, Σ_b c_b g_b)
//
// and no per-sample gradient is formed (Goodfellow (2015), arXiv:1510.01799v2).
func Dense(inputs, outputs int) Layer { return dense{inputs, outputs} }

type dense struct{ inputs, outputs int }

func (l dense) String() string { return fmt.Sprintf("Dense(%d, %d)", l.inputs, l.outputs) }

func (l dense) OutputShape(input []int) ([]int, error) {
	if l.inputs < 1 || l.outputs < 1 {
		return nil, fmt.Errorf("%v: sizes must be >= 1", l)
	}
	if sizeOf(input) != l.inputs {
		return nil, fmt.Errorf("%v: input of shape %v has %d values: must have %d", l, input, sizeOf(input), l.inputs)
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
	w, b := weights[0], weights[1]
	replicas, batch := in.Values.Shape().Dim(0), in.Values.Shape().Dim(1)
	shape := in.Values.Shape().Dimensions
	in.Values = graph.Reshape(in.Values, replicas, batch, l.inputs)
	z := batchedProduct(in.Values, transposed(w))
	z = graph.Add(z, graph.InsertAxes(afterKernel(z, b), 1))
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		var atInput *graph.Node
		if wantInput {
			atInput = graph.Reshape(batchedProduct(g, w), shape...)
		}
		return atInput, denseGradients{in: in, g: g}
	}
	return Activations{Values: z}, backward
}

// denseGradients are the outer products of g [R, B, out] and in [R, B, in], and g itself.
type denseGradients struct {
	in Activations
	g  *graph.Node
}

func (d denseGradients) SquaredNorms() *graph.Node {
	a2 := d.in.SquaredNorms
	if a2 == nil {
		a2 = squaredNorms(d.in.Values)
	}
	return graph.Mul(squaredNorms(d.g), graph.OnePlus(a2))
}

func (d denseGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	a := d.in.Values
	if !d.in.Finite {
		a = zeroWhere(factors, a)
	}
	cg := weighted(factors, d.g)
	return []*graph.Node{batchedProduct(transposed(cg), a), sumRows(cg)}
}

func (d denseGradients) Each() []*graph.Node {
	return []*graph.Node{graph.Mul(graph.InsertAxes(d.g, -1), graph.InsertAxes(d.in.Values, 2)), d.g}
}
