package nn

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Loss is a function of one example's outputs and its label. A [TargetLoss] reads more than these.
// Rows must not mix, as in a [Layer]. engine.NewTrainer tests your own loss too, see
// engine.CheckLoss.
//
// A loss that does not allow every number of classes also has the method
//
//	ValidateClasses(classes int) error
//
// It returns an error for a number of classes that the loss does not allow. A model for such
// examples is then not valid.
type Loss interface {
	// String returns the name of the loss and all of its parameters, as for a layer.
	String() string
	// Outputs returns how many outputs the last layer must have.
	Outputs(classes int) int
	// Values returns each example's loss, [R, B], from outputs [R, B, K] and labels [R, B], int32.
	Values(outputs, labels *graph.Node) *graph.Node
	// Gradient returns the gradient of each example's loss at its outputs, [R, B, K].
	Gradient(outputs, labels *graph.Node) *graph.Node
	// Classes returns the predicted class of each example, [R, B], int32.
	Classes(outputs *graph.Node) *graph.Node
}

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
	class := kernel.Expand(graph.Iota(z.Graph(), shapes.Make(labels.DType(), 1, classes, 1), 1), shared, classes, batch)
	hot := graph.Equal(class, kernel.Expand(graph.InsertAxes(labels, 1), shared, classes, batch))
	return kernel.ExpandReplicas(graph.ConvertDType(hot, z.DType()), z)
}

// BinaryCrossEntropy returns the loss of one output z for two classes,
//
//	log(1 + exp(-z)) for label 1,  log(1 + exp(z)) for label 0
//
// with gradient σ(z) - label. Class 1 is predicted where z > 0.
func BinaryCrossEntropy() Loss { return binaryCrossEntropy{} }

type binaryCrossEntropy struct{}

func (binaryCrossEntropy) String() string { return "binary cross-entropy" }

func (binaryCrossEntropy) Outputs(int) int { return 1 }

func (l binaryCrossEntropy) ValidateClasses(classes int) error { return twoClasses(l, classes) }

func (binaryCrossEntropy) Values(z, labels *graph.Node) *graph.Node {
	return softplus(graph.Neg(graph.Mul(firstOutput(z), signs(z, labels))))
}

func (binaryCrossEntropy) Gradient(z, labels *graph.Node) *graph.Node {
	return graph.Sub(logistic(z), graph.InsertAxes(graph.ConvertDType(labels, z.DType()), -1))
}

func (binaryCrossEntropy) Classes(z *graph.Node) *graph.Node { return positiveClass(z) }

// BinaryCrossEntropyEach returns the loss with each of K outputs as the log odds of its class
// against all others,
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

// Hinge returns the loss max(0, 1 - s z) of one output z for two classes, as in a support vector
// machine. s is 1 for label 1 and -1 for label 0. The gradient is -s where s z < 1, and 0
// elsewhere. Class 1 is predicted where z > 0.
func Hinge() Loss { return hinge{} }

type hinge struct{}

func (hinge) String() string { return "hinge" }

func (hinge) Outputs(int) int { return 1 }

func (l hinge) ValidateClasses(classes int) error { return twoClasses(l, classes) }

func (hinge) Values(z, labels *graph.Node) *graph.Node {
	return graph.MaxScalar(graph.OneMinus(graph.Mul(signs(z, labels), firstOutput(z))), 0)
}

func (hinge) Gradient(z, labels *graph.Node) *graph.Node {
	s := graph.InsertAxes(signs(z, labels), -1)
	margin := graph.Mul(s, z)
	beyond := graph.GreaterOrEqual(margin, graph.ScalarOne(z.Graph(), z.DType()))
	return graph.Where(beyond, graph.ZerosLike(z), graph.Neg(s))
}

func (hinge) Classes(z *graph.Node) *graph.Node { return positiveClass(z) }

// SquaredError returns the loss (z - target)²/2 of one output z, with gradient z - target.
// targets[k] is the target of label k. In a data set for regression, an example's label is the
// index of its target: a bin, or its own target. The class with the nearest target is predicted.
//
// The targets are part of the model, and anyone with the model can read them. They must be public:
// bin edges, not values read from the data.
func SquaredError(targets ...float64) Loss { return squaredError{slices.Clone(targets)} }

type squaredError struct{ targets []float64 }

func (l squaredError) String() string {
	return fmt.Sprintf("squared error of %d targets", len(l.targets))
}

// Fingerprint implements [Fingerprinter].
func (l squaredError) Fingerprint() []byte { return bytesOf(l.targets) }

func (squaredError) Outputs(int) int { return 1 }

func (l squaredError) ValidateClasses(classes int) error {
	if len(l.targets) != classes {
		return fmt.Errorf("%v: %d classes: must have one target for each", l, classes)
	}
	if err := validateFinite("targets", l.targets); err != nil {
		return fmt.Errorf("%v: %w", l, err)
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
