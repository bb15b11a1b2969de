package layercheck

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// lossLayer is a loss as a layer, for the same checks. Its inputs are outputs of a model, a label,
// and targets if the loss reads them. Its outputs are the gradient.
type lossLayer struct {
	model   nn.Model // only its loss
	classes int
	all     bool // also the value, the class, and the share that is right, if there are any
}

// Loss returns a loss as a subject: its gradient and, if all is set, also its value, its class and
// the share that is right.
func Loss(loss nn.Loss, classes int, all bool) Subject {
	l := lossLayer{nn.Model{Loss: loss}, classes, all}
	return Subject{Foreign: nn.Foreign{Layer: l, Input: []int{l.outputs() + 1 + l.targets()}}}
}

func (l lossLayer) outputs() int { return l.model.Loss.Outputs(l.classes) }

// targets returns the number of targets of an example.
func (l lossLayer) targets() int {
	if shape := l.model.TargetShape(l.classes); shape != nil {
		return kernel.SizeOf(shape)
	}
	return 0
}

// draw fills in a random label and random targets.
func (l lossLayer) draw(rng *rand.Rand, values []float64) {
	values[0] = float64(rng.IntN(l.classes))
	if loss, is := l.model.Loss.(nn.TargetLoss); is {
		targets := make([]float32, len(values)-1)
		loss.DrawTarget(rng, targets)
		for i, v := range targets {
			values[1+i] = float64(v)
		}
	}
}

func (l lossLayer) String() string { return fmt.Sprint(l.model.Loss) }

func (l lossLayer) OutputShape([]int) ([]int, error) {
	if l.all {
		return []int{l.outputs() + 3}, nil
	}
	return []int{l.outputs()}, nil
}

func (lossLayer) Weights([]int) []nn.Weight { return nil }

func (l lossLayer) Forward(_ []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	x := in.Values
	replicas, batch, outputs := x.Shape().Dim(0), x.Shape().Dim(1), l.outputs()
	columns := func(from, to int) *graph.Node {
		return graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(from, to))
	}
	z := columns(0, outputs)
	labels := graph.ConvertDType(graph.Reshape(columns(outputs, outputs+1), replicas, batch), dtypes.Int32)
	var targets *graph.Node
	if l.targets() > 0 {
		targets = columns(outputs+1, x.Shape().Dim(2))
	}
	gradient := l.model.LossGradient(z, nn.Batch{Labels: labels, Targets: targets})
	kernel.WantShape("the gradient", gradient, z.Shape().Dimensions)
	if l.all {
		value := l.model.LossOf(z, labels, targets)
		kernel.WantShape("the loss of each example", value, []int{replicas, batch})
		all := []*graph.Node{gradient, asColumn(value, z)}
		for _, each := range []struct {
			what string
			node *graph.Node
		}{{"the class of each example", l.model.Loss.Classes(z)}, {"what is right of each example", l.model.RightOf(z, labels, targets)}} {
			if each.node == nil {
				each.node = graph.ZerosLike(value)
			}
			kernel.WantShape(each.what, each.node, []int{replicas, batch})
			all = append(all, asColumn(each.node, z))
		}
		gradient = graph.Concatenate(all, 2)
	}
	return nn.Activations{Values: gradient}, nil
}

// asColumn returns x [R, B] as [R, B, 1] in the type of z.
func asColumn(x, z *graph.Node) *graph.Node {
	return graph.InsertAxes(graph.ConvertDType(x, z.DType()), -1)
}
