package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// VectorSquaredError returns the loss Σ_k (z_k - t_k)²/2 of outputs z and targets t, both [width],
// with gradient z - t. No class is predicted.
func VectorSquaredError(width int) Loss { return vectorSquaredError{width: width} }

type vectorSquaredError struct {
	needsTargets
	width int
}

func (l vectorSquaredError) String() string {
	return fmt.Sprintf("squared error of a vector of %d", l.width)
}

func (l vectorSquaredError) Outputs(int) int { return l.width }

func (l vectorSquaredError) ValidateClasses(int) error {
	if l.width < 1 {
		return fmt.Errorf("%v: width must be >= 1", l)
	}
	return nil
}

func (l vectorSquaredError) TargetShape(int) []int { return []int{l.width} }

func (vectorSquaredError) ValidateTarget([]float32) (int, error) { return 0, nil }

func (vectorSquaredError) DrawTarget(rng *rand.Rand, target []float32) {
	for i := range target {
		target[i] = float32(rng.NormFloat64())
	}
}

func (vectorSquaredError) ValuesOf(z, _, targets *graph.Node) *graph.Node {
	return graph.MulScalar(graph.ReduceSum(graph.Square(graph.Sub(z, targets)), -1), 0.5)
}

func (vectorSquaredError) GradientOf(z, _, targets *graph.Node) *graph.Node {
	return graph.Sub(z, targets)
}

func (vectorSquaredError) Classes(*graph.Node) *graph.Node { return nil }

func (vectorSquaredError) Right(_, _, _ *graph.Node) *graph.Node { return nil }

// Distillation returns the loss of outputs z and soft targets p, both [classes],
//
//	-T² Σ_k p_k log softmax(z/T)_k
//
// with gradient T (softmax(z/T) Σ_k p_k - p). p are the probabilities of a teacher, softmax(v/T) of
// its outputs v at the same temperature T > 0. They must add up to 1. The factor T² keeps gradients
// of one size for all T. The class of the largest output is predicted.
//
// The teacher must be public. If it was trained on private data, the targets of one example depend
// on others.
//
// Reference: Hinton, Vinyals, Dean (2015), arXiv:1503.02531v1, Section 2.
func Distillation(temperature float64) Loss { return distillation{temperature: temperature} }

type distillation struct {
	needsTargets
	temperature float64
}

func (l distillation) String() string {
	return fmt.Sprintf("distillation at temperature %g", l.temperature)
}

func (distillation) Outputs(classes int) int { return classes }

func (l distillation) ValidateClasses(int) error {
	if !(l.temperature > 0) || math.IsInf(l.temperature, 1) {
		return fmt.Errorf("%v: temperature must be > 0 and finite", l)
	}
	return nil
}

func (distillation) TargetShape(classes int) []int { return []int{classes} }

func (distillation) ValidateTarget(target []float32) (int, error) {
	const rounding = 1e-3
	sum := 0.0
	for k, p := range target {
		if p < 0 {
			return k, fmt.Errorf("probability %g: must be >= 0", p)
		}
		sum += float64(p)
	}
	if math.Abs(sum-1) > rounding {
		return 0, fmt.Errorf("probabilities add up to %g: must add up to 1", sum)
	}
	return 0, nil
}

func (distillation) DrawTarget(rng *rand.Rand, target []float32) {
	sum := float32(0)
	for k := range target {
		target[k] = float32(rng.ExpFloat64())
		sum += target[k]
	}
	for k := range target {
		target[k] /= sum
	}
}

// cooled returns z/T minus its largest value.
func (l distillation) cooled(z *graph.Node) *graph.Node {
	z = graph.DivScalar(z, l.temperature)
	return graph.Sub(z, graph.ReduceAndKeep(z, graph.ReduceMax, -1))
}

func (l distillation) ValuesOf(z, _, targets *graph.Node) *graph.Node {
	shifted := l.cooled(z)
	logs := graph.Sub(shifted, graph.Log(graph.ReduceAndKeep(graph.Exp(shifted), graph.ReduceSum, -1)))
	return graph.MulScalar(graph.ReduceSum(graph.Mul(targets, logs), -1), -l.temperature*l.temperature)
}

