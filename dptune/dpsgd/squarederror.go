package dpsgd

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// SquaredError returns the loss (z - target)²/2 of one output z, with gradient z - target,
// where targets[k] is the target of label k. A data set for regression holds in its labels
// which of the targets each example has: bins, or as many targets as examples. The class
// whose target is nearest is predicted.
//
// The targets are part of the model and must be public: bin edges, not values read from
// the data, or else they are known to who knows the model.
func SquaredError(targets ...float64) Loss { return squaredError{slices.Clone(targets)} }

type squaredError struct{ targets []float64 }

func (l squaredError) String() string {
	return fmt.Sprintf("squared error of %d targets", len(l.targets))
}

func (squaredError) Outputs(int) int { return 1 }

func (l squaredError) validateClasses(classes int) error {
	if len(l.targets) != classes {
		return fmt.Errorf("%v: %d classes: must have one target for each", l, classes)
	}
	if !allFinite(l.targets) {
		return fmt.Errorf("%v: targets must be finite", l)
	}
	return nil
}

// table returns the targets, [K].
func (l squaredError) table(like *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.Const(like.Graph(), l.targets), like.DType())
}

func (l squaredError) Values(z, labels *graph.Node) *graph.Node {
	return graph.MulScalar(graph.Square(firstOutput(l.Gradient(z, labels))), 0.5)
}

func (l squaredError) Gradient(z, labels *graph.Node) *graph.Node {
	target := graph.Gather(l.table(z), graph.InsertAxes(labels, -1)) // [R, B]
	return graph.Sub(z, graph.InsertAxes(target, -1))
}

func (l squaredError) Classes(z *graph.Node) *graph.Node {
	table := graph.Reshape(l.table(z), 1, 1, len(l.targets))
	return graph.ArgMin(graph.Abs(graph.Sub(z, table)), -1, dtypes.Int32)
}
