package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Positions returns the layer that adds a trained vector to each place of [T, width], y_t = x_t +
// p_t, for T of at most length. Initial p are normal with standard deviation 0.02. One example's
// gradient at p_t is the gradient g_t at y_t. That of places after T is zero.
func Positions(length, width int) Layer { return positions{length, width} }

type positions struct{ length, width int }

func (l positions) String() string { return fmt.Sprintf("Positions(%d, %d)", l.length, l.width) }

func (l positions) OutputShape(input []int) ([]int, error) {
	if l.length < 1 || l.width < 1 {
		return nil, fmt.Errorf("%v: sizes must be >= 1", l)
	}
	if len(input) != 2 || input[1] != l.width || input[0] > l.length {
		return nil, fmt.Errorf("%v: input of shape %v: must be [places, %d] with at most %d places", l, input, l.width, l.length)
	}
	return input, nil
}

func (l positions) Weights([]int) []Weight {
	return []Weight{{Name: "positions", Shape: []int{l.length, l.width}, Init: func(rng *rand.Rand, values []float64) {
		for i := range values {
			values[i] = 0.02 * rng.NormFloat64()
		}
	}}}
}

func (l positions) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	replicas, places := weights[0].Shape().Dim(0), in.Values.Shape().Dim(2)
	x := kernel.RepeatShared(in.Values, replicas)
	p := graph.Slice(weights[0], graph.AxisRange(), graph.AxisRange(0, places))
	y := graph.Add(x, kernel.ExpandLike(graph.InsertAxes(p, 1), x))
	return Activations{Values: y, Present: in.Present}, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		each := g
		if missing := l.length - places; missing > 0 {
			each = kernel.PadZeros(each, compute.PadAxis{}, compute.PadAxis{}, compute.PadAxis{End: missing}, compute.PadAxis{})
		}
		return g, persample.Explicit{each}
	}
}

// SinusoidalPositions returns the layer that adds fixed numbers to each place t of [T, width]:
//
//	y_(t, 2i)   = x_(t, 2i)   + sin(t / 10000^(2i/width))
//	y_(t, 2i+1) = x_(t, 2i+1) + cos(t / 10000^(2i/width))
//
// Reference: Vaswani et al. (2017), arXiv:1706.03762v7, section 3.5.
func SinusoidalPositions() Layer { return sinusoidalPositions{} }

type sinusoidalPositions struct{}

func (sinusoidalPositions) String() string { return "SinusoidalPositions" }

func (l sinusoidalPositions) OutputShape(input []int) ([]int, error) {
	if len(input) != 2 {
		return nil, fmt.Errorf("%v: input of shape %v: must be [places, width]", l, input)
	}
	return input, nil
}

func (sinusoidalPositions) Weights([]int) []Weight { return nil }

func (sinusoidalPositions) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	d := in.Values.Shape().Dimensions
	places, width := d[2], d[3]
	table := make([]float64, places*width)
	for i := range table {
		t, k := float64(i/width), i%width
		angle := t * math.Pow(10000, -float64(k/2*2)/float64(width))
		if table[i] = math.Sin(angle); k%2 == 1 {
			table[i] = math.Cos(angle)
		}
	}
	fixed := graph.ConstTensor(in.Values.Graph(), tensors.FromFlatDataAndDimensions(table, 1, 1, places, width))
	y := graph.Add(in.Values, kernel.ExpandLike(graph.ConvertDType(fixed, in.Values.DType()), in.Values))
	return Activations{Values: y, Present: in.Present}, func(g *graph.Node, _ bool) (*graph.Node, Gradients) { return g, nil }
}

// MeanPlaces returns the layer that takes the mean over the places of [T, in...], [in...]. Padding
// is left out. An example without places gives zeros.
func MeanPlaces() Layer { return meanPlaces{} }

type meanPlaces struct{}

func (meanPlaces) String() string { return "MeanPlaces" }

func (l meanPlaces) OutputShape(input []int) ([]int, error) {
	if len(input) < 2 {
		return nil, fmt.Errorf("%v: input of shape %v: must be [places, values...]", l, input)
	}
	return input[1:], nil
}

