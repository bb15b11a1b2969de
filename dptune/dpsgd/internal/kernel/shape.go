package kernel

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// WantShape panics, as graph functions do, unless a node has a shape.
func WantShape(what string, x *graph.Node, want []int) {
	if x == nil {
		panic(fmt.Errorf("%s is missing (nil): must be of shape %v", what, want))
	}
	if !slices.Equal(x.Shape().Dimensions, want) {
		panic(fmt.Errorf("%s is of shape %v: must be %v", what, x.Shape().Dimensions, want))
	}
}
