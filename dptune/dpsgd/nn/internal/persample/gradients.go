// Package persample has the forms of per-sample gradients of a layer's weights: products of places,
// rows of a table, explicit gradients, and several of these joined. Each form has norms with a
// proved bound on their rounding.
package persample

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Gradients has the methods of nn.Gradients.
type Gradients interface {
	SquaredNorms() *graph.Node
	WeightedSum(factors *graph.Node) []*graph.Node
	Each() []*graph.Node
}

// Backward is nn.Backward.
type Backward func(gradient *graph.Node, wantInput bool) (atInput *graph.Node, atWeights Gradients)

// Count is a number of weights. Only packages of nn can name it, so no layer of others can state a
// bound on its rounding.
type Count int

// Bounded are gradients with a bound on their rounding.
type Bounded interface {
	// Roundings returns r with this property: for a single example with a factor of 1, WeightedSum
	// has a squared norm of at most SquaredNorms (1-u)^-r, plus squares that are lost to underflow.
	// weights is the number of weights of the layer.
	Roundings(weights Count) int
}

// Roundings returns that number. For gradients of others it assumes a sum of one square for each
// weight, and that each value is rounded twice when it is added.
func Roundings(g Gradients, weights int) int {
	if b, ok := g.(Bounded); ok {
		return b.Roundings(Count(weights))
	}
	return weights + 2*2
}

// OverPlaces returns the gradients of examples from those of their places, [R, B·T, ...].
func OverPlaces(g Gradients, places int) Gradients {
	if g, ok := g.(interface{ OverPlaces(places int) Gradients }); ok {
		return g.OverPlaces(places)
	}
	return Explicit(g.Each()).OverPlaces(places)
}

// Explicit holds one [R, B, shape...] for each weight. Its norms and sums do not use the layers'
// algebra, so tests can compare the two.
type Explicit []*graph.Node

func (m Explicit) SquaredNorms() *graph.Node {
	sum := kernel.SquaredNorms(m[0])
	for _, g := range m[1:] {
		sum = graph.Add(sum, kernel.SquaredNorms(g))
	}
	return sum
}

// Roundings counts the sums over the arrays and the sum of their results. A value is rounded once
// when it is added.
func (m Explicit) Roundings(Count) int {
	most := 0
	for _, g := range m {
		most = max(most, kernel.SquareRoundings(g, g.Shape().Size()/(g.Shape().Dim(0)*g.Shape().Dim(1))))
	}
	return most + len(m) + 2
}

// OverPlaces adds the gradients of the places.
func (m Explicit) OverPlaces(times int) Gradients {
	sums := make([]*graph.Node, len(m))
	for i, g := range m {
		d := g.Shape().Dimensions
		g = graph.Reshape(g, append([]int{d[0], d[1] / times, times}, d[2:]...)...)
		sums[i] = graph.ReduceSum(g, 2)
	}
	return Explicit(sums)
}

func (m Explicit) WeightedSum(factors *graph.Node) []*graph.Node {
	sums := make([]*graph.Node, len(m))
	for i, g := range m {
		sums[i] = graph.ReduceSum(kernel.Weighted(factors, g), 1)
	}
	return sums
}

func (m Explicit) Each() []*graph.Node { return m }

// Joint are the gradients of several layers, combined into those of one.
type Joint []Gradients

// OrNil returns nil for no gradients.
func (j Joint) OrNil() Gradients {
	if len(j) == 0 {
		return nil
	}
	return j
}

func (j Joint) SquaredNorms() *graph.Node {
	sum := j[0].SquaredNorms()
	for _, g := range j[1:] {
		sum = graph.Add(sum, g.SquaredNorms())
	}
	return sum
}

// Roundings counts those of the worst part, and one sum for each part.
func (j Joint) Roundings(weights Count) int {
	most := 0
	for _, g := range j {
		most = max(most, Roundings(g, int(weights)))
	}
	return most + len(j)
}

func (j Joint) OverPlaces(times int) Gradients {
	joint := make(Joint, len(j))
	for i, g := range j {
		joint[i] = OverPlaces(g, times)
	}
	return joint
}

func (j Joint) WeightedSum(factors *graph.Node) []*graph.Node {
	var all []*graph.Node
	for _, g := range j {
		all = append(all, g.WeightedSum(factors)...)
	}
	return all
}

func (j Joint) Each() []*graph.Node {
	var all []*graph.Node
	for _, g := range j {
		all = append(all, g.Each()...)
	}
	return all
}
