package loss

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// SquaredError is nn.SquaredError.
type SquaredError struct{ Targets []float64 }

func (l SquaredError) String() string {
	return fmt.Sprintf("squared error of %d targets", len(l.Targets))
}

// Fingerprint has the targets.
func (l SquaredError) Fingerprint() []byte { return BytesOf(l.Targets) }

func (SquaredError) Outputs(int) int { return 1 }

func (l SquaredError) ValidateClasses(classes int) error {
	if len(l.Targets) != classes {
		return fmt.Errorf("%v: %d classes: must have one target for each", l, classes)
	}
	if err := ValidateFinite("targets", l.Targets); err != nil {
		return fmt.Errorf("%v: %w", l, err)
	}
	return nil
}

// table returns the targets, [K].
func (l SquaredError) table(like *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.Const(like.Graph(), l.Targets), like.DType())
}

func (l SquaredError) Values(z, labels *graph.Node) *graph.Node {
	return graph.MulScalar(graph.Square(firstOutput(l.Gradient(z, labels))), 0.5)
}

func (l SquaredError) Gradient(z, labels *graph.Node) *graph.Node {
	target := graph.Gather(l.table(z), graph.InsertAxes(labels, -1)) // [R, B]
	return graph.Sub(z, graph.InsertAxes(target, -1))
}

func (l SquaredError) Classes(z *graph.Node) *graph.Node {
	table := graph.Reshape(l.table(z), 1, 1, len(l.Targets))
	return graph.ArgMin(graph.Abs(graph.Sub(z, table)), -1, dtypes.Int32)
}

// MultiLabel is nn.MultiLabel.
type MultiLabel struct{ Labels int }

func (l MultiLabel) String() string {
	return fmt.Sprintf("binary cross-entropy of %d labels", l.Labels)
}

func (l MultiLabel) Outputs(int) int { return l.Labels }

func (l MultiLabel) ValidateClasses(classes int) error {
	if l.Labels < 1 || l.Labels > 20 {
		return fmt.Errorf("%v: must be of 1 to 20 labels", l)
	}
	if classes != 1<<l.Labels {
		return fmt.Errorf("%v: %d classes: must be %d, one for each set of labels", l, classes, 1<<l.Labels)
	}
	return nil
}

// applies returns 1 where a label applies and 0 elsewhere, [R, B, K] like z.
func (l MultiLabel) applies(z, labels *graph.Node) *graph.Node {
	halves := graph.Div(graph.InsertAxes(labels, -1), l.powers(z)) // whole numbers, rounded down
	odd := graph.Sub(halves, graph.MulScalar(graph.Div(halves, graph.Const(z.Graph(), int32(2))), 2))
	return graph.ConvertDType(odd, z.DType())
}

func (l MultiLabel) Values(z, labels *graph.Node) *graph.Node {
	s := graph.AddScalar(graph.MulScalar(l.applies(z, labels), 2), -1)
	return graph.ReduceSum(softplus(graph.Neg(graph.Mul(s, z))), -1)
}

func (l MultiLabel) Gradient(z, labels *graph.Node) *graph.Node {
	return graph.Sub(kernel.Logistic(z), l.applies(z, labels))
}

func (l MultiLabel) Classes(z *graph.Node) *graph.Node {
	yes := graph.ConvertDType(graph.GreaterThan(z, graph.ScalarZero(z.Graph(), z.DType())), dtypes.Int32)
	return graph.ReduceSum(graph.Mul(yes, l.powers(z)), -1)
}

// powers returns 2^k for each label, [1, 1, K].
func (l MultiLabel) powers(like *graph.Node) *graph.Node {
	bits := make([]int32, l.Labels)
	for k := range bits {
		bits[k] = 1 << k
	}
	return graph.Reshape(graph.Const(like.Graph(), bits), 1, 1, l.Labels)
}
