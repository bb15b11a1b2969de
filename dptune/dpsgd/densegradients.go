package dpsgd

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// denseGradients are the outer products of g, columns [R, out, B], and a, and g itself.
type denseGradients struct {
	in Activations
	a  *operand
	g  *graph.Node
}

func (d denseGradients) SquaredNorms() *graph.Node {
	g2 := graph.AddScalar(sumMiddle(graph.Square(d.g)), lostSquares(d.g.DType(), d.g.Shape().Dim(1)))
	return graph.Mul(g2, expandReplicas(graph.OnePlus(d.inputNorms()), g2))
}

// roundings counts both sums, the one added, and the product; an entry is rounded twice when it
// is added, as (c g) a.
func (d denseGradients) roundings(int) int {
	inputs := sizeOf(d.in.Values.Shape().Dimensions[2:])
	if d.in.columns {
		inputs = d.in.Values.Shape().Dim(1)
	}
	if d.in.known().squaredNorms != nil && d.g.DType() == dtypes.Float32 {
		inputs = 2 // those of the table are summed in float64 and then rounded
	}
	return d.g.Shape().Dim(1) + 1 + inputs + 2 + 2*2
}

// inputNorms returns ‖a‖² of each example.
func (d denseGradients) inputNorms() *graph.Node {
	switch norms := d.in.known().squaredNorms; {
	case norms != nil:
		return norms
	case d.in.columns:
		return sumMiddle(graph.Square(d.a.columns))
	default:
		return squaredNorms(d.a.rows)
	}
}

func (d denseGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	cg := weightedColumns(factors, d.g)
	var atW *graph.Node
	switch finite := d.in.known().finite; {
	case d.in.columns && finite:
		atW = timesTransposed(cg, d.a.columns)
	case d.in.columns:
		atW = timesTransposed(cg, zeroColumns(factors, d.a.columns))
	case finite:
		atW = times(cg, d.a.rows)
	default:
		atW = times(cg, zeroWhere(factors, d.a.rows))
	}
	return []*graph.Node{atW, sumLast(cg)}
}

func (d denseGradients) Each() []*graph.Node {
	g := transposed(d.g)
	return []*graph.Node{graph.Mul(graph.InsertAxes(g, -1), graph.InsertAxes(d.a.asRows(), 2)), g}
}
