package nn

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
)

// LayerGradients are the gradients of one layer of a model that has weights, see
// [Model.Backpropagate].
type LayerGradients struct {
	Gradients
	size int // number of weights of the layer
}

// SquaredNormsUpper returns SquaredNorms raised by what rounding can have taken from them, and by
// so many roundings more, of what the caller computes from them: not less than the squared norm of what
// WeightedSum adds for an example alone and a factor of 1, rounded as it is, but for what
// is lost to numbers too small to be held apart.
//
// The gradients of a layer of your own count as a sum of as many squares as the layer has weights, each of
// which is rounded twice when it is added. It panics, as graph functions do, if there are too
// many roundings to say anything.
func (l LayerGradients) SquaredNormsUpper(more int) *graph.Node {
	squared, roundings := l.SquaredNorms(), roundingsOf(l.Gradients, l.size)+more
	dtype := squared.DType()
	factor := 1 + kernel.Gamma(dtype, float64(roundings))
	if math.IsInf(factor, 1) {
		panic(fmt.Errorf("a squared norm is rounded %d times: must be at most %.0f in %v", roundings, 0.5/kernel.UnitRoundoff(dtype), dtype))
	}
	return graph.MulScalar(squared, factor)
}

// bounded are gradients that know how they are rounded.
type bounded interface {
	// roundings returns r such that what WeightedSum adds for an example alone and a factor of 1
	// has a squared norm of at most SquaredNorms (1-u)^-r, what is lost to numbers too small to
	// be held apart. weights is how many weights the layer has.
	roundings(weights int) int
}

func roundingsOf(g Gradients, weights int) int {
	if b, ok := g.(bounded); ok {
		return b.roundings(weights)
	}
	return weights + 2*2
}

// PerSample returns gradients that are held one by one, each [R, B, shape...], one for each
// weight of a layer: what a layer of your own returns, unless algebra gives it the norms and
// sums at less than batch times parameters of memory. There must be at least one.
func PerSample(each ...*graph.Node) Gradients { return materialized{each} }

// materialized holds per-sample gradients as they are. Its norms and sums are written
// without the layers' algebra, so that they can be compared with it.
type materialized struct{ each []*graph.Node }

func (m materialized) SquaredNorms() *graph.Node {
	sum := kernel.SquaredNorms(m.each[0])
	for _, g := range m.each[1:] {
		sum = graph.Add(sum, kernel.SquaredNorms(g))
	}
	return sum
}

// roundings counts the sums over the arrays and that of their results; a value is rounded once
// when it is added.
func (m materialized) roundings(int) int {
	most := 0
	for _, g := range m.each {
		most = max(most, kernel.SquareRoundings(g, g.Shape().Size()/(g.Shape().Dim(0)*g.Shape().Dim(1))))
	}
	return most + len(m.each) + 2
}

func (m materialized) WeightedSum(factors *graph.Node) []*graph.Node {
	sums := make([]*graph.Node, len(m.each))
	for i, g := range m.each {
		sums[i] = graph.ReduceSum(kernel.Weighted(factors, g), 1)
	}
	return sums
}

func (m materialized) Each() []*graph.Node { return m.each }
