package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Predict returns the class of each example by each of R models, [R][N]. Labels are not
// used, though they must be valid.
//
// The results of Predict, Accuracy and Losses on private examples are private, and the guarantee of
// the models does not cover them: see dptune.PrivateAccuracy. The last bits of an example's result
// depend on the other examples, unless Performance.Microbatch is 1. For repeated calls, use an
// [Evaluator].
func Predict(ctx context.Context, model dpsgd.Model, p dpsgd.Parameters, examples data.Dataset, performance ...Performance) ([][]int32, error) {
	return evaluateOnce(model, examples, performance, func(e *Evaluator) ([][]int32, error) { return e.Predict(ctx, p) })
}

// Accuracy returns the share of examples whose label each of R models predicts, [R].
func Accuracy(ctx context.Context, model dpsgd.Model, p dpsgd.Parameters, examples data.Dataset, performance ...Performance) ([]float64, error) {
	return evaluateOnce(model, examples, performance, func(e *Evaluator) ([]float64, error) { return e.Accuracy(ctx, p) })
}

// Right returns the share of each example that each of R models predicts right, [R][N]: 0 or 1 if
// the loss predicts a label, else what [nn.TargetLoss] gives. It is an error if the loss knows no
// right and wrong. As with [Predict], results on private examples are private.
func Right(ctx context.Context, model dpsgd.Model, p dpsgd.Parameters, examples data.Dataset, performance ...Performance) ([][]float64, error) {
	return evaluateOnce(model, examples, performance, func(e *Evaluator) ([][]float64, error) { return e.right(ctx, p) })
}

// Losses returns the loss of each example under each of R models, [R][N]. A loss that is
// not finite is an error that names the model and the row.
func Losses(ctx context.Context, model dpsgd.Model, p dpsgd.Parameters, examples data.Dataset, performance ...Performance) ([][]float64, error) {
	return evaluateOnce(model, examples, performance, func(e *Evaluator) ([][]float64, error) { return e.Losses(ctx, p) })
}

// evaluateOnce makes an evaluator for one question.
func evaluateOnce[O any](model dpsgd.Model, examples data.Dataset, performance []Performance, ask func(*Evaluator) ([]O, error)) ([]O, error) {
	e, err := NewEvaluator(model, examples, performance...)
	if err != nil {
		return nil, err
	}
	defer e.engine.Finalize()
	return ask(e)
}

// Predict returns the class of each example by each of R models, [R][N]. It is an error if the loss
// predicts no class.
func (e *Evaluator) Predict(ctx context.Context, p dpsgd.Parameters) ([][]int32, error) {
	if err := p.ValidateFor(e.model); err != nil {
		return nil, err
	}
	return e.engine.Classes(ctx, p.Values)
}

// right returns the share of each example that each of R models predicts right, [R][N].
func (e *Evaluator) right(ctx context.Context, p dpsgd.Parameters) ([][]float64, error) {
	if err := p.ValidateFor(e.model); err != nil {
		return nil, err
	}
	return e.engine.Right(ctx, p.Values)
}

// Accuracy returns the share of examples whose label each of R models predicts, [R]. For an
// [nn.TargetLoss] it is the mean of its Right. There must be at least one example.
func (e *Evaluator) Accuracy(ctx context.Context, p dpsgd.Parameters) ([]float64, error) {
	if e.examples.Len() == 0 {
		return nil, fmt.Errorf("engine: data set %q is empty: must hold at least one example", e.examples.Name)
	}
	if _, is := e.model.Loss.(nn.TargetLoss); is {
		return e.meanRight(ctx, p)
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

// meanRight returns the mean over examples of the share that each of R models predicts right.
func (e *Evaluator) meanRight(ctx context.Context, p dpsgd.Parameters) ([]float64, error) {
	right, err := e.right(ctx, p)
	if err != nil {
		return nil, err
	}
	means := make([]float64, len(right))
	for r, list := range right {
		for _, share := range list {
			means[r] += share
		}
		means[r] /= float64(len(list))
	}
	return means, nil
}

// Losses returns the loss of each example under each of R models, [R][N]. A loss that is
// not finite is an error that names the model and the row.
func (e *Evaluator) Losses(ctx context.Context, p dpsgd.Parameters) ([][]float64, error) {
	if err := p.ValidateFor(e.model); err != nil {
		return nil, err
	}
	losses, err := e.engine.Losses(ctx, p.Values)
	if err != nil {
		return nil, err
	}
	for r, list := range losses {
		for i, loss := range list {
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return nil, fmt.Errorf("engine: loss of row %d under model %d is %g: must be finite", i, r, loss)
			}
		}
	}
	return losses, nil
}

// Outputs returns the outputs of the last layer of each of R models for each example, [R][N·K]: K
// numbers for each example, the logits for most losses. As with [Predict], results on private
// examples are private.
func Outputs(ctx context.Context, model dpsgd.Model, p dpsgd.Parameters, examples data.Dataset, performance ...Performance) ([][]float64, error) {
	return evaluateOnce(model, examples, performance, func(e *Evaluator) ([][]float64, error) { return e.Outputs(ctx, p) })
}

// Outputs returns the outputs of the last layer of each of R models for each example, [R][N·K].
func (e *Evaluator) Outputs(ctx context.Context, p dpsgd.Parameters) ([][]float64, error) {
	if err := p.ValidateFor(e.model); err != nil {
		return nil, err
	}
	return e.engine.Outputs(ctx, p.Values, e.model.Loss.Outputs(e.examples.Classes))
}

// Features returns the examples with the outputs of the first layers of a model in place of their
// features, for training the last layers only. Each example is one list of numbers, with its label.
// p are the weights of one model. They must be public, or training on the features also costs what
// the weights cost.
func Features(ctx context.Context, model dpsgd.Model, p dpsgd.Parameters, layers int, examples data.Dataset, performance ...Performance) (data.Dataset, error) {
	if err := wrapped(model.Validate()); err != nil {
		return data.Dataset{}, err
	}
	if err := p.ValidateFor(model); err != nil {
		return data.Dataset{}, err
	}
	if len(p.Values) != 1 {
		return data.Dataset{}, fmt.Errorf("engine: Features: parameters of %d models: must be of one (see Parameters.Replica)", len(p.Values))
	}
	if layers < 1 || layers > len(model.Layers) {
		return data.Dataset{}, fmt.Errorf("engine: Features: layers %d: must be in [1, %d], as model %q has", layers, len(model.Layers), model.Name)
	}
	first := dpsgd.Model{Name: model.Name, Input: model.Input, Layers: append(model.Layers[:layers:layers], nn.Flatten()), Loss: nn.SoftmaxCrossEntropy()}
	shape := model.Input
	for _, layer := range first.Layers {
		shape, _ = layer.OutputShape(shape) // the model is valid
	}
	all := examples
	all.Classes, all.Labels = shape[0], make([]int32, examples.Len()) // the outputs have no classes
	outputs, err := Outputs(ctx, first, dpsgd.Parameters{Values: [][]float64{p.Values[0][:first.Size()]}}, all, performance...)
	if err != nil {
		return data.Dataset{}, err
	}
	features := examples
	features.Shape, features.Features = []int{all.Classes}, make([]float32, len(outputs[0]))
	for i, v := range outputs[0] {
		features.Features[i] = float32(v)
	}
	return features, features.Validate()
}
