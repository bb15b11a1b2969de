package dpsgd

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// SoftmaxCrossEntropy returns the loss -log softmax(z)[label], with gradient
// softmax(z) - onehot(label).
func SoftmaxCrossEntropy() Loss { return softmaxCrossEntropy{} }

type softmaxCrossEntropy struct{}

func (softmaxCrossEntropy) String() string { return "softmax cross-entropy" }

func (softmaxCrossEntropy) Outputs(classes int) int { return classes }

func (softmaxCrossEntropy) Values(z, labels *graph.Node) *graph.Node {
	shifted := graph.Sub(z, graph.ReduceAndKeep(z, graph.ReduceMax, -1))
	logSum := graph.Log(graph.ReduceSum(graph.Exp(shifted), -1))
	return graph.Sub(logSum, graph.ReduceSum(graph.Mul(shifted, onehot(z, labels)), -1))
}

func (softmaxCrossEntropy) Gradient(z, labels *graph.Node) *graph.Node {
	e := graph.Exp(graph.Sub(z, graph.ReduceAndKeep(z, graph.ReduceMax, -1)))
	return graph.Sub(graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, -1)), onehot(z, labels))
}

func (softmaxCrossEntropy) gradientColumns(z, labels *graph.Node) *graph.Node {
	largest := graph.InsertAxes(graph.ReduceMax(z, 1), 1)
	e := graph.Exp(graph.Sub(z, expandLike(largest, z)))
	sum := graph.InsertAxes(sumMiddle(e), 1)
	return graph.Sub(graph.Div(e, expandLike(sum, e)), onehotColumns(z, labels))
}

func (softmaxCrossEntropy) Classes(z *graph.Node) *graph.Node {
	return graph.ArgMax(z, -1, dtypes.Int32)
}

// onehot returns 1 at each label and 0 elsewhere, in the shape and type of z [R, B, K].
func onehot(z, labels *graph.Node) *graph.Node {
	return graph.OneHot(labels, z.Shape().Dim(-1), z.DType())
}

// onehotColumns is onehot for columns [R, K, B]. labels may be shared, [1, B].
func onehotColumns(z, labels *graph.Node) *graph.Node {
	shared, classes, batch := labels.Shape().Dim(0), z.Shape().Dim(1), labels.Shape().Dim(1)
	class := expand(graph.Iota(z.Graph(), shapes.Make(labels.DType(), 1, classes, 1), 1), shared, classes, batch)
	hot := graph.Equal(class, expand(graph.InsertAxes(labels, 1), shared, classes, batch))
	return expandReplicas(graph.ConvertDType(hot, z.DType()), z)
}
