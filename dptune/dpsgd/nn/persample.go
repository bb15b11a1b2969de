package nn

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// PerSample returns explicit gradients, one [R, B, shape...] for each weight of a layer. Your own
// layer returns them, unless algebra gives its norms and sums in less memory than batch times
// parameters. There must be at least one.
func PerSample(each ...*graph.Node) Gradients {
	if len(each) == 0 {
		panic(errors.New("PerSample of no gradients: must have one for each weight (a layer without weights returns nil)"))
	}
	for i, g := range each {
		if g == nil {
			panic(fmt.Errorf("PerSample: gradient %d is nil: must be [R, B, shape...], as the weight", i))
		}
	}
	return materialized{each}
}

// materialized holds explicit per-sample gradients. Its norms and sums do not use the layers'
// algebra, so tests can compare the two.
type materialized struct{ each []*graph.Node }

func (m materialized) SquaredNorms() *graph.Node {
	sum := kernel.SquaredNorms(m.each[0])
	for _, g := range m.each[1:] {
		sum = graph.Add(sum, kernel.SquaredNorms(g))
	}
	return sum
}

// roundings counts the sums over the arrays and the sum of their results. A value is rounded once
// when it is added.
func (m materialized) roundings(int) int {
	most := 0
	for _, g := range m.each {
		most = max(most, kernel.SquareRoundings(g, g.Shape().Size()/(g.Shape().Dim(0)*g.Shape().Dim(1))))
	}
	return most + len(m.each) + 2
}

// overPlaces adds the gradients of the places.
func (m materialized) overPlaces(times int) Gradients {
	sums := make([]*graph.Node, len(m.each))
	for i, g := range m.each {
		d := g.Shape().Dimensions
		g = graph.Reshape(g, append([]int{d[0], d[1] / times, times}, d[2:]...)...)
		sums[i] = graph.ReduceSum(g, 2)
	}
	return materialized{sums}
}

func (m materialized) WeightedSum(factors *graph.Node) []*graph.Node {
	sums := make([]*graph.Node, len(m.each))
	for i, g := range m.each {
		sums[i] = graph.ReduceSum(kernel.Weighted(factors, g), 1)
	}
	return sums
}

func (m materialized) Each() []*graph.Node { return m.each }
