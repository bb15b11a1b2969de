package nn

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Tanh returns the layer y = tanh(x), with derivative 1 - y².
func Tanh() Layer {
	return elementwise{"Tanh", func(x *graph.Node) (*graph.Node, *graph.Node) {
		y := graph.Tanh(x)
		return y, graph.OneMinus(graph.Square(y))
	}}
}

// ReLU returns the layer y = max(x, 0), with derivative 1 where x > 0 and 0 elsewhere.
func ReLU() Layer {
	return relu{elementwise{name: "ReLU"}}
}

// relu stores no slope: it passes a gradient on or not.
type relu struct{ elementwise }

func (l relu) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	return l.adapt(weights, in)
}

func (l relu) adapt(_ []*graph.Node, in Activations) (Activations, Backward) {
	x := in.Values
	zero := graph.ScalarZero(x.Graph(), x.DType())
	backward := withoutWeights(func(g *graph.Node) *graph.Node {
		return kernel.OnlyWhere(kernel.ExpandReplicas(graph.GreaterThan(x, zero), g), g)
	})
	return in.selected(graph.Max(x, zero)), backward
}

// TemperedSigmoid returns the layer y = scale / (1 + exp(-temperature x)) - offset.
// With scale 2, temperature 2 and offset 1 it is tanh.
//
//	dy/dx = temperature s (scale - s) / scale,  s = y + offset
//
// Reference: Papernot et al. (2020), arXiv:2007.14191v1.
func TemperedSigmoid(scale, temperature, offset float64) Layer {
	name := fmt.Sprintf("TemperedSigmoid(%g, %g, %g)", scale, temperature, offset)
	return elementwise{name, func(x *graph.Node) (*graph.Node, *graph.Node) {
		// s = scale/2 (1 + tanh(temperature x / 2)), which cannot overflow.
		s := graph.MulScalar(graph.OnePlus(graph.Tanh(graph.MulScalar(x, temperature/2))), scale/2)
		slope := graph.MulScalar(graph.Mul(s, graph.AddScalar(graph.Neg(s), scale)), temperature/scale)
		return graph.AddScalar(s, -offset), slope
	}}
}

// elementwise is a layer without weights that maps each value by itself.
type elementwise struct {
	name string
	f    func(x *graph.Node) (y, slope *graph.Node)
}

func (l elementwise) String() string { return l.name }

func (l elementwise) OutputShape(input []int) ([]int, error) { return input, nil }

func (l elementwise) Weights([]int) []Weight { return nil }

func (l elementwise) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	return l.adapt(weights, in)
}

func (l elementwise) adapt(_ []*graph.Node, in Activations) (Activations, Backward) {
	y, slope := l.f(in.Values)
	backward := withoutWeights(func(g *graph.Node) *graph.Node {
		return graph.Mul(g, kernel.ExpandReplicas(slope, g))
	})
	return Activations{Values: y, Present: in.Present, columns: in.columns}, backward
}

// Sigmoid returns the layer y = 1 / (1 + exp(-x)), with derivative y (1 - y).
func Sigmoid() Layer {
	return elementwise{"Sigmoid", func(x *graph.Node) (*graph.Node, *graph.Node) {
		y := kernel.Logistic(x)
		return y, graph.Mul(y, graph.OneMinus(y))
	}}
}

// SiLU returns the layer y = x σ(x), σ(x) = 1 / (1 + exp(-x)), with derivative σ (1 + x (1 - σ)).
func SiLU() Layer {
	return elementwise{"SiLU", func(x *graph.Node) (*graph.Node, *graph.Node) {
		s := kernel.Logistic(x)
		y := graph.Mul(x, s)
		return y, graph.Add(s, graph.Mul(y, graph.OneMinus(s)))
	}}
}

// GELU returns the layer y = x Φ(x), with derivative Φ(x) + x φ(x). Φ and φ are the distribution
// and the density of the standard normal law (Hendrycks and Gimpel (2016), arXiv:1606.08415v5,
// without their approximations).
func GELU() Layer {
	return elementwise{"GELU", func(x *graph.Node) (*graph.Node, *graph.Node) {
		cdf := graph.MulScalar(graph.OnePlus(graph.Erf(graph.MulScalar(x, 1/math.Sqrt2))), 0.5)
		density := graph.MulScalar(graph.Exp(graph.MulScalar(graph.Square(x), -0.5)), 1/math.Sqrt(2*math.Pi))
		return graph.Mul(x, cdf), graph.Add(cdf, graph.Mul(x, density))
	}}
}

// Flatten returns the layer that turns the values of an example into one vector, in row-major
// order.
func Flatten() Layer { return flatten{} }

type flatten struct{}

func (flatten) String() string { return "Flatten" }

func (flatten) OutputShape(input []int) ([]int, error) { return []int{kernel.SizeOf(input)}, nil }

func (flatten) Weights([]int) []Weight { return nil }

func (flatten) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	shape := in.Values.Shape().Dimensions
	in.Present = nil // one vector has no places
	return in.rearranged(kernel.FlatRows(in.Values)), withoutWeights(func(g *graph.Node) *graph.Node {
		return graph.Reshape(g, append([]int{g.Shape().Dim(0)}, shape[1:]...)...)
	})
}
