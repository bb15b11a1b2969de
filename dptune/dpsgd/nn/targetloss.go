package nn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// TargetLoss is a [Loss] that reads more of an example than its label: its targets, see
// data.Dataset.Targets. Only ValuesOf and GradientOf run. Values and Gradient are not used.
//
// The last layer may have outputs of any shape with Outputs numbers. The loss gets them as a list.
// Rows must not mix, and an example's targets must not depend on other examples.
type TargetLoss interface {
	Loss
	// TargetShape returns the shape of one example's targets.
	TargetShape(classes int) []int
	// ValidateTarget returns an error and the column for the targets of an example that the loss
	// cannot take. It gets finite numbers of the right shape.
	ValidateTarget(target []float32) (column int, err error)
	// DrawTarget fills in random targets that the loss can take, for tests of the loss.
	DrawTarget(rng *rand.Rand, target []float32)
	// ValuesOf returns each example's loss, [R, B], from outputs [R, B, K], labels [R, B], int32, and
	// targets [R, B, n], as one list. It must be finite for targets of zeros, which are padding.
	ValuesOf(outputs, labels, targets *graph.Node) *graph.Node
	// GradientOf returns the gradient of each example's loss at its outputs, [R, B, K].
	GradientOf(outputs, labels, targets *graph.Node) *graph.Node
	// Right returns the share of each example that the outputs predict right, [R, B], in [0, 1]. It
	// is nil if nothing is right or wrong, as in regression. Classes may return nil then too.
	Right(outputs, labels, targets *graph.Node) *graph.Node
}

// needsTargets has the methods of a Loss that a TargetLoss does not use.
type needsTargets struct{}

func (needsTargets) Values(_, _ *graph.Node) *graph.Node {
	panic(errors.New("a loss of targets has no values without targets: must use ValuesOf"))
}

func (needsTargets) Gradient(_, _ *graph.Node) *graph.Node {
	panic(errors.New("a loss of targets has no gradient without targets: must use GradientOf"))
}

// TargetShape returns the shape of the targets that the model's loss reads, nil if it reads none.
func (m Model) TargetShape(classes int) []int {
	if l, is := m.Loss.(TargetLoss); is {
		return l.TargetShape(classes)
	}
	return nil
}

// Targets returns the number of targets that the loss reads of each example. The model must be
// valid.
func (m Model) Targets() int {
	l, is := m.Loss.(TargetLoss)
	if !is {
		return 0
	}
	shapes, _ := m.shapes()
	return kernel.SizeOf(l.TargetShape(kernel.SizeOf(shapes[len(shapes)-1]))) // as many classes as outputs, if the shape depends on them
}

// LossOf returns each example's loss, [R, B]. labels and targets may be shared, [1, B, ...].
func (m Model) LossOf(outputs, labels, targets *graph.Node) *graph.Node {
	labels = kernel.ExpandReplicas(labels, outputs)
	if l, is := m.Loss.(TargetLoss); is {
		return l.ValuesOf(outputs, labels, kernel.RepeatShared(targets, outputs.Shape().Dim(0)))
	}
	return m.Loss.Values(outputs, labels)
}

// RightOf returns the share of each example that the model predicts right, [R, B], in the type of
// the outputs. It is nil if the loss knows no right and wrong. labels and targets may be shared.
func (m Model) RightOf(outputs, labels, targets *graph.Node) *graph.Node {
	labels = kernel.ExpandReplicas(labels, outputs)
	if l, is := m.Loss.(TargetLoss); is {
		return l.Right(outputs, labels, kernel.RepeatShared(targets, outputs.Shape().Dim(0)))
	}
	return rightClass(m.Loss, outputs, labels)
}

// rightClass returns 1 where a loss predicts the label and 0 elsewhere.
func rightClass(l Loss, outputs, labels *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.Equal(l.Classes(outputs), labels), outputs.DType())
}

// validateTargets returns an error unless a data set has the targets that the loss reads. It names
// the row and column of the first one that the loss cannot take.
func (m Model) validateTargets(d data.Dataset) error {
	l, is := m.Loss.(TargetLoss)
	if !is {
		return nil
	}
	want := l.TargetShape(d.Classes)
	switch {
	case len(d.TargetShape) == 0:
		return fmt.Errorf("nn: model %q: data set %q has no targets: must have Targets of shape %v for %v", m.Name, d.Name, want, l)
	case !slices.Equal(want, d.TargetShape):
		return fmt.Errorf("nn: model %q: data set %q has targets of shape %v: must be %v for %v", m.Name, d.Name, d.TargetShape, want, l)
	}
	for i := range d.Len() {
		if column, err := l.ValidateTarget(d.Target(i)); err != nil {
			return fmt.Errorf("nn: model %q: data set %q, row %d, target %d: %v: %w", m.Name, d.Name, i, column, l, err)
		}
	}
	return nil
}

