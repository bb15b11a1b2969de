package nn

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
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
	if kernel.SharesMemory(in.Values) {
		return l.forwardByChannels(weights, in)
	}
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
		gradients := persample.Explicit{perChannel(graph.Mul(g, normal)), perChannel(g)}
		if !wantInput {
			return nil, gradients
		}
		h := graph.Mul(g, scale)
		along := graph.Mul(normal, mean(graph.Mul(h, normal)))
		return image(graph.Div(graph.Sub(graph.Sub(h, mean(h)), along), deviation)), gradients
	}
	return Activations{Values: image(y)}, backward
}

// forwardByChannels is Forward for XLA on the processor, where sums along the few channels of a
// group are slow. It adds over the places for each channel first. The gradients at scale and shift
// are such sums, and the means in the gradient at x are computed from them.
func (l groupNorm) forwardByChannels(weights []*graph.Node, in Activations) (Activations, Backward) {
	const epsilon = 1e-5
	shape := in.Values.Shape().Dimensions
	replicas, batch, places, each := weights[0].Shape().Dim(0), shape[1], shape[2]*shape[3], l.channels/l.groups
	flat := func(x *graph.Node) *graph.Node { // [R or 1, B, places, channels]
		return graph.Reshape(x, x.Shape().Dim(0), batch, places, l.channels)
	}
	image := func(x *graph.Node) *graph.Node {
		return graph.Reshape(x, x.Shape().Dim(0), batch, shape[2], shape[3], l.channels)
	}
	// sum is that over places, of each channel, [R or 1, B, channels].
	sum := func(x *graph.Node) *graph.Node { return kernel.Kept(graph.ReduceSum(x, 2)) }
	// mean is that over a group, for each of its channels.
	mean := func(sums *graph.Node) *graph.Node {
		d := sums.Shape().Dimensions
		of := graph.ReduceAndKeep(graph.Reshape(sums, d[0], d[1], l.groups, each), graph.ReduceSum, 3)
		of = kernel.Expand(graph.MulScalar(of, 1/float64(places*each)), d[0], d[1], l.groups, each)
		return graph.Reshape(of, d...)
	}
	like := func(perChannel, x *graph.Node) *graph.Node {
		return kernel.ExpandLike(graph.InsertAxes(perChannel, 2), x)
	}
	perExample := func(w *graph.Node) *graph.Node {
		return kernel.Expand(graph.InsertAxes(w, 1), replicas, batch, l.channels)
	}

	x := flat(in.Values)
	centered := graph.Sub(x, like(mean(sum(x)), x))
	deviation := kernel.Kept(graph.Sqrt(graph.AddScalar(mean(sum(graph.Square(centered))), epsilon)))
	normal := kernel.RepeatShared(graph.Div(centered, like(deviation, centered)), replicas)
	scale, shift := perExample(weights[0]), perExample(weights[1])
	y := graph.Add(graph.Mul(normal, like(scale, normal)), like(shift, normal))
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		g = flat(g)
		atScale, atShift := sum(graph.Mul(g, normal)), sum(g)
		gradients := persample.Explicit{atScale, atShift}
		if !wantInput {
			return nil, gradients
		}
		ofH, along := mean(graph.Mul(scale, atShift)), mean(graph.Mul(scale, atScale))
		at := graph.Sub(graph.Mul(g, like(scale, g)), like(ofH, g))
		at = graph.Sub(at, graph.Mul(normal, like(along, g)))
		return image(graph.Div(at, like(kernel.RepeatShared(deviation, replicas), at))), gradients
	}
	return Activations{Values: image(y)}, backward
}

// fillOnes is an Init.
func fillOnes(_ *rand.Rand, values []float64) {
	for i := range values {
		values[i] = 1
	}
}

