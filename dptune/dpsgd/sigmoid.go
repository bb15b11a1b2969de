package dpsgd

import "github.com/gomlx/gomlx/core/graph"

// Sigmoid returns the layer y = 1 / (1 + exp(-x)), with derivative y (1 - y).
func Sigmoid() Layer {
	return elementwise{"Sigmoid", func(x *graph.Node) (*graph.Node, *graph.Node) {
		y := logistic(x)
		return y, graph.Mul(y, graph.OneMinus(y))
	}}
}

// logistic returns 1 / (1 + exp(-x)) = (1 + tanh(x/2)) / 2, which cannot overflow.
func logistic(x *graph.Node) *graph.Node {
	return graph.MulScalar(graph.OnePlus(graphTanh(graph.MulScalar(x, 0.5))), 0.5)
}