func (l distillation) GradientOf(z, _, targets *graph.Node) *graph.Node {
	e := graph.Exp(l.cooled(z))
	total := graph.ReduceAndKeep(targets, graph.ReduceSum, -1)
	share := graph.Div(total, graph.ReduceAndKeep(e, graph.ReduceSum, -1))
	return graph.MulScalar(graph.Sub(graph.Mul(e, share), targets), l.temperature)
}

func (distillation) Classes(z *graph.Node) *graph.Node { return graph.ArgMax(z, -1, dtypes.Int32) }

func (l distillation) Right(z, labels, _ *graph.Node) *graph.Node { return rightClass(l, z, labels) }

// Weighted returns a loss times a weight w >= 0 of the example, with gradient w times that of the
// loss. The first of an example's targets is its weight. The others are those of the loss, as one
// list. So a loss without targets gets targets of shape [1]. Accuracy has no weights.
//
// A weight must depend on its example only. Weights from the frequencies of classes in private data
// are wrong. No weight changes how much one example adds, because its gradient is clipped after
// it is weighted.
func Weighted(loss Loss) Loss { return weighted{loss: loss} }

type weighted struct {
	needsTargets
	loss Loss
}

func (l weighted) String() string { return fmt.Sprintf("weighted %v", l.loss) }

// Fingerprint implements [Fingerprinter].
func (l weighted) Fingerprint() []byte {
	if p, is := l.loss.(Fingerprinter); is {
		return p.Fingerprint()
	}
	return nil
}

func (l weighted) Outputs(classes int) int { return l.loss.Outputs(classes) }

func (l weighted) ValidateClasses(classes int) error {
	if l.loss == nil {
		return fmt.Errorf("Weighted: loss is nil: must be a loss")
	}
	if v, is := l.loss.(interface{ ValidateClasses(int) error }); is {
		return v.ValidateClasses(classes)
	}
	return nil
}

func (l weighted) TargetShape(classes int) []int {
	inner, is := l.loss.(TargetLoss)
	if !is {
		return []int{1}
	}
	return []int{1 + kernel.SizeOf(inner.TargetShape(classes))}
}

func (l weighted) ValidateTarget(target []float32) (int, error) {
	if !(target[0] >= 0) {
		return 0, fmt.Errorf("weight %g: must be >= 0", target[0])
	}
	if inner, is := l.loss.(TargetLoss); is {
		column, err := inner.ValidateTarget(target[1:])
		return 1 + column, err
	}
	return 0, nil
}

func (l weighted) DrawTarget(rng *rand.Rand, target []float32) {
	target[0] = float32(rng.ExpFloat64())
	if inner, is := l.loss.(TargetLoss); is {
		inner.DrawTarget(rng, target[1:])
	}
}

// parts returns the weights [R, B], and the targets of the loss.
func (weighted) parts(targets *graph.Node) (weights, inner *graph.Node) {
	replicas, batch, width := targets.Shape().Dim(0), targets.Shape().Dim(1), targets.Shape().Dim(2)
	cut := func(from, to int) *graph.Node {
		return graph.Slice(targets, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(from, to))
	}
	if width > 1 {
		inner = cut(1, width)
	}
	return graph.Reshape(cut(0, 1), replicas, batch), inner
}

func (l weighted) ValuesOf(z, labels, targets *graph.Node) *graph.Node {
	weights, inner := l.parts(targets)
	if of, is := l.loss.(TargetLoss); is {
		return graph.Mul(weights, of.ValuesOf(z, labels, inner))
	}
	return graph.Mul(weights, l.loss.Values(z, labels))
}

func (l weighted) GradientOf(z, labels, targets *graph.Node) *graph.Node {
	weights, inner := l.parts(targets)
	if of, is := l.loss.(TargetLoss); is {
		return kernel.Scaled(of.GradientOf(z, labels, inner), graph.InsertAxes(weights, -1))
	}
	return kernel.Scaled(l.loss.Gradient(z, labels), graph.InsertAxes(weights, -1))
}

func (l weighted) Classes(z *graph.Node) *graph.Node { return l.loss.Classes(z) }

func (l weighted) Right(z, labels, targets *graph.Node) *graph.Node {
	_, inner := l.parts(targets)
	if of, is := l.loss.(TargetLoss); is {
		return of.Right(z, labels, inner)
	}
	return rightClass(l.loss, z, labels)
}