// LossGradient returns the gradient of each example's loss at outputs [R, B, K].
func (m Model) LossGradient(outputs *graph.Node, batch Batch) *graph.Node {
	labels := kernel.ExpandReplicas(batch.Labels, outputs)
	if l, is := m.Loss.(TargetLoss); is {
		return l.GradientOf(outputs, labels, kernel.RepeatShared(batch.Targets, outputs.Shape().Dim(0)))
	}
	return m.Loss.Gradient(outputs, labels)
}

// TokenCrossEntropy returns the mean cross-entropy over the places of an example, from outputs
// [tokens, vocabulary] and target ids [tokens],
//
//	-1/n Σ_{t counts} log softmax(z_t)[target_t]
//
// with gradient (softmax(z_t) - onehot(target_t))/n at the places that count. A place with target
// TokenPadding does not count, and n is the number of the others. An example without any has loss
// 0 and gradient 0. Targets are in [0, vocabulary) or TokenPadding.
//
// Accuracy is the mean over examples of the share of places where the largest output is right. The
// share is 0 if no place counts. No class is predicted for the whole example.
func TokenCrossEntropy(tokens, vocabulary int) Loss {
	return tokenCrossEntropy{tokens: tokens, vocabulary: vocabulary}
}

type tokenCrossEntropy struct {
	needsTargets
	tokens, vocabulary int
}

func (l tokenCrossEntropy) String() string {
	return fmt.Sprintf("cross-entropy of %d tokens of %d", l.tokens, l.vocabulary)
}

func (l tokenCrossEntropy) Outputs(int) int { return l.tokens * l.vocabulary }

func (l tokenCrossEntropy) ValidateClasses(int) error {
	if l.tokens < 1 || l.vocabulary < 1 || l.vocabulary > maxTokens {
		return fmt.Errorf("%v: tokens must be >= 1 and vocabulary in [1, %d]", l, maxTokens)
	}
	return nil
}

func (l tokenCrossEntropy) TargetShape(int) []int { return []int{l.tokens} }

func (l tokenCrossEntropy) ValidateTarget(target []float32) (int, error) {
	for i, id := range target {
		v := float64(id)
		if v != math.Trunc(v) || v < TokenPadding || v >= float64(l.vocabulary) {
			return i, fmt.Errorf("token %g: must be an integer in [0, %d), or %d for none", v, l.vocabulary, TokenPadding)
		}
	}
	return 0, nil
}

func (l tokenCrossEntropy) DrawTarget(rng *rand.Rand, target []float32) {
	for i := range target {
		target[i] = float32(rng.IntN(l.vocabulary+1) - 1)
	}
}

// logits returns outputs [R, B, K] as [R, B, tokens, vocabulary].
func (l tokenCrossEntropy) logits(z *graph.Node) *graph.Node {
	return graph.Reshape(z, z.Shape().Dim(0), z.Shape().Dim(1), l.tokens, l.vocabulary)
}

// counted returns the ids [R, B, tokens], which places count, and the share 1/n of those.
func (tokenCrossEntropy) counted(targets *graph.Node) (ids, counts, share *graph.Node) {
	counts = graph.GreaterOrEqual(targets, graph.ScalarZero(targets.Graph(), targets.DType()))
	share = graph.ConvertDType(counts, targets.DType())
	n := graph.MaxScalar(graph.ReduceAndKeep(share, graph.ReduceSum, -1), 1)
	return graph.ConvertDType(graph.MaxScalar(targets, 0), dtypes.Int32), counts, graph.Div(share, n)
}

func (l tokenCrossEntropy) ValuesOf(z, _, targets *graph.Node) *graph.Node {
	ids, _, share := l.counted(targets)
	return graph.ReduceSum(graph.Mul(softmaxCrossEntropy{}.Values(l.logits(z), ids), share), -1)
}

func (l tokenCrossEntropy) GradientOf(z, _, targets *graph.Node) *graph.Node {
	ids, _, share := l.counted(targets)
	g := graph.Mul(softmaxCrossEntropy{}.Gradient(l.logits(z), ids), graph.InsertAxes(share, -1))
	return graph.Reshape(g, z.Shape().Dimensions...)
}

func (tokenCrossEntropy) Classes(*graph.Node) *graph.Node { return nil }

func (l tokenCrossEntropy) Right(z, _, targets *graph.Node) *graph.Node {
	ids, counts, share := l.counted(targets)
	right := graph.LogicalAnd(counts, graph.Equal(graph.ArgMax(l.logits(z), -1, dtypes.Int32), ids))
	return graph.ReduceSum(graph.Mul(graph.ConvertDType(right, z.DType()), share), -1)
}
