package program

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// The inputs of these programs are weights [R, P], rows [1, B, F] and labels [1, B]. Then come
// targets [1, B, n] if the loss reads them, and coins [1, B, n] for losses as in training.

// ErrNotPredicted is wrapped by the error of an evaluation that the loss has no answer for.
var ErrNotPredicted = errors.New("must be evaluated by Losses or Outputs")

// Classes returns the class of each row under each model.
func (p Step) Classes(in []*graph.Node) *graph.Node {
	classes := p.Model.Loss.Classes(p.Model.Outputs(in[0], in[1]))
	if classes == nil {
		panic(fmt.Errorf("%v predicts no class: %w", p.Model.Loss, ErrNotPredicted))
	}
	return classes
}

// Losses returns the loss of each example under each model, [R, B].
func (p Step) Losses(in []*graph.Node) *graph.Node {
	var losses *graph.Node
	if p.Coins > 0 {
		losses = p.Model.LossDrawn(in[0], nn.Batch{Rows: in[1], Labels: in[2], Targets: p.targets(in), Coins: in[len(in)-1]})
	} else {
		losses = p.Model.LossOf(p.Model.Outputs(in[0], in[1]), in[2], p.targets(in))
	}
	return graph.ConvertDType(losses, dtypes.Float64)
}

// Right returns the share of each example that each model predicts right, [R, B].
func (p Step) Right(in []*graph.Node) *graph.Node {
	right := p.Model.RightOf(p.Model.Outputs(in[0], in[1]), in[2], p.targets(in))
	if right == nil {
		panic(fmt.Errorf("%v knows no right and wrong: %w", p.Model.Loss, ErrNotPredicted))
	}
	return graph.ConvertDType(right, dtypes.Float64)
}

// targets returns the targets among the inputs, or nil.
func (p Step) targets(in []*graph.Node) *graph.Node {
	if p.Targets {
		return in[3]
	}
	return nil
}

// Measured returns the sum of what Right returns, and the sum of the losses, both [R] in float64.
// The first is 0 if the loss knows no right and wrong. The last input is the number of rows that
// are examples: the first ones.
func (p Step) Measured(in []*graph.Node) []*graph.Node {
	outputs, count := p.Model.Outputs(in[0], in[1]), in[len(in)-1]
	losses := graph.ConvertDType(p.Model.LossOf(outputs, in[2], p.targets(in)), dtypes.Float64)
	zeros := graph.ZerosLike(losses)
	right := p.Model.RightOf(outputs, in[2], p.targets(in))
	if right == nil {
		right = zeros
	}
	isExample := graph.LessThan(graph.Iota(losses.Graph(), shapes.Make(dtypes.Int32, losses.Shape().Dimensions...), 1), count)
	sum := func(of *graph.Node) *graph.Node { return graph.ReduceSum(graph.Where(isExample, of, zeros), 1) }
	return []*graph.Node{sum(graph.ConvertDType(right, dtypes.Float64)), sum(losses)}
}

// Outputs returns the outputs of the last layer.
func (p Step) Outputs(in []*graph.Node) *graph.Node {
	return graph.ConvertDType(p.Model.Outputs(in[0], in[1]), dtypes.Float64)
}
