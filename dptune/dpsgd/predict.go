package dpsgd

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
)

// Predict returns the class of each example by each of R models, [R][N]. Labels are not
// used, though they must be valid.
//
// What this function, Accuracy and Losses say of private examples is private itself, and not
// covered by the guarantee of the models: see dptune.PrivateAccuracy. Who asks often makes an
// [Evaluator].
func Predict(ctx context.Context, model Model, p Parameters, examples data.Dataset, perf Performance) ([][]int32, error) {
	return evaluateOnce(model, examples, perf, func(e *Evaluator) ([][]int32, error) { return e.Predict(ctx, p) })
}

// Accuracy returns the share of examples whose label each of R models predicts, [R].
func Accuracy(ctx context.Context, model Model, p Parameters, examples data.Dataset, perf Performance) ([]float64, error) {
	return evaluateOnce(model, examples, perf, func(e *Evaluator) ([]float64, error) { return e.Accuracy(ctx, p) })
}

// Losses returns the loss of each example under each of R models, [R][N]. A loss that is
// not finite is an error that names the model and the row.
func Losses(ctx context.Context, model Model, p Parameters, examples data.Dataset, perf Performance) ([][]float64, error) {
	return evaluateOnce(model, examples, perf, func(e *Evaluator) ([][]float64, error) { return e.Losses(ctx, p) })
}

// evaluateOnce asks an evaluator that is not kept.
func evaluateOnce[O any](model Model, examples data.Dataset, perf Performance, ask func(*Evaluator) ([]O, error)) ([]O, error) {
	e, err := NewEvaluator(model, examples, perf)
	if err != nil {
		return nil, err
	}
	defer e.finalize()
	return ask(e)
}

// Predict returns the class of each example by each of R models, [R][N].
func (e *Evaluator) Predict(ctx context.Context, p Parameters) ([][]int32, error) {
	return evaluate[int32](ctx, e, e.classes, p, 1)
}

// Accuracy returns the share of examples whose label each of R models predicts, [R]. There must
// be at least one example.
func (e *Evaluator) Accuracy(ctx context.Context, p Parameters) ([]float64, error) {
	if e.examples.Len() == 0 {
		return nil, fmt.Errorf("dpsgd: data set %q is empty: must hold at least one example", e.examples.Name)
	}
	classes, err := e.Predict(ctx, p)
	if err != nil {
		return nil, err
	}
	shares := make([]float64, len(classes))
	for r, list := range classes {
		right := 0
		for i, class := range list {
			if class == e.examples.Labels[i] {
				right++
			}
		}
		shares[r] = float64(right) / float64(len(list))
	}
	return shares, nil
}

// Losses returns the loss of each example under each of R models, [R][N]. A loss that is
// not finite is an error that names the model and the row.
func (e *Evaluator) Losses(ctx context.Context, p Parameters) ([][]float64, error) {
	losses, err := evaluate[float64](ctx, e, e.losses, p, 1)
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

// classes returns the class of each of rows [1, B, F] by weights [R, P], and losses the loss.
func (s graphs) classes(weights, rows, _ *graph.Node) *graph.Node {
	return s.model.Loss.Classes(s.model.Outputs(weights, rows))
}

func (s graphs) losses(weights, rows, labels *graph.Node) *graph.Node {
	outputs := s.model.Outputs(weights, rows)
	return graph.ConvertDType(s.model.Loss.Values(outputs, kernel.ExpandReplicas(labels, outputs)), dtypes.Float64)
}
