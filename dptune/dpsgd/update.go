package dpsgd

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
)

// updater is the part of an optimizer that runs. All replicas of a plan share one.
type updater interface {
	// slots returns how many arrays [R, P], zeros at first, are kept from step to step.
	slots() int
	// numbers returns what the program needs of one replica at a step, counted from 0, with
	// a schedule's factor on the learning rate. Their count is always the same.
	numbers(c Config, factor float64, step int) []float64
	// move returns the weights [R, P] after a step, and the slots. numbers is [R, K].
	move(weights, noisy, numbers *graph.Node, slots []*graph.Node) (*graph.Node, []*graph.Node)
}

// updater returns that of the plan, whose replicas share the rule.
func (p Plan) updater() updater {
	if p.Replicas[0].Optimizer.Rule == Adam {
		return adam{decays: p.hasDecay()}
	}
	return sgd{momentum: p.hasMomentum(), decays: p.hasDecay()}
}

func (p Plan) hasMomentum() bool {
	return p.some(func(c Config) bool { return c.Momentum > 0 })
}

func (p Plan) hasDecay() bool {
	return p.some(func(c Config) bool { return c.Optimizer.WeightDecay > 0 })
}

func (p Plan) some(holds func(Config) bool) bool {
	for _, c := range p.Replicas {
		if holds(c) {
			return true
		}
	}
	return false
}

// sgd is the updater of SGD. Its numbers are η/B, 1-ηλ, m.
type sgd struct{ momentum, decays bool }

func (u sgd) slots() int {
	if u.momentum {
		return 1
	}
	return 0
}

func (u sgd) numbers(c Config, factor float64, _ int) []float64 {
	rate := factor * c.LearningRate
	return []float64{rate / c.ExpectedBatchSize, 1 - rate*c.Optimizer.WeightDecay, c.Momentum}
}

func (u sgd) move(weights, noisy, numbers *graph.Node, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	direction := noisy
	if u.momentum {
		direction = graph.Add(kernel.Scaled(slots[0], kernel.Column(numbers, 2)), noisy)
		slots = []*graph.Node{direction}
	}
	if u.decays {
		weights = kernel.Scaled(weights, kernel.Column(numbers, 1))
	}
	return graph.Sub(weights, kernel.Scaled(direction, kernel.Column(numbers, 0))), slots
}

// adam is the updater of Adam. Its numbers are η/(1-β1^t), 1-ηλ, 1/B, β1, 1-β1, β2, 1-β2,
// 1/(1-β2^t), ε, computed in float64.
type adam struct{ decays bool }

func (adam) slots() int { return 2 }

func (adam) numbers(c Config, factor float64, step int) []float64 {
	o, t, rate := c.Optimizer.withDefaults(), float64(step+1), factor*c.LearningRate
	return []float64{
		rate / (1 - math.Pow(o.Beta1, t)), 1 - rate*o.WeightDecay, 1 / c.ExpectedBatchSize,
		o.Beta1, 1 - o.Beta1, o.Beta2, 1 - o.Beta2, 1 / (1 - math.Pow(o.Beta2, t)), o.Epsilon,
	}
}

func (u adam) move(weights, noisy, numbers *graph.Node, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	at := func(i int) *graph.Node { return kernel.Column(numbers, i) }
	g := graph.Mul(noisy, at(2))
	mean := graph.Add(graph.Mul(slots[0], at(3)), graph.Mul(g, at(4)))
	square := graph.Add(graph.Mul(slots[1], at(5)), graph.Mul(graph.Square(g), at(6)))
	step := graph.Div(graph.Mul(mean, at(0)), graph.Add(graph.Sqrt(graph.Mul(square, at(7))), at(8)))
	if u.decays {
		weights = graph.Mul(weights, at(1))
	}
	return graph.Sub(weights, step), []*graph.Node{mean, square}
}

// Inputs of update, in order; those after the numbers are there if the plan has them.
const (
	upWeights = iota // [R, P]
	upSum            // [R, P], of clipped gradients; in float64 if of several microbatches
	upNumbers        // [R, K], see updater.numbers
	upRest
)

// update adds canary and noise to the sum of clipped gradients and moves the weights by
// it. It returns the weights, then the updater's slots, then the products of the noisy
// sum with the probes [R, K] if there are probes.
//
// Further inputs: the canary's gradient, or the sum of those of many, [1, P] or [R, P], and whether it joins [R]; noise
// [R, P], or its words [R, 3, pairs] (see drawing) and standard deviations [R]; the updater's slots
// [R, P]; probes [K, P].
//
// What is not yet noisy is added in float64, so that the noise hides its rounding: see
// sensitivity.go.
func (s graphs) update(in []*graph.Node) []*graph.Node {
	rest := in[upRest:]
	next := func(n int) []*graph.Node { list := rest[:n]; rest = rest[n:]; return list }
	noisy, updater := in[upSum], s.plan.updater()
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
	moved, slots := updater.move(in[upWeights], plantInMove(noisy, in[upSum]), in[upNumbers], next(updater.slots()))
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
