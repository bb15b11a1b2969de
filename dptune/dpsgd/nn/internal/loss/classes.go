// Package loss computes the losses of nn: values, gradients at the outputs, and predictions. It
// knows no models.
package loss

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// SoftmaxCrossEntropy is nn.SoftmaxCrossEntropy.
type SoftmaxCrossEntropy struct{}

func (SoftmaxCrossEntropy) String() string { return "softmax cross-entropy" }

func (SoftmaxCrossEntropy) Outputs(classes int) int { return classes }

func (SoftmaxCrossEntropy) Values(z, labels *graph.Node) *graph.Node {
	shifted := graph.Sub(z, graph.ReduceAndKeep(z, graph.ReduceMax, -1))
	logSum := graph.Log(graph.ReduceSum(graph.Exp(shifted), -1))
	return graph.Sub(logSum, graph.ReduceSum(graph.Mul(shifted, onehot(z, labels)), -1))
}

func (SoftmaxCrossEntropy) Gradient(z, labels *graph.Node) *graph.Node {
	e := graph.Exp(graph.Sub(z, graph.ReduceAndKeep(z, graph.ReduceMax, -1)))
	return graph.Sub(graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, -1)), onehot(z, labels))
}

func (SoftmaxCrossEntropy) GradientColumns(z, labels *graph.Node) *graph.Node {
	e, sum := exponentials(z)
	return graph.Sub(graph.Div(e, kernel.ExpandLike(sum, e)), onehotColumns(z, labels))
}

// exponentials returns exp(z_k - max z) of columns [R, K, B], and their sums [R, 1, B].
func exponentials(z *graph.Node) (e, sum *graph.Node) {
	if z.Shape().Dim(1) == 2 && kernel.IsGo(z) {
		return twoExponentials(z)
	}
	largest := graph.InsertAxes(graph.ReduceMax(z, 1), 1)
	e = graph.Exp(graph.Sub(z, kernel.ExpandLike(largest, z)))
	return e, graph.InsertAxes(kernel.SumMiddle(e), 1)
}

// twoExponentials is exponentials for two classes. One of them is 1 and no reduction is needed, so
// the go backend takes half the time. An infinite z gives NaN here too.
func twoExponentials(z *graph.Node) (e, sum *graph.Node) {
	a := graph.Slice(z, graph.AxisRange(), graph.AxisElem(0))
	b := graph.Slice(z, graph.AxisRange(), graph.AxisElem(1))
	largest := graph.Max(a, b)
	least := graph.Exp(graph.Sub(graph.Min(a, b), largest)) // at most 1
	first := kernel.NumbersOf(graph.GreaterThan(a, b), z)
	e = graph.Concatenate([]*graph.Node{graph.Max(least, first), graph.Max(least, graph.OneMinus(first))}, 1)
	return e, graph.Add(graph.OnePlus(least), graph.Sub(largest, largest))
}

func (SoftmaxCrossEntropy) Classes(z *graph.Node) *graph.Node {
	return graph.ArgMax(z, -1, dtypes.Int32)
}

// onehot returns 1 at each label and 0 elsewhere, in the shape and type of z [R, B, K].
func onehot(z, labels *graph.Node) *graph.Node {
	return graph.OneHot(labels, z.Shape().Dim(-1), z.DType())
}

// onehotColumns is onehot for columns [R, K, B]. labels may be shared, [1, B].
func onehotColumns(z, labels *graph.Node) *graph.Node {
	shared, classes, batch := labels.Shape().Dim(0), z.Shape().Dim(1), labels.Shape().Dim(1)
	class := kernel.Expand(graph.Iota(z.Graph(), shapes.Make(labels.DType(), 1, classes, 1), 1), shared, classes, batch)
	hot := graph.Equal(class, kernel.Expand(graph.InsertAxes(labels, 1), shared, classes, batch))
	return kernel.ExpandReplicas(graph.ConvertDType(hot, z.DType()), z)
}

