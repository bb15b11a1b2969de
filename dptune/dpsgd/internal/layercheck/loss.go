package layercheck

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// lossLayer is a loss as a layer, for the same checks. Its inputs are outputs of a model and a
// label. Its outputs are the gradient.
type lossLayer struct {
	loss    nn.Loss
	classes int
	all     bool // also the value and the class
}

// Loss returns a loss as a subject: its gradient and, if all is set, also its value and class.
func Loss(loss nn.Loss, classes int, all bool) Subject {
	return Subject{Foreign: nn.Foreign{Layer: lossLayer{loss, classes, all}, Input: []int{loss.Outputs(classes) + 1}}}
}

func (l lossLayer) String() string { return fmt.Sprint(l.loss) }

func (l lossLayer) OutputShape(input []int) ([]int, error) {
	if l.all {
		return []int{input[0] + 1}, nil
	}
	return []int{input[0] - 1}, nil
}

func (lossLayer) Weights([]int) []nn.Weight { return nil }

func (l lossLayer) Forward(_ []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	x := in.Values
	replicas, batch, outputs := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)-1
	z := graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, outputs))
	label := graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(outputs))
	labels := graph.ConvertDType(graph.Reshape(label, replicas, batch), dtypes.Int32)
	gradient := l.loss.Gradient(z, labels)
	kernel.WantShape("the gradient", gradient, z.Shape().Dimensions)
	if l.all {
		value, class := l.loss.Values(z, labels), l.loss.Classes(z)
		kernel.WantShape("the loss of each example", value, []int{replicas, batch})
		kernel.WantShape("the class of each example", class, []int{replicas, batch})
		column := func(x *graph.Node) *graph.Node { return graph.InsertAxes(graph.ConvertDType(x, z.DType()), -1) }
		gradient = graph.Concatenate([]*graph.Node{gradient, column(value), column(class)}, 2)
	}
	return nn.Activations{Values: gradient}, nil
}
