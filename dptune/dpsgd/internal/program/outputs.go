package program

import (
	"github.com/gomlx/compute/dtypes"
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

// Outputs returns the outputs of the last layer.
func (p Step) Outputs(weights, rows, _ *graph.Node) *graph.Node {
	return graph.ConvertDType(p.Model.Outputs(weights, rows), dtypes.Float64)
}
