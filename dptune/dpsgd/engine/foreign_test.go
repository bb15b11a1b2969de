package engine_test

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
)

// The rules of the examples of package dpsgd, as code of a user.

// normalized gives the part of each layer nearly the same length: g_l · s/(‖g_l‖ + 0.01).
type normalized struct {
	Scale float64 // s >= 0
}

func (c normalized) String() string { return fmt.Sprintf("normalized(%v)", c.Scale) }

func (c normalized) Validate(clipNorm float64, layers int) error {
	if !(c.Scale >= 0) {
		return fmt.Errorf("normalized.Scale %g: must be >= 0", c.Scale)
	}
	return nil
}

func (c normalized) Coefficients(clipNorm float64, layers int) []float64 { return []float64{c.Scale} }

func (normalized) Factors(norms dpsgd.Norms, coefficients []*graph.Node) []*graph.Node {
	factors := make([]*graph.Node, norms.Layers())
	for l := range factors {
		factors[l] = graph.Div(coefficients[0], graph.AddScalar(norms.Layer(l), 0.01))
	}
	return factors
}

// rmsProp divides each coordinate by the root of the mean of its squares, with g = sum/B:
//
//	v ← β v + (1-β) g²,  w ← w - η g / (√v + ε)
type rmsProp struct {
	Decay   float64 // β in [0, 1)
	Epsilon float64 // ε > 0
}

func (o rmsProp) String() string { return fmt.Sprintf("RMSProp(β %v, ε %v)", o.Decay, o.Epsilon) }

func (o rmsProp) Validate() error {
	if !(o.Decay >= 0 && o.Decay < 1) {
		return fmt.Errorf("rmsProp.Decay %g: must be in [0, 1)", o.Decay)
	}
	if !(o.Epsilon > 0) {
		return fmt.Errorf("rmsProp.Epsilon %g: must be > 0", o.Epsilon)
	}
	return nil
}

func (rmsProp) Slots() int { return 1 } // v

func (o rmsProp) Coefficients(u dpsgd.Update) []float64 {
	return []float64{1 / u.ExpectedBatchSize, o.Decay, 1 - o.Decay, u.LearningRate, o.Epsilon}
}

func (rmsProp) Move(weights, sum *graph.Node, n, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	g := graph.Mul(sum, n[0])
	v := graph.Add(graph.Mul(slots[0], n[1]), graph.Mul(graph.Square(g), n[2]))
	step := graph.Div(graph.Mul(g, n[3]), graph.Add(graph.Sqrt(v), n[4]))
	return graph.Sub(weights, step), []*graph.Node{v}
}
