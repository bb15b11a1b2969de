package dpsgd

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
)

// Predict returns the class of each example by each of R models, [R][N]. Labels are not
// used, though they must be valid.
//
// What this function, Accuracy and Losses say of private examples is private itself, and not
// covered by the guarantee of the models: see dptune.PrivateAccuracy.
func Predict(ctx context.Context, model Model, p Parameters, examples data.Dataset, perf Performance) ([][]int32, error) {
	return evaluate[int32](ctx, model, p, examples, perf, graphs.classes)
}

// Accuracy returns the share of examples whose label each of R models predicts, [R].
func Accuracy(ctx context.Context, model Model, p Parameters, examples data.Dataset, perf Performance) ([]float64, error) {
	if examples.Len() == 0 {
		return nil, fmt.Errorf("dpsgd: data set %q is empty: must hold at least one example", examples.Name)
	}
	classes, err := Predict(ctx, model, p, examples, perf)
	if err != nil {
		return nil, err
	}
	shares := make([]float64, len(classes))
	for r, list := range classes {
		right := 0
		for i, class := range list {
			if class == examples.Labels[i] {
				right++
			}
		}
		shares[r] = float64(right) / float64(len(list))
	}
	return shares, nil
}

// Losses returns the loss of each example under each of R models, [R][N]. A loss that is
// not finite is an error that names the model and the row.
func Losses(ctx context.Context, model Model, p Parameters, examples data.Dataset, perf Performance) ([][]float64, error) {
	losses, err := evaluate[float64](ctx, model, p, examples, perf, graphs.losses)
	if err != nil {
		return nil, err
	}
	for r, list := range losses {
		for i, loss := range list {
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return nil, fmt.Errorf("dpsgd: loss of row %d under model %d is %g: must be finite", i, r, loss)
			}
		}
	}
	return losses, nil
}

// program computes one output for each of rows [1, B, F] with weights [1, P].
type program func(s graphs, weights, rows, labels *graph.Node) *graph.Node

func (s graphs) classes(weights, rows, _ *graph.Node) *graph.Node {
	outputs := s.outputs(weights, inputRows(rows, nil))
	return s.model.Loss.Classes(outputs)
}

func (s graphs) losses(weights, rows, labels *graph.Node) *graph.Node {
	outputs := s.outputs(weights, inputRows(rows, nil))
	return graph.ConvertDType(s.model.Loss.Values(outputs, labels), dtypes.Float64)
}
