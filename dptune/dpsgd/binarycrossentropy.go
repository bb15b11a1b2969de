package dpsgd

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// BinaryCrossEntropy returns the loss of one output z for two classes,
//
//	log(1 + exp(-z)) for label 1,  log(1 + exp(z)) for label 0
//
// with gradient σ(z) - label. Class 1 is predicted where z > 0.
func BinaryCrossEntropy() Loss { return binaryCrossEntropy{} }

type binaryCrossEntropy struct{}

func (binaryCrossEntropy) String() string { return "binary cross-entropy" }

func (binaryCrossEntropy) Outputs(int) int { return 1 }

func (l binaryCrossEntropy) validateClasses(classes int) error { return twoClasses(l, classes) }

func (binaryCrossEntropy) Values(z, labels *graph.Node) *graph.Node {
	return softplus(graph.Neg(graph.Mul(firstOutput(z), signs(z, labels))))
}

func (binaryCrossEntropy) Gradient(z, labels *graph.Node) *graph.Node {
	return graph.Sub(logistic(z), graph.InsertAxes(graph.ConvertDType(labels, z.DType()), -1))
}

func (binaryCrossEntropy) Classes(z *graph.Node) *graph.Node { return positiveClass(z) }

// BinaryCrossEntropyEach returns the loss that takes each of K outputs as the log odds of
// its class against all others,
//
//	Σ_k log(1 + exp(-s_k z_k)),  s_k = 1 for the label and -1 elsewhere
//
// with gradient σ(z_k) - [k is the label]. The class of the largest output is predicted.
func BinaryCrossEntropyEach() Loss { return binaryCrossEntropyEach{} }

type binaryCrossEntropyEach struct{}

func (binaryCrossEntropyEach) String() string { return "binary cross-entropy of each class" }

func (binaryCrossEntropyEach) Outputs(classes int) int { return classes }

func (binaryCrossEntropyEach) Values(z, labels *graph.Node) *graph.Node {
	s := graph.AddScalar(graph.MulScalar(onehot(z, labels), 2), -1)
	return graph.ReduceSum(softplus(graph.Neg(graph.Mul(s, z))), -1)
}

func (binaryCrossEntropyEach) Gradient(z, labels *graph.Node) *graph.Node {
	return graph.Sub(logistic(z), onehot(z, labels))
}

func (binaryCrossEntropyEach) Classes(z *graph.Node) *graph.Node {
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

func twoClasses(l Loss, classes int) error {
	if classes != 2 {
		return fmt.Errorf("%v: %d classes: must be 2", l, classes)
	}
	return nil
}
