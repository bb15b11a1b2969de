package nn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Auto returns a layer made of any GoMLX graph function. The function gets one copy of the weights
// for each example, and automatic differentiation gives each example's gradient. It is meant for
// experiments: time and memory grow as batch times parameters. Estimates of memory include these,
// but not the intermediate values of f. engine.NewTrainer tests whether the layer mixes rows.
//
// f maps weights [n, shape...], in the order of the list, and inputs [n, in...] to outputs [n,
// out...], where shape out is output(in). Row i of the outputs must depend only on row i of the
// weights and inputs, otherwise clipping is meaningless. f must depend on its arguments only. It is
// for layers that map each place by itself: f does not know which places are padding, and outputs
// with as many places as the inputs have the same padding.
// Checkpoints identify f by its name: another f must have another name. Runs from a secret root
// draw new numbers each time, see engine.Replicas.Run. Convolutions are refused, because GoMLX
// v0.28.4 differentiates them wrongly for even kernels: use [Conv2D].
func Auto(name string, weights []Weight, output func(input []int) ([]int, error), f func(weights []*graph.Node, x *graph.Node) *graph.Node) Layer {
	return auto{name, weights, output, f}
}

type auto struct {
	name    string
	weights []Weight
	output  func(input []int) ([]int, error)
	f       func(weights []*graph.Node, x *graph.Node) *graph.Node
}

func (l auto) String() string { return fmt.Sprintf("Auto(%s)", l.name) }

func (l auto) OutputShape(input []int) ([]int, error) {
	if l.output == nil || l.f == nil {
		return nil, fmt.Errorf("%v: output and f must not be nil", l)
	}
	for _, w := range l.weights {
		for _, side := range w.Shape {
			if side < 1 {
				return nil, fmt.Errorf("%v: weight %q of shape %v: must have sides >= 1", l, w.Name, w.Shape)
			}
		}
	}
	out, err := l.output(input)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	return out, nil
}

func (l auto) Weights([]int) []Weight { return l.weights }

func (l auto) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	replicas, batch := in.Values.Shape().Dim(0), in.Values.Shape().Dim(1)
	if len(weights) > 0 {
		replicas = weights[0].Shape().Dim(0)
	}
	x := kernel.Images(kernel.RepeatShared(in.Values, replicas))
	copies := make([]*graph.Node, len(weights))
	for i, w := range weights {
		shape := w.Shape().Dimensions[1:]
		all := append([]int{replicas, batch}, shape...)
		copies[i] = kernel.Images(graph.BroadcastToDims(graph.InsertAxes(w, 1), all...))
	}
	y := l.f(copies, x)
	l.check(y, in.Values.Shape().Dimensions[2:], replicas*batch)
	refuseConvolutions(l, y, append(copies, x))

	split := func(x *graph.Node) *graph.Node {
		return graph.Reshape(x, append([]int{replicas, batch}, x.Shape().Dimensions[1:]...)...)
	}
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		wanted := copies
		if wantInput {
			wanted = append([]*graph.Node{x}, copies...)
		}
		if len(wanted) == 0 {
			return nil, nil
		}
		// The gradient of Σ y g for fixed g. It is that of example i, because rows do not mix.
		at := graph.Gradient(graph.ReduceAllSum(graph.Mul(y, graph.StopGradient(kernel.Images(g)))), wanted...)
		var atInput *graph.Node
		if wantInput {
			atInput, at = split(at[0]), at[1:]
		}
		if len(at) == 0 {
			return atInput, nil
		}
		each := make([]*graph.Node, len(at))
		for i, gradient := range at {
			each[i] = split(gradient)
		}
		return atInput, persample.Explicit(each)
	}
	out := Activations{Values: split(y)}
	if d := out.Values.Shape().Dimensions; in.Present != nil && len(d) > 3 && d[2] == in.Values.Shape().Dim(2) {
		out.Present = in.Present
	}
	return out, backward
}

// check panics, as graph functions do, unless y has the declared shape.
func (l auto) check(y *graph.Node, input []int, n int) {
	out, err := l.output(input)
	if err != nil {
		panic(fmt.Errorf("%v: %w", l, err))
	}
	want := append([]int{n}, out...)
	if fmt.Sprint(y.Shape().Dimensions) != fmt.Sprint(want) {
		panic(fmt.Errorf("%v: f returned shape %v: must be %v", l, y.Shape().Dimensions, want))
	}
}

// refuseConvolutions panics if y is computed from the given nodes by a convolution.
func refuseConvolutions(l auto, y *graph.Node, from []*graph.Node) {
	seen := map[*graph.Node]bool{}
	for _, n := range from {
		seen[n] = true
	}
	var visit func(n *graph.Node)
	visit = func(n *graph.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.Type() == graph.NodeTypeConvGeneral {
			panic(fmt.Errorf("%v: f uses a convolution: must use Conv2D, since GoMLX differentiates even kernels wrongly", l))
		}
		for _, input := range n.Inputs() {
			visit(input)
		}
	}
	visit(y)
}
