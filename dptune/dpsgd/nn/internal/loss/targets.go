package loss

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// NeedsTargets has the methods of a Loss that a TargetLoss does not use.
type NeedsTargets struct{}

func (NeedsTargets) Values(_, _ *graph.Node) *graph.Node {
	panic(errors.New("a loss of targets has no values without targets: must use ValuesOf"))
}

func (NeedsTargets) Gradient(_, _ *graph.Node) *graph.Node {
	panic(errors.New("a loss of targets has no gradient without targets: must use GradientOf"))
}

// Padding is nn.Padding.
const Padding = -1

// MaxTokens is the number of integers that float32, the type of features, holds exactly.
const MaxTokens = 1 << 24

// TokenCrossEntropy is nn.TokenCrossEntropy.
type TokenCrossEntropy struct {
	NeedsTargets
	Tokens, Vocabulary int
}

func (l TokenCrossEntropy) String() string {
	return fmt.Sprintf("cross-entropy of %d tokens of %d", l.Tokens, l.Vocabulary)
}

func (l TokenCrossEntropy) Outputs(int) int { return l.Tokens * l.Vocabulary }

func (l TokenCrossEntropy) ValidateClasses(int) error {
	if l.Tokens < 1 || l.Vocabulary < 1 || l.Vocabulary > MaxTokens {
		return fmt.Errorf("%v: tokens must be >= 1 and vocabulary in [1, %d]", l, MaxTokens)
	}
	return nil
}

func (l TokenCrossEntropy) TargetShape(int) []int { return []int{l.Tokens} }

func (l TokenCrossEntropy) ValidateTarget(target []float32) (int, error) {
	for i, id := range target {
		v := float64(id)
		if v != math.Trunc(v) || v < Padding || v >= float64(l.Vocabulary) {
			return i, fmt.Errorf("token %g: must be an integer in [0, %d), or %d for none", v, l.Vocabulary, Padding)
		}
	}
	return 0, nil
}

func (l TokenCrossEntropy) DrawTarget(rng *rand.Rand, target []float32) {
	for i := range target {
		target[i] = float32(rng.IntN(l.Vocabulary+1) - 1)
	}
}

// logits returns outputs [R, B, K] as [R, B, tokens, vocabulary].
func (l TokenCrossEntropy) logits(z *graph.Node) *graph.Node {
	return graph.Reshape(z, z.Shape().Dim(0), z.Shape().Dim(1), l.Tokens, l.Vocabulary)
}

// counted returns the ids [R, B, tokens], which places count, and the share 1/n of those.
func (TokenCrossEntropy) counted(targets *graph.Node) (ids, counts, share *graph.Node) {
	counts = graph.GreaterOrEqual(targets, graph.ScalarZero(targets.Graph(), targets.DType()))
	share = graph.ConvertDType(counts, targets.DType())
	n := graph.MaxScalar(graph.ReduceAndKeep(share, graph.ReduceSum, -1), 1)
	return graph.ConvertDType(graph.MaxScalar(targets, 0), dtypes.Int32), counts, graph.Div(share, n)
}

func (l TokenCrossEntropy) ValuesOf(z, _, targets *graph.Node) *graph.Node {
	ids, _, share := l.counted(targets)
	return graph.ReduceSum(graph.Mul(SoftmaxCrossEntropy{}.Values(l.logits(z), ids), share), -1)
}

func (l TokenCrossEntropy) GradientOf(z, _, targets *graph.Node) *graph.Node {
	ids, _, share := l.counted(targets)
	g := graph.Mul(SoftmaxCrossEntropy{}.Gradient(l.logits(z), ids), graph.InsertAxes(share, -1))
	return graph.Reshape(g, z.Shape().Dimensions...)
}

func (TokenCrossEntropy) Classes(*graph.Node) *graph.Node { return nil }

