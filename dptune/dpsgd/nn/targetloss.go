package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/loss"
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
	return loss.RightClass(m.Loss, outputs, labels)
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

// Weighted returns a loss times a weight w >= 0 of the example, with gradient w times that of the
// loss. The first of an example's targets is its weight. The others are those of the loss, as one
// list. So a loss without targets gets targets of shape [1]. Accuracy has no weights.
//
// A weight must depend on its example only. Weights from the frequencies of classes in private data
// are wrong. No weight changes how much one example adds, because its gradient is clipped after
// it is weighted.
func Weighted(of Loss) Loss { return weighted{of: of} }

type weighted struct {
	loss.NeedsTargets
	of Loss
}

func (l weighted) String() string { return fmt.Sprintf("weighted %v", l.of) }

// Fingerprint implements [Fingerprinter].
func (l weighted) Fingerprint() []byte {
	if p, is := l.of.(Fingerprinter); is {
		return p.Fingerprint()
	}
	return nil
}

func (l weighted) Outputs(classes int) int { return l.of.Outputs(classes) }

func (l weighted) ValidateClasses(classes int) error {
	if l.of == nil {
		return fmt.Errorf("Weighted: loss is nil: must be a loss")
	}
	if v, is := l.of.(interface{ ValidateClasses(int) error }); is {
		return v.ValidateClasses(classes)
	}
	return nil
}

func (l weighted) TargetShape(classes int) []int {
	inner, is := l.of.(TargetLoss)
	if !is {
		return []int{1}
	}
	return []int{1 + kernel.SizeOf(inner.TargetShape(classes))}
}

func (l weighted) ValidateTarget(target []float32) (int, error) {
	if !(target[0] >= 0) {
		return 0, fmt.Errorf("weight %g: must be >= 0", target[0])
	}
	if inner, is := l.of.(TargetLoss); is {
		column, err := inner.ValidateTarget(target[1:])
		return 1 + column, err
	}
	return 0, nil
}

func (l weighted) DrawTarget(rng *rand.Rand, target []float32) {
	target[0] = float32(rng.ExpFloat64())
	if inner, is := l.of.(TargetLoss); is {
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
	if targeted, is := l.of.(TargetLoss); is {
		return graph.Mul(weights, targeted.ValuesOf(z, labels, inner))
	}
	return graph.Mul(weights, l.of.Values(z, labels))
}

func (l weighted) GradientOf(z, labels, targets *graph.Node) *graph.Node {
	weights, inner := l.parts(targets)
	if targeted, is := l.of.(TargetLoss); is {
		return kernel.Scaled(targeted.GradientOf(z, labels, inner), graph.InsertAxes(weights, -1))
	}
	return kernel.Scaled(l.of.Gradient(z, labels), graph.InsertAxes(weights, -1))
}

func (l weighted) Classes(z *graph.Node) *graph.Node { return l.of.Classes(z) }

func (l weighted) Right(z, labels, targets *graph.Node) *graph.Node {
	_, inner := l.parts(targets)
	if targeted, is := l.of.(TargetLoss); is {
		return targeted.Right(z, labels, inner)
	}
	return loss.RightClass(l.of, z, labels)
}
