package nn

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// MultiLabel returns the loss of K outputs for K independent labels that apply or not,
//
//	Σ_k log(1 + exp(-s_k z_k)),  s_k = 1 where label k applies and -1 where not
//
// with gradient σ(z_k) - [label k applies]. A data set holds all of them in one number, bit k for
// label k (see table.Labels). So it has 2^K classes. K is from 1 to 20. Label k is predicted where
// z_k > 0.
func MultiLabel(labels int) Loss { return multiLabel{labels} }

type multiLabel struct{ labels int }

func (l multiLabel) String() string {
	return fmt.Sprintf("binary cross-entropy of %d labels", l.labels)
}

func (l multiLabel) Outputs(int) int { return l.labels }

func (l multiLabel) ValidateClasses(classes int) error {
	if l.labels < 1 || l.labels > 20 {
		return fmt.Errorf("%v: must be of 1 to 20 labels", l)
	}
	if classes != 1<<l.labels {
		return fmt.Errorf("%v: %d classes: must be %d, one for each set of labels", l, classes, 1<<l.labels)
	}
	return nil
}

// applies returns 1 where a label applies and 0 elsewhere, [R, B, K] like z.
func (l multiLabel) applies(z, labels *graph.Node) *graph.Node {
	halves := graph.Div(graph.InsertAxes(labels, -1), l.powers(z)) // whole numbers, rounded down
	odd := graph.Sub(halves, graph.MulScalar(graph.Div(halves, graph.Const(z.Graph(), int32(2))), 2))
	return graph.ConvertDType(odd, z.DType())
}

func (l multiLabel) Values(z, labels *graph.Node) *graph.Node {
	s := graph.AddScalar(graph.MulScalar(l.applies(z, labels), 2), -1)
	return graph.ReduceSum(softplus(graph.Neg(graph.Mul(s, z))), -1)
}

func (l multiLabel) Gradient(z, labels *graph.Node) *graph.Node {
	return graph.Sub(logistic(z), l.applies(z, labels))
}

func (l multiLabel) Classes(z *graph.Node) *graph.Node {
	yes := graph.ConvertDType(graph.GreaterThan(z, graph.ScalarZero(z.Graph(), z.DType())), dtypes.Int32)
	return graph.ReduceSum(graph.Mul(yes, l.powers(z)), -1)
}

// powers returns 2^k for each label, [1, 1, K].
func (l multiLabel) powers(like *graph.Node) *graph.Node {
	bits := make([]int32, l.labels)
	for k := range bits {
		bits[k] = 1 << k
	}
	return graph.Reshape(graph.Const(like.Graph(), bits), 1, 1, l.labels)
}
