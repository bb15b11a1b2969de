package dpsgd

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
)

// optimizer returns that whose program all replicas of the plan run: the one with the most slots.
func (p Plan) optimizer() Optimizer {
	most := p.Replicas[0].optimizer()
	for _, c := range p.Replicas[1:] {
		if o := c.optimizer(); o.Slots() > most.Slots() {
			most = o
		}
	}
	return most
}

func (p Plan) hasDecay() bool { return p.some(func(c Config) bool { return c.WeightDecay > 0 }) }

// some reports whether something holds of a replica.
func (p Plan) some(holds func(Config) bool) bool { return slices.ContainsFunc(p.Replicas, holds) }

// numbers returns what the program needs to move the weights of one replica at a step, counted from 0: 1-ηλ, and what
// its optimizer asks for.
func (p Plan) numbers(replica, step int) []float64 {
	c := p.Replicas[replica]
	u := Update{Step: step, LearningRate: p.factor(step) * c.LearningRate, ExpectedBatchSize: c.ExpectedBatchSize}
	return append([]float64{1 - u.LearningRate*c.WeightDecay}, c.optimizer().Numbers(u)...)
}

// move returns the weights [R, P] after a step, and the slots. numbers is [R, K], see Plan.numbers.
func (p Plan) move(weights, noisy, numbers *graph.Node, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	columns := make([]*graph.Node, numbers.Shape().Dim(1))
	for i := range columns {
		columns[i] = kernel.Column(numbers, i)
	}
	if p.hasDecay() {
		weights = kernel.Scaled(weights, columns[0])
	}
	return p.optimizer().Move(weights, noisy, columns[1:], slots)
}

// Inputs of update, in order; those after the numbers are there if the plan has them.
const (
	upWeights = iota // [R, P]
	upSum            // [R, P], of clipped gradients; in float64 if of several microbatches
	upNumbers        // [R, K], see Plan.numbers
	upRest
)

// update adds canary and noise to the sum of clipped gradients and moves the weights by
// it. It returns the weights, then the optimizer's slots, then the products of the noisy
// sum with the probes [R, K] if there are probes.
//
// Further inputs: the canary's gradient, or the sum of those of many, [1, P] or [R, P], and whether it joins [R]; noise
// [R, P], or its words [R, 3, pairs] (see drawing) and standard deviations [R]; the optimizer's slots
// [R, P]; probes [K, P].
//
// What is not yet noisy is added in float64, so that the noise hides its rounding: see
// sensitivity.go.
func (s graphs) update(in []*graph.Node) []*graph.Node {
	rest := in[upRest:]
	next := func(n int) []*graph.Node { list := rest[:n]; rest = rest[n:]; return list }
	noisy := in[upSum]
	if s.hasCraftedGradient() {
		canary := next(2)
		joins := graph.Mul(graph.InsertAxes(canary[1], -1), canary[0]) // factors 0 and 1
		noisy = addIn(dtypes.Float64, noisy, joins)
	}
	if s.hasNoise() && s.onDevice {
		words := next(2)
		noisy = addIn(noisy.DType(), noisy, noise.Normals(words[0], words[1], s.size))
	} else if s.hasNoise() {
		noisy = addIn(noisy.DType(), noisy, next(1)[0])
	}
	noisy = graph.ConvertDType(noisy, in[upWeights].DType())
	moved, slots := s.plan.move(in[upWeights], plantInMove(noisy, in[upSum]), in[upNumbers], next(s.plan.optimizer().Slots()))
	out := append([]*graph.Node{moved}, slots...)
	if len(s.plan.Probes) > 0 {
		out = append(out, graph.DotGeneral(noisy, []int{1}, nil, next(1)[0], []int{1}, nil))
	}
	return out
}

// addIn returns a + b, added in a type of numbers that holds both.
func addIn(dtype dtypes.DType, a, b *graph.Node) *graph.Node {
	return graph.Add(graph.ConvertDType(a, dtype), graph.ConvertDType(b, dtype))
}

func (s graphs) hasNoise() bool { return !s.plan.Replicas[0].NonPrivate }

// hasCraftedGradient reports whether there are canaries that are not simply rows of the data.
func (s graphs) hasCraftedGradient() bool {
	return s.plan.Canaries.crafted() || s.plan.Canary != nil && s.plan.Canary.Example == nil
}
