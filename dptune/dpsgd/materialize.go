package dpsgd

import "github.com/gomlx/gomlx/core/graph"

// materialized holds per-sample gradients as they are. Its norms and sums are written
// without the layers' algebra, so that they can be compared with it.
type materialized struct{ each []*graph.Node }

func materialize(g Gradients) Gradients { return materialized{g.Each()} }

func (m materialized) SquaredNorms() *graph.Node {
	sum := squaredNorms(m.each[0])
	for _, g := range m.each[1:] {
		sum = graph.Add(sum, squaredNorms(g))
	}
	return sum
}

func (m materialized) WeightedSum(factors *graph.Node) []*graph.Node {
	sums := make([]*graph.Node, len(m.each))
	for i, g := range m.each {
		sums[i] = graph.ReduceSum(weighted(factors, g), 1)
	}
	return sums
}

func (m materialized) Each() []*graph.Node { return m.each }
