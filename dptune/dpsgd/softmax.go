package dpsgd

import (
	"github.com/gomlx/compute/dtypes"
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

func (softmaxCrossEntropy) Classes(z *graph.Node) *graph.Node {
	return graph.ArgMax(z, -1, dtypes.Int32)
}

// onehot returns 1 at each label and 0 elsewhere, in the shape and type of z [R, B, K].
func onehot(z, labels *graph.Node) *graph.Node {
	return graph.OneHot(labels, z.Shape().Dim(-1), z.DType())
}