// BinaryCrossEntropy is nn.BinaryCrossEntropy.
type BinaryCrossEntropy struct{}

func (BinaryCrossEntropy) String() string { return "binary cross-entropy" }

func (BinaryCrossEntropy) Outputs(int) int { return 1 }

func (l BinaryCrossEntropy) ValidateClasses(classes int) error { return twoClasses(l, classes) }

func (BinaryCrossEntropy) Values(z, labels *graph.Node) *graph.Node {
	return softplus(graph.Neg(graph.Mul(firstOutput(z), signs(z, labels))))
}

func (BinaryCrossEntropy) Gradient(z, labels *graph.Node) *graph.Node {
	return graph.Sub(kernel.Logistic(z), graph.InsertAxes(graph.ConvertDType(labels, z.DType()), -1))
}

func (BinaryCrossEntropy) Classes(z *graph.Node) *graph.Node { return positiveClass(z) }

// BinaryCrossEntropyEach is nn.BinaryCrossEntropyEach.
type BinaryCrossEntropyEach struct{}

func (BinaryCrossEntropyEach) String() string { return "binary cross-entropy of each class" }

func (BinaryCrossEntropyEach) Outputs(classes int) int { return classes }

func (BinaryCrossEntropyEach) Values(z, labels *graph.Node) *graph.Node {
	s := graph.AddScalar(graph.MulScalar(onehot(z, labels), 2), -1)
	return graph.ReduceSum(softplus(graph.Neg(graph.Mul(s, z))), -1)
}

func (BinaryCrossEntropyEach) Gradient(z, labels *graph.Node) *graph.Node {
	return graph.Sub(kernel.Logistic(z), onehot(z, labels))
}

func (BinaryCrossEntropyEach) Classes(z *graph.Node) *graph.Node {
	return graph.ArgMax(z, -1, dtypes.Int32)
}

// softplus returns log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)), which cannot overflow.
func softplus(x *graph.Node) *graph.Node {
	return graph.Add(graph.MaxScalar(x, 0), graph.Log1P(graph.Exp(graph.Neg(graph.Abs(x)))))
}

// firstOutput drops the axis of one output, [R, B, 1].
func firstOutput(z *graph.Node) *graph.Node {
	return graph.Reshape(z, z.Shape().Dim(0), z.Shape().Dim(1))
}

// signs returns 1 for label 1 and -1 for label 0, [R, B].
func signs(z, labels *graph.Node) *graph.Node {
	return graph.AddScalar(graph.MulScalar(graph.ConvertDType(labels, z.DType()), 2), -1)
}

// positiveClass returns 1 where the one output is positive, else 0.
func positiveClass(z *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.GreaterThan(firstOutput(z), graph.ScalarZero(z.Graph(), z.DType())), dtypes.Int32)
}

func twoClasses(l fmt.Stringer, classes int) error {
	if classes != 2 {
		return fmt.Errorf("%v: %d classes: must be 2", l, classes)
	}
	return nil
}

// Hinge is nn.Hinge.
type Hinge struct{}

func (Hinge) String() string { return "hinge" }

func (Hinge) Outputs(int) int { return 1 }

func (l Hinge) ValidateClasses(classes int) error { return twoClasses(l, classes) }

func (Hinge) Values(z, labels *graph.Node) *graph.Node {
	return graph.MaxScalar(graph.OneMinus(graph.Mul(signs(z, labels), firstOutput(z))), 0)
}

func (Hinge) Gradient(z, labels *graph.Node) *graph.Node {
	s := graph.InsertAxes(signs(z, labels), -1)
	margin := graph.Mul(s, z)
	beyond := graph.GreaterOrEqual(margin, graph.ScalarOne(z.Graph(), z.DType()))
	return graph.Where(beyond, graph.ZerosLike(z), graph.Neg(s))
}

func (Hinge) Classes(z *graph.Node) *graph.Node { return positiveClass(z) }