func (l TokenCrossEntropy) Right(z, _, targets *graph.Node) *graph.Node {
	ids, counts, share := l.counted(targets)
	right := graph.LogicalAnd(counts, graph.Equal(graph.ArgMax(l.logits(z), -1, dtypes.Int32), ids))
	return graph.ReduceSum(graph.Mul(graph.ConvertDType(right, z.DType()), share), -1)
}

// VectorSquaredError is nn.VectorSquaredError.
type VectorSquaredError struct {
	NeedsTargets
	Width int
}

func (l VectorSquaredError) String() string {
	return fmt.Sprintf("squared error of a vector of %d", l.Width)
}

func (l VectorSquaredError) Outputs(int) int { return l.Width }

func (l VectorSquaredError) ValidateClasses(int) error {
	if l.Width < 1 {
		return fmt.Errorf("%v: width must be >= 1", l)
	}
	return nil
}

func (l VectorSquaredError) TargetShape(int) []int { return []int{l.Width} }

func (VectorSquaredError) ValidateTarget([]float32) (int, error) { return 0, nil }

func (VectorSquaredError) DrawTarget(rng *rand.Rand, target []float32) {
	for i := range target {
		target[i] = float32(rng.NormFloat64())
	}
}

func (VectorSquaredError) ValuesOf(z, _, targets *graph.Node) *graph.Node {
	return graph.MulScalar(graph.ReduceSum(graph.Square(graph.Sub(z, targets)), -1), 0.5)
}

func (VectorSquaredError) GradientOf(z, _, targets *graph.Node) *graph.Node {
	return graph.Sub(z, targets)
}

func (VectorSquaredError) Classes(*graph.Node) *graph.Node { return nil }

func (VectorSquaredError) Right(_, _, _ *graph.Node) *graph.Node { return nil }

// Distillation is nn.Distillation.
type Distillation struct {
	NeedsTargets
	Temperature float64
}

func (l Distillation) String() string {
	return fmt.Sprintf("Distillation at temperature %g", l.Temperature)
}

func (Distillation) Outputs(classes int) int { return classes }

func (l Distillation) ValidateClasses(int) error {
	if !(l.Temperature > 0) || math.IsInf(l.Temperature, 1) {
		return fmt.Errorf("%v: temperature must be > 0 and finite", l)
	}
	return nil
}

func (Distillation) TargetShape(classes int) []int { return []int{classes} }

func (Distillation) ValidateTarget(target []float32) (int, error) {
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

func (Distillation) DrawTarget(rng *rand.Rand, target []float32) {
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
func (l Distillation) cooled(z *graph.Node) *graph.Node {
	z = graph.DivScalar(z, l.Temperature)
	return graph.Sub(z, graph.ReduceAndKeep(z, graph.ReduceMax, -1))
}

func (l Distillation) ValuesOf(z, _, targets *graph.Node) *graph.Node {
	shifted := l.cooled(z)
	logs := graph.Sub(shifted, graph.Log(graph.ReduceAndKeep(graph.Exp(shifted), graph.ReduceSum, -1)))
	return graph.MulScalar(graph.ReduceSum(graph.Mul(targets, logs), -1), -l.Temperature*l.Temperature)
}

func (l Distillation) GradientOf(z, _, targets *graph.Node) *graph.Node {
	e := graph.Exp(l.cooled(z))
	total := graph.ReduceAndKeep(targets, graph.ReduceSum, -1)
	share := graph.Div(total, graph.ReduceAndKeep(e, graph.ReduceSum, -1))
	return graph.MulScalar(graph.Sub(graph.Mul(e, share), targets), l.Temperature)
}

func (Distillation) Classes(z *graph.Node) *graph.Node { return graph.ArgMax(z, -1, dtypes.Int32) }

func (l Distillation) Right(z, labels, _ *graph.Node) *graph.Node { return RightClass(l, z, labels) }

// RightClass returns 1 where a loss predicts the label and 0 elsewhere.
func RightClass(l interface {
	Classes(outputs *graph.Node) *graph.Node
}, outputs, labels *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.Equal(l.Classes(outputs), labels), outputs.DType())
}
