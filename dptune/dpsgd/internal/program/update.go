package program

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Inputs of Update, in order. Those after the numbers exist if the plan has them.
const (
	upWeights = iota // [R, P]
	upSum            // [R, P], of clipped gradients; in float64 for several microbatches
	upNumbers        // [R, K], numbers of Move, and those of the earlier noise
	upRest
)

// Update adds canary and noise to the sum of clipped gradients and moves the weights by the result.
// It returns the weights, then the earlier noise if the device keeps it (only that of this step, if
// each vector is an input), then the optimizer's slots, then the products of the noisy sum with the
// probes [R, K] if there are probes.
//
// Further inputs are:
//
//   - the canary's gradient, or the sum of many, [1, P] or [R, P], and whether it joins [R];
//   - noise [R, P], in float64 for a sum on a grid, or its words [R, 3, pairs] (see drawn) and
//     standard deviations [R];
//   - the noise of the last B = Past steps [B, R, P], or B times [R, P], if B > 0;
//   - the optimizer's slots [R, P];
//   - probes [K, P].
//
// If B > 0, the last B+1 columns of the numbers are the factors of the earlier noise, and the place
// where the noise of this step goes.
//
// Values without noise are added in float64, so the noise hides their rounding: see
// dpsgd/sensitivity.go.
func (p Step) Update(in []*graph.Node) []*graph.Node { return p.update(p.drawn(in, upNumbers)) }

// update is Update with the words of its noise.
func (p Step) update(in []*graph.Node) []*graph.Node {
	rest := in[upRest:]
	next := func(n int) []*graph.Node { list := rest[:n]; rest = rest[n:]; return list }
	noisy, past := in[upSum], []*graph.Node(nil)
	if p.Crafted {
		canary := next(2)
		joins := graph.Mul(graph.InsertAxes(canary[1], -1), canary[0]) // factors 0 and 1
		noisy = addIn(dtypes.Float64, noisy, joins)
	}
	if p.Noise && p.Grid {
		noisy = gridUnits(addIn(dtypes.Float64, noisy, next(1)[0]), in[upNumbers])
	} else if p.Noise && p.OnDevice {
		words := next(2)
		drawn := noise.Normals(words[0], words[1], p.Size)
		if p.Past > 0 {
			vectors := 1
			if p.PastApart {
				vectors = p.Past
			}
			drawn, past = p.correlated(drawn, next(vectors), in[upNumbers])
		}
		noisy = addIn(noisy.DType(), noisy, drawn)
	} else if p.Noise {
		noisy = addIn(noisy.DType(), noisy, next(1)[0])
	}
	noisy = graph.ConvertDType(noisy, in[upWeights].DType())
	numbers := in[upNumbers]
	if p.Past > 0 {
		numbers = graph.Slice(numbers, graph.AxisRange(), graph.AxisRange(0, numbers.Shape().Dim(1)-p.Past-1))
	}
	moved, slots := p.Move(in[upWeights], noisy, numbers, next(p.Slots))
	out := append([]*graph.Node{moved}, past...)
	out = append(out, slots...)
	if p.Probes > 0 {
		out = append(out, graph.DotGeneral(noisy, []int{1}, nil, next(1)[0], []int{1}, nil))
	}
	return out
}

// correlated adds the earlier noise to what a step drew [R, P], each vector times its factor. It
// returns the noise of the step, and the output for later steps: the array of earlier noise with
// that of this step in it, or only that of this step.
//
// XLA copies an input before it changes a part of it. So an array of many vectors costs more than
// the sum, except inside a loop. Vectors that are inputs by themselves are only read.
func (p Step) correlated(drawn *graph.Node, past []*graph.Node, numbers *graph.Node) (*graph.Node, []*graph.Node) {
	first := numbers.Shape().Dim(1) - p.Past - 1
	sum := drawn
	if p.PastApart {
		for j, vector := range past {
			sum = graph.Add(sum, graph.Mul(kernel.Column(numbers, first+j), vector))
		}
	} else {
		factors := graph.Slice(numbers, graph.AxisRange(), graph.AxisRange(first, first+p.Past))
		sum = graph.Add(sum, graph.DotGeneral(factors, []int{1}, []int{0}, past[0], []int{0}, []int{1}))
	}
	kept := sum
	if p.PastFresh {
		kept = drawn
	}
	if p.PastApart {
		return sum, []*graph.Node{kept}
	}
	at := graph.Slice(kernel.Column(numbers, first+p.Past), graph.AxisElem(0)) // the same for all replicas
	at = graph.Reshape(graph.ConvertDType(at, dtypes.Int32))
	return sum, []*graph.Node{putStep(past[0], kept, at)}
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
