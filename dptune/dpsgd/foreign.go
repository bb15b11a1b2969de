package dpsgd

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// foreign is a layer that is not this package's own, and how a model uses it.
type foreign struct {
	where string // in the model
	layer Layer
	input []int
	use
}

// use says which passes of a layer a model runs.
type use struct {
	backward, wantInput bool // the backward pass, and gradients at the inputs
	materialized        bool // by per-sample gradients
	shared              bool // inputs may be the same for all replicas
}

// foreign returns the model's layers that are not this package's own, also those inside of
// others.
func (m Model) foreign() []foreign {
	return sequence(m.Layers).foreign("", m.Input, use{backward: true, shared: true})
}

func (s sequence) foreign(where string, input []int, u use) []foreign {
	lists := s.each(input)
	first := slices.IndexFunc(lists, func(list []Weight) bool { return len(list) > 0 })
	if first < 0 {
		first = len(s)
	}
	var found []foreign
	for i, layer := range s {
		inner := use{ // as in forward, and in graphs.backward
			backward:  u.backward && (u.wantInput || i >= first),
			wantInput: u.backward && (u.wantInput || i > first),
			shared:    u.shared && i <= first,
		}
		found = append(found, foreignIn(fmt.Sprintf("%slayer %d: ", where, i), layer, input, inner)...)
		input, _ = layer.OutputShape(input)
	}
	return found
}

// foreignIn returns the layer if it is not this package's own, or those inside of it. What is
// inside a frozen layer has no gradients and is tried as one.
func foreignIn(where string, layer Layer, input []int, u use) []foreign {
	own := isOwn(layer)
	switch l := layer.(type) {
	case auto:
		own = false
	case residual:
		return append(l.block.foreign(where+"Residual: block: ", input, u), l.projection.foreign(where+"Residual: projection: ", input, u)...)
	case frozen:
		own = len(foreignIn("", l.layer, input, u)) == 0
	}
	if own {
		return nil
	}
	return []foreign{{where, layer, input, u}}
}

// foreignLoss returns the model's loss as a layer, unless it is this package's own.
func (m Model) foreignLoss(classes int) []foreign {
	if isOwn(m.Loss) {
		return nil
	}
	return []foreign{lossLayer{loss: m.Loss, classes: classes}.foreign()}
}

// lossLayer is a loss as a layer, so that the same trial is made of it: its inputs are outputs of
// a model and a label, and its outputs the gradient.
type lossLayer struct {
	loss    Loss
	classes int
	all     bool // and the value and the class
}

func (l lossLayer) foreign() foreign {
	return foreign{layer: l, input: []int{l.loss.Outputs(l.classes) + 1}}
}

func (l lossLayer) String() string { return fmt.Sprint(l.loss) }

func (l lossLayer) OutputShape(input []int) ([]int, error) {
	if l.all {
		return []int{input[0] + 1}, nil
	}
	return []int{input[0] - 1}, nil
}

func (lossLayer) Weights([]int) []Weight { return nil }

func (l lossLayer) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	x := in.Values
	replicas, batch, outputs := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)-1
	z := graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, outputs))
	label := graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(outputs))
	labels := graph.ConvertDType(graph.Reshape(label, replicas, batch), dtypes.Int32)
	gradient := l.loss.Gradient(z, labels)
	wantShape("the gradient", gradient, z.Shape().Dimensions)
	if l.all {
		value, class := l.loss.Values(z, labels), l.loss.Classes(z)
		wantShape("the loss of each example", value, []int{replicas, batch})
		wantShape("the class of each example", class, []int{replicas, batch})
		column := func(x *graph.Node) *graph.Node { return graph.InsertAxes(graph.ConvertDType(x, z.DType()), -1) }
		gradient = graph.Concatenate([]*graph.Node{gradient, column(value), column(class)}, 2)
	}
	return Activations{Values: gradient}, nil
}
