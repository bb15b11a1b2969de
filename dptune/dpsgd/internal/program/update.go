package program

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/dpsgd/internal/planted"
)

// Inputs of Update, in order. Those after the numbers exist if the plan has them.
const (
	upWeights = iota // [R, P]
	upSum            // [R, P], of clipped gradients; in float64 for several microbatches
	upNumbers        // [R, K], numbers of Move
	upRest
)

// Update adds canary and noise to the sum of clipped gradients and moves the weights by the result.
// It returns the weights, then the optimizer's slots, then the products of the noisy sum with the
// probes [R, K] if there are probes.
//
// Further inputs are:
//
//   - the canary's gradient, or the sum of many, [1, P] or [R, P], and whether it joins [R];
//   - noise [R, P], in float64 for a sum on a grid, or its words [R, 3, pairs] (see drawn) and
//     standard deviations [R];
//   - the optimizer's slots [R, P];
//   - probes [K, P].
//
// Values without noise are added in float64, so the noise hides their rounding: see
// dpsgd/sensitivity.go.
func (p Step) Update(in []*graph.Node) []*graph.Node { return p.update(p.drawn(in, upNumbers)) }

// update is Update with the words of its noise.
func (p Step) update(in []*graph.Node) []*graph.Node {
	rest := in[upRest:]
	next := func(n int) []*graph.Node { list := rest[:n]; rest = rest[n:]; return list }
	noisy := in[upSum]
	if p.Crafted {
		canary := next(2)
		joins := graph.Mul(graph.InsertAxes(canary[1], -1), canary[0]) // factors 0 and 1
		noisy = addIn(dtypes.Float64, noisy, joins)
	}
	if p.Noise && p.Grid {
		noisy = gridUnits(addIn(dtypes.Float64, noisy, next(1)[0]), in[upNumbers])
	} else if p.Noise && p.OnDevice {
		words := next(2)
		noisy = addIn(noisy.DType(), noisy, noise.Normals(words[0], words[1], p.Size))
	} else if p.Noise {
		noisy = addIn(noisy.DType(), noisy, next(1)[0])
	}
	noisy = graph.ConvertDType(noisy, in[upWeights].DType())
	moved, slots := p.Move(in[upWeights], planted.InMove(noisy, in[upSum]), in[upNumbers], next(p.Slots))
	out := append([]*graph.Node{moved}, slots...)
	if p.Probes > 0 {
		out = append(out, graph.DotGeneral(noisy, []int{1}, nil, next(1)[0], []int{1}, nil))
	}
	return out
}

// addIn returns a + b, added in the given type, which must hold both.
func addIn(dtype dtypes.DType, a, b *graph.Node) *graph.Node {
	return graph.Add(graph.ConvertDType(a, dtype), graph.ConvertDType(b, dtype))
}

// drawn returns the inputs of a program with keys replaced by words. numbers is the index of the
// update's numbers among the inputs.
func (p Step) drawn(in []*graph.Node, numbers int) []*graph.Node {
	if !p.Keys {
		return in
	}
	at := numbers + 1
	if p.Crafted {
		at += 2
	}
	in = slices.Clone(in)
	in[at] = noise.Words(in[at], p.Size)
	return in
}

// AddSums adds two sums.
func AddSums(in []*graph.Node) []*graph.Node { return []*graph.Node{graph.Add(in[0], in[1])} }
