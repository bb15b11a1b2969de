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
	e, sum := exponentials(z)
	return graph.Sub(graph.Div(e, expandLike(sum, e)), onehotColumns(z, labels))
}

// exponentials returns exp(z_k - max z) of columns [R, K, B], and their sums [R, 1, B].
func exponentials(z *graph.Node) (e, sum *graph.Node) {
	if z.Shape().Dim(1) == 2 && isGo(z) {
		return twoExponentials(z)
	}
	largest := graph.InsertAxes(graph.ReduceMax(z, 1), 1)
	e = graph.Exp(graph.Sub(z, expandLike(largest, z)))
	return e, graph.InsertAxes(sumMiddle(e), 1)
}

// twoExponentials is exponentials of two classes, of which one is 1: the go backend takes
// half the time, and there is no reduction. An infinite z gives NaN here too.
func twoExponentials(z *graph.Node) (e, sum *graph.Node) {
	a := graph.Slice(z, graph.AxisRange(), graph.AxisElem(0))
	b := graph.Slice(z, graph.AxisRange(), graph.AxisElem(1))
	largest := graph.Max(a, b)
	least := graph.Exp(graph.Sub(graph.Min(a, b), largest)) // at most 1
	first := numbersOf(graph.GreaterThan(a, b), z)
	e = graph.Concatenate([]*graph.Node{graph.Max(least, first), graph.Max(least, graph.OneMinus(first))}, 1)
	return e, graph.Add(graph.OnePlus(least), graph.Sub(largest, largest))
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
