package places

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// scanStep computes one place from fixed values, the values of that place, and a state.
type scanStep func(fixed, place, state []*graph.Node) (next, out []*graph.Node)

// scan runs a step on the places one after the other, or from the last to the first. places are
// [T, ...] each. It returns the outputs of all places, [T, ...] each.
//
// On XLA the step is the body of a loop, so it is compiled once. The go backend needs no
// compilation, and there the program has T copies of the step.
func scan(reversed bool, fixed, places, state []*graph.Node, step scanStep) []*graph.Node {
	if x := places[0]; !kernel.IsGo(x) && x.Function().IsMain() {
		return scanLoop(reversed, fixed, places, state, step)
	}
	count := places[0].Shape().Dim(0)
	var outputs [][]*graph.Node
	for i := range count {
		at := i
		if reversed {
			at = count - 1 - i
		}
		own := make([]*graph.Node, len(places))
		for k, x := range places {
			own[k] = graph.Squeeze(graph.Slice(x, graph.AxisRange(at, at+1)), 0)
		}
		var out []*graph.Node
		state, out = step(fixed, own, state)
		outputs = append(outputs, out)
	}
	if reversed {
		slices.Reverse(outputs)
	}
	all := make([]*graph.Node, len(outputs[0]))
	for k := range all {
		list := make([]*graph.Node, count)
		for i, out := range outputs {
			list[i] = graph.InsertAxes(out[k], 0)
		}
		all[k] = graph.Concatenate(list, 0)
	}
	return all
}

// scanLoop is scan by a loop. Values from outside are a part of its state, since closures of go-xla
// (v0.4.2) must not use them. For the same reason no step may use the scalars that GoMLX keeps for
// a graph, such as that of graph.OneMinus.
func scanLoop(reversed bool, fixed, places, state []*graph.Node, step scanStep) []*graph.Node {
	g, count := places[0].Graph(), places[0].Shape().Dim(0)
	outputs := scanOutputs(fixed, places, state, step)
	all := slices.Concat([]*graph.Node{graph.Const(g, int32(0))}, fixed, places, state, outputs)
	parameters := func(g *graph.Graph) []*graph.Node {
		list := make([]*graph.Node, len(all))
		for i, x := range all {
			list[i] = graph.Parameter(g, "", x.Shape())
		}
		return list
	}
	more := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		return []*graph.Node{graph.LessThan(parameters(g)[0], graph.Const(g, int32(count)))}
	})
	body := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		now := parameters(g)
		done, rest := now[0], now[1:]
		fixed, rest := rest[:len(fixed)], rest[len(fixed):]
		places, rest := rest[:len(places)], rest[len(places):]
		state, outputs := rest[:len(state)], rest[len(state):]
		at := done
		if reversed {
			at = graph.Sub(graph.Const(g, int32(count-1)), done)
		}
		starts := func(x *graph.Node) []*graph.Node {
			list := []*graph.Node{at}
			for range x.Rank() - 1 {
				list = append(list, graph.Const(g, int32(0)))
			}
			return list
		}
		own := make([]*graph.Node, len(places))
		for k, x := range places {
			d := x.Shape().Dimensions
			own[k] = graph.Reshape(graph.DynamicSlice(x, starts(x), append([]int{1}, d[1:]...)), d[1:]...)
		}
		next, out := step(fixed, own, state)
		written := make([]*graph.Node, len(outputs))
		for k, x := range outputs {
			d := x.Shape().Dimensions
			written[k] = graph.DynamicUpdateSlice(x, graph.Reshape(out[k], append([]int{1}, d[1:]...)...), starts(x))
		}
		return slices.Concat([]*graph.Node{graph.Add(done, graph.Const(g, int32(1)))}, fixed, places, next, written)
	})
	last := graph.While(more, body, all...)
	return last[len(last)-len(outputs):]
}

// scanOutputs returns zeros of the shapes of all outputs. It builds one step for that, which is not
// a part of the compiled program.
func scanOutputs(fixed, places, state []*graph.Node, step scanStep) []*graph.Node {
	own := make([]*graph.Node, len(places))
	for k, x := range places {
		own[k] = graph.Squeeze(graph.Slice(x, graph.AxisRange(0, 1)), 0)
	}
	_, out := step(fixed, own, state)
	zeros := make([]*graph.Node, len(out))
	for k, x := range out {
		dims := append([]int{places[0].Shape().Dim(0)}, x.Shape().Dimensions...)
		zeros[k] = graph.Zeros(x.Graph(), shapes.Make(x.DType(), dims...))
	}
	return zeros
}

// constants are numbers that a step may use.
type constants struct {
	one, half *graph.Node // scalars
	zeros     *graph.Node // of the shape of a state
}

func newConstants(zeros *graph.Node) constants {
	g, dtype := zeros.Graph(), zeros.DType()
	number := func(v float64) *graph.Node {
		if dtype == dtypes.Float64 {
			return graph.Const(g, v)
		}
		return graph.Const(g, float32(v))
	}
	return constants{number(1), number(0.5), zeros}
}

// list returns the constants for the fixed values of a scan, and constantsOf reads them there.
func (c constants) list() []*graph.Node { return []*graph.Node{c.one, c.half, c.zeros} }

func constantsOf(list []*graph.Node) constants { return constants{list[0], list[1], list[2]} }

// logistic returns 1 / (1 + exp(-x)), as the function of that name.
func (c constants) logistic(x *graph.Node) *graph.Node {
	return graph.Mul(graph.Add(graph.Tanh(graph.Mul(x, c.half)), c.one), c.half)
}

// minus returns 1 - x.
func (c constants) minus(x *graph.Node) *graph.Node { return graph.Sub(c.one, x) }

// slopeOf returns the derivative of the logistic function where it is s.
func (c constants) slopeOf(s *graph.Node) *graph.Node { return graph.Mul(s, c.minus(s)) }
