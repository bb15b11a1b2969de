package dpsgd

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// sequence is layers one after the other inside a layer.
type sequence []Layer

// outputShape returns the last layer's output shape.
func (s sequence) outputShape(input []int) ([]int, error) {
	shape := input
	for i, l := range s {
		if l == nil {
			return nil, fmt.Errorf("layer %d is nil: must be a layer", i)
		}
		var err error
		if shape, err = l.OutputShape(shape); err == nil {
			err = validateFirst(l, 1)
		}
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", i, err)
		}
	}
	return shape, nil
}

// each returns the weights of each layer. The shapes must fit.
func (s sequence) each(input []int) [][]Weight {
	list := make([][]Weight, len(s))
	for i, l := range s {
		list[i] = l.Weights(input)
		input, _ = l.OutputShape(input)
	}
	return list
}

// weights returns all weights in order, named by their layers.
func (s sequence) weights(prefix string, input []int) []Weight {
	var all []Weight
	for i, list := range s.each(input) {
		for _, w := range list {
			w.Name = fmt.Sprintf("%s%d %v %s", prefix, i, s[i], w.Name)
			all = append(all, w)
		}
	}
	return all
}

// scratch counts the values inside: outputs, slopes and gradients, and the layers' own.
func (s sequence) scratch(input []int) int {
	total := 0
	for _, l := range s {
		if own, ok := l.(scratcher); ok {
			total += own.scratch(input)
		}
		input, _ = l.OutputShape(input)
		total += 3 * sizeOf(input)
	}
	return total
}

// forward runs the layers on weights in the order of weights.
func (s sequence) forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	lists := s.each(in.Values.Shape().Dimensions[2:])
	tape := make([]Backward, len(s))
	first := len(s) // the first layer with weights
	for i, l := range fused(s) {
		count := len(lists[i])
		if count > 0 {
			first = min(first, i)
		}
		in, tape[i] = l.Forward(weights[:count:count], in)
		weights = weights[count:]
	}
	return in, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		var parts jointGradients
		for i := len(tape) - 1; i >= 0; i-- {
			if !wantInput && i < first {
				return nil, parts.orNil()
			}
			var at Gradients
			g, at = tape[i](g, wantInput || i > first)
			if at != nil {
				parts = append(jointGradients{at}, parts...)
			}
		}
		return g, parts.orNil()
	}
}

// jointGradients are the gradients of several layers as those of one.
type jointGradients []Gradients

func (j jointGradients) orNil() Gradients {
	if len(j) == 0 {
		return nil
	}
	return j
}

func (j jointGradients) SquaredNorms() *graph.Node {
	sum := j[0].SquaredNorms()
	for _, g := range j[1:] {
		sum = graph.Add(sum, g.SquaredNorms())
	}
	return sum
}

// roundings counts those of the worst part, and the sum.
func (j jointGradients) roundings(weights int) int {
	most := 0
	for _, g := range j {
		most = max(most, roundingsOf(g, weights))
	}
	return most + len(j)
}

func (j jointGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	var all []*graph.Node
	for _, g := range j {
		all = append(all, g.WeightedSum(factors)...)
	}
	return all
}

func (j jointGradients) Each() []*graph.Node {
	var all []*graph.Node
	for _, g := range j {
		all = append(all, g.Each()...)
	}
	return all
}
