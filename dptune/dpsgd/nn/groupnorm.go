package nn

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
)

// GroupNorm returns the layer that normalizes the channels of an image [rows, columns, channels] in
// groups. Each group has its own mean and variance over the image. Then every channel is scaled and
// shifted. Unlike batch normalization it does not mix examples.
//
//	x̂ = (x - mean) / √(variance + ε),  y_c = γ_c x̂_c + β_c,  ε = 1e-5
//
// Initial γ is 1 and β is 0. With g the gradient at y and means over a group,
//
//	gradient of γ_c = Σ_places g_c x̂_c,  gradient of β_c = Σ_places g_c
//	gradient at x = (h - mean(h) - x̂ mean(h x̂)) / √(variance + ε),  h = γ g
//
// Reference: Wu and He (2018), arXiv:1803.08494v3, equations 1 to 6.
func GroupNorm(groups, channels int) Layer { return groupNorm{groups, channels} }

type groupNorm struct{ groups, channels int }

func (l groupNorm) String() string { return fmt.Sprintf("GroupNorm(%d, %d)", l.groups, l.channels) }

func (l groupNorm) OutputShape(input []int) ([]int, error) {
	if l.groups < 1 || l.channels < 1 || l.channels%l.groups != 0 {
		return nil, fmt.Errorf("%v: groups and channels must be >= 1, and groups divide channels", l)
	}
	if len(input) != 3 || input[2] != l.channels {
		return nil, fmt.Errorf("%v: input of shape %v: must be [rows, columns, %d]", l, input, l.channels)
	}
	return input, nil
}

func (l groupNorm) Weights([]int) []Weight {
	return []Weight{
		{Name: "scale", Shape: []int{l.channels}, Init: fillOnes},
		{Name: "shift", Shape: []int{l.channels}},
	}
}

func (l groupNorm) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	const epsilon = 1e-5
	shape := in.Values.Shape().Dimensions
	places, each := shape[2]*shape[3], l.channels/l.groups
	grouped := func(x *graph.Node) *graph.Node { // [R, B, places, groups, channels of a group]
		return graph.Reshape(x, x.Shape().Dim(0), shape[1], places, l.groups, each)
	}
	image := func(x *graph.Node) *graph.Node {
		return graph.Reshape(x, x.Shape().Dim(0), shape[1], shape[2], shape[3], l.channels)
	}
	mean := func(x *graph.Node) *graph.Node {
		sum := graph.ReduceAndKeep(x, graph.ReduceSum, 2, 4)
		return graph.MulScalar(sum, 1/float64(places*each))
	}
	replicas := weights[0].Shape().Dim(0)
	scale := graph.Reshape(weights[0], replicas, 1, 1, l.groups, each)
	shift := graph.Reshape(weights[1], replicas, 1, 1, l.groups, each)

	x := grouped(in.Values)
	centered := graph.Sub(x, mean(x))
	deviation := graph.Sqrt(graph.AddScalar(mean(graph.Square(centered)), epsilon))
	normal := graph.Div(centered, deviation)
	y := graph.Add(graph.Mul(normal, scale), shift)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		g = grouped(g)
		perChannel := func(x *graph.Node) *graph.Node {
			return graph.Reshape(graph.ReduceSum(x, 2), replicas, shape[1], l.channels)
		}
		gradients := materialized{[]*graph.Node{perChannel(graph.Mul(g, normal)), perChannel(g)}}
		if !wantInput {
			return nil, gradients
		}
		h := graph.Mul(g, scale)
		along := graph.Mul(normal, mean(graph.Mul(h, normal)))
		return image(graph.Div(graph.Sub(graph.Sub(h, mean(h)), along), deviation)), gradients
	}
	return Activations{Values: image(y)}, backward
}

// fillOnes is an Init.
func fillOnes(_ *rand.Rand, values []float64) {
	for i := range values {
		values[i] = 1
	}
}
