package program

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Classes returns the class of each of rows [1, B, F] by weights [R, P].
func (p Step) Classes(weights, rows, _ *graph.Node) *graph.Node {
	return p.Model.Loss.Classes(p.Model.Outputs(weights, rows))
}

// Losses returns the loss of each example under each model, [R, B].
func (p Step) Losses(weights, rows, labels *graph.Node) *graph.Node {
	outputs := p.Model.Outputs(weights, rows)
	return graph.ConvertDType(p.Model.Loss.Values(outputs, kernel.ExpandReplicas(labels, outputs)), dtypes.Float64)
}

// Measured returns the number of rows [1, B, F] that each model classifies by their labels, and the
// sum of the losses, both [R] in float64. Only the first count rows are examples.
func (p Step) Measured(weights, rows, labels, count *graph.Node) []*graph.Node {
	outputs := p.Model.Outputs(weights, rows)
	labels = kernel.ExpandReplicas(labels, outputs)
	right := graph.Equal(p.Model.Loss.Classes(outputs), labels)
	losses := graph.ConvertDType(p.Model.Loss.Values(outputs, labels), dtypes.Float64)
	zeros := graph.ZerosLike(losses)
	isExample := graph.LessThan(graph.Iota(losses.Graph(), shapes.Make(dtypes.Int32, losses.Shape().Dimensions...), 1), count)
	sum := func(of *graph.Node) *graph.Node { return graph.ReduceSum(graph.Where(isExample, of, zeros), 1) }
	return []*graph.Node{sum(graph.ConvertDType(right, dtypes.Float64)), sum(losses)}
}

// Outputs returns the outputs of the last layer.
func (p Step) Outputs(weights, rows, _ *graph.Node) *graph.Node {
	return graph.ConvertDType(p.Model.Outputs(weights, rows), dtypes.Float64)
}