// LayerNorm returns the layer that normalizes the values of each place of [..., width] by their
// own mean and variance. Then every value is scaled and shifted.
//
//	x̂ = (x - mean) / √(variance + ε),  y_i = γ_i x̂_i + β_i,  ε = 1e-5
//
// Initial γ is 1 and β is 0. With g the gradient at y and means over a place,
//
//	gradient of γ_i = Σ_places g_i x̂_i,  gradient of β_i = Σ_places g_i
//	gradient at x = (h - mean(h) - x̂ mean(h x̂)) / √(variance + ε),  h = γ g
//
// Reference: Ba, Kiros and Hinton (2016), arXiv:1607.06450v1, equation 4.
func LayerNorm(width int) Layer { return layerNorm{width, true} }

// RMSNorm is [LayerNorm] without the mean and without the shift:
//
//	x̂ = x / √(mean(x²) + ε),  y_i = γ_i x̂_i,  ε = 1e-5
//	gradient at x = (h - x̂ mean(h x̂)) / √(mean(x²) + ε),  h = γ g
//
// Reference: Zhang and Sennrich (2019), arXiv:1910.07467v1, equation 4.
func RMSNorm(width int) Layer { return layerNorm{width, false} }

type layerNorm struct {
	width    int
	centered bool
}

func (l layerNorm) String() string {
	if l.centered {
		return fmt.Sprintf("LayerNorm(%d)", l.width)
	}
	return fmt.Sprintf("RMSNorm(%d)", l.width)
}

func (l layerNorm) OutputShape(input []int) ([]int, error) {
	if l.width < 1 {
		return nil, fmt.Errorf("%v: width must be >= 1", l)
	}
	if len(input) == 0 || input[len(input)-1] != l.width {
		return nil, fmt.Errorf("%v: input of shape %v: must be [..., %d]", l, input, l.width)
	}
	return input, nil
}

func (l layerNorm) Weights([]int) []Weight {
	list := []Weight{{Name: "scale", Shape: []int{l.width}, Init: fillOnes}}
	if l.centered {
		list = append(list, Weight{Name: "shift", Shape: []int{l.width}})
	}
	return list
}

func (l layerNorm) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	const epsilon = 1e-5
	shape, replicas := in.Values.Shape().Dimensions, weights[0].Shape().Dim(0)
	batch, places := shape[1], kernel.SizeOf(shape[2:])/l.width
	rows := func(x *graph.Node) *graph.Node { // of all places
		return graph.Reshape(x, x.Shape().Dim(0), batch*places, l.width)
	}
	like := func(x *graph.Node) *graph.Node {
		return graph.Reshape(x, append([]int{replicas}, shape[1:]...)...)
	}
	mean := func(x *graph.Node) *graph.Node { // of each row, repeated along it
		m := graph.MulScalar(kernel.SumLast(x), 1/float64(l.width))
		return kernel.ExpandLike(graph.InsertAxes(m, -1), x)
	}
	x := rows(in.Values)
	if l.centered {
		x = graph.Sub(x, mean(x))
	}
	deviation := graph.Sqrt(graph.AddScalar(mean(graph.Square(x)), epsilon))
	normal := kernel.RepeatShared(graph.Div(x, deviation), replicas)
	scale := kernel.ExpandLike(graph.InsertAxes(weights[0], 1), normal)
	y := graph.Mul(normal, scale)
	if l.centered {
		y = graph.Add(y, kernel.ExpandLike(graph.InsertAxes(weights[1], 1), y))
	}
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		g = rows(g)
		overPlaces := func(x *graph.Node) *graph.Node {
			return persample.Biases(graph.Reshape(x, replicas, batch, places, l.width))
		}
		gradients := persample.Explicit{overPlaces(graph.Mul(g, normal))}
		if l.centered {
			gradients = append(gradients, overPlaces(g))
		}
		if !wantInput {
			return nil, gradients
		}
		h := graph.Mul(g, scale)
		at := graph.Sub(h, graph.Mul(normal, mean(graph.Mul(h, normal))))
		if l.centered {
			at = graph.Sub(at, mean(h))
		}
		return like(graph.Div(at, kernel.RepeatShared(deviation, replicas))), gradients
	}
	return Activations{Values: like(y), Present: in.Present}, backward
}

func (l layerNorm) forwardPlaces(weights []*graph.Node, in Activations) (Activations, Backward) {
	return l.Forward(weights, in)
}
