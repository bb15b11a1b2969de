package dpsgd

import (
	"github.com/gomlx/gomlx/core/graph"
)

// Flatten returns the layer that gives the values of an example as one vector, in
// row-major order.
func Flatten() Layer { return flatten{} }

type flatten struct{}

func (flatten) String() string { return "Flatten" }

func (flatten) OutputShape(input []int) ([]int, error) { return []int{sizeOf(input)}, nil }

func (flatten) Weights([]int) []Weight { return nil }

func (flatten) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	shape := in.Values.Shape().Dimensions
	return in.rearranged(flatRows(in.Values)), func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		return graph.Reshape(g, append([]int{g.Shape().Dim(0)}, shape[1:]...)...), nil
	}
}