func (meanPlaces) Weights([]int) []Weight { return nil }

func (meanPlaces) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	d := in.Values.Shape().Dimensions
	places, width := d[2], kernel.SizeOf(d[3:])
	x := graph.Reshape(in.Values, d[0]*d[1], places, width)
	var share *graph.Node // of each place, [R, B, T]; nil if all count alike
	if in.Present != nil {
		present := kernel.ExpandReplicas(in.Present, in.Values)
		count := graph.MaxScalar(kernel.SumLast(present), 1)
		share = graph.Div(present, kernel.ExpandLike(graph.InsertAxes(count, -1), present))
	}
	shared := func(x *graph.Node) *graph.Node { // x [R·B, T, width] times the share
		if share == nil {
			return graph.MulScalar(x, 1/float64(places))
		}
		s := kernel.RepeatShared(share, x.Shape().Dim(0)/d[1])
		s = kernel.ExpandLike(graph.InsertAxes(kernel.Images(s), -1), x)
		return graph.Where(graph.GreaterThan(s, graph.ScalarZero(s.Graph(), s.DType())), graph.Mul(x, s), graph.ScalarZero(s.Graph(), s.DType()))
	}
	y := graph.Reshape(kernel.SumMiddle(shared(x)), append([]int{d[0], d[1]}, d[3:]...)...)
	return Activations{Values: y}, withoutWeights(func(g *graph.Node) *graph.Node {
		r := g.Shape().Dim(0)
		each := kernel.Expand(graph.Reshape(g, r*d[1], 1, width), r*d[1], places, width)
		return graph.Reshape(shared(each), append([]int{r}, d[1:]...)...)
	})
}

// LastPlace returns the layer that takes the last place of [T, in...], [in...]. Padding is left
// out. An example without places gives zeros.
func LastPlace() Layer { return lastPlace{} }

type lastPlace struct{}

func (lastPlace) String() string { return "LastPlace" }

func (l lastPlace) OutputShape(input []int) ([]int, error) {
	if len(input) < 2 {
		return nil, fmt.Errorf("%v: input of shape %v: must be [places, values...]", l, input)
	}
	return input[1:], nil
}

func (lastPlace) Weights([]int) []Weight { return nil }

func (lastPlace) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	d := in.Values.Shape().Dimensions
	if in.Present != nil {
		return lastPresent(in)
	}
	last := graph.Slice(in.Values, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(d[2]-1, d[2]))
	y := in.selected(graph.Reshape(last, append([]int{d[0], d[1]}, d[3:]...)...))
	return y, withoutWeights(func(g *graph.Node) *graph.Node {
		axes := make([]compute.PadAxis, len(d))
		axes[2].Start = d[2] - 1
		return kernel.PadZeros(graph.InsertAxes(g, 2), axes...)
	})
}

// lastPresent is the Forward of lastPlace where places may be padding.
func lastPresent(in Activations) (Activations, Backward) {
	d, present := in.Values.Shape().Dimensions, in.Present
	count := graph.AddScalar(graph.Iota(present.Graph(), present.Shape(), 2), 1) // 1, 2, ..., T
	most := graph.ReduceAndKeep(graph.Mul(present, count), graph.ReduceMax, 2)   // 0 if all are padding
	last := graph.ConvertDType(graph.Equal(count, kernel.ExpandLike(most, count)), present.DType())
	x := presentValues(last, in.Values)
	sum := kernel.SumMiddle(graph.Reshape(x, d[0]*d[1], d[2], kernel.SizeOf(d[3:]))) // of zeros and one value
	y := in.selected(graph.Reshape(sum, append([]int{d[0], d[1]}, d[3:]...)...))
	y.Present = nil
	return y, withoutWeights(func(g *graph.Node) *graph.Node {
		each := kernel.Expand(graph.InsertAxes(g, 2), append([]int{g.Shape().Dim(0)}, d[1:]...)...)
		return presentValues(last, each)
	})
}
