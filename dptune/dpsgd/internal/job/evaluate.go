package job

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/program"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Evaluation describes an evaluator: its program, examples and settings.
type Evaluation struct {
	Model      nn.Model
	Examples   data.Dataset
	Backend    compute.Backend
	OwnMemory  bool // the backend is a device with its own memory; the examples stay there
	Microbatch int
	Goroutines int                  // groups of models that run at the same time
	Coins      bool                 // losses are with the coins of ClippedSums
	GroupSize  func(models int) int // how many of a number of models run in one call
}

// Evaluator runs models of one shape on some examples.
type Evaluator struct {
	Evaluation
	classes, losses, right, outputs *graph.Exec
	measured                        *graph.Exec                               // see program.Step.Measured
	gather                          func(entries []int32) []*tensors.Tensor   // rows [1, B, F], labels [1, B], and targets [1, B, n] if the loss reads them
	stack                           func(weights [][]float64) *tensors.Tensor // [R, P]

	mutex sync.Mutex
	kept  [][]*tensors.Tensor // on the device, microbatch after microbatch
}

// NewEvaluator makes the programs. Each is compiled at its first call.
func NewEvaluator[T arrays.Real](evaluation Evaluation) (e *Evaluator, err error) {
	targets := evaluation.Model.TargetShape(evaluation.Examples.Classes) != nil
	rows, drawn := newTable[T](evaluation.Examples, targets), 0
	if evaluation.Coins {
		drawn = evaluation.Model.Coins()
	}
	e = &Evaluator{
		Evaluation: evaluation,
		gather: func(entries []int32) []*tensors.Tensor {
			inputs := rows.microbatch([][]int32{entries})
			norms, mask := inputs[1], inputs[len(inputs)-1]
			arrays.Finalize(norms, mask)
			inputs = append(inputs[:1:1], inputs[2:len(inputs)-1]...)
			if drawn > 0 {
				inputs = append(inputs, coinsOf[T](fixedCoins(drawn, 1), [][]int32{entries}))
			}
			return inputs
		},
		stack: func(weights [][]float64) *tensors.Tensor { return arrays.Stacked[T](weights, evaluation.Model.Size()) },
	}
	defer arrays.RecoverAs(&err, "building the program")
	m := program.Step{Model: e.Model, Targets: targets, Coins: drawn}
	for _, p := range []struct {
		exec  **graph.Exec
		build func(in []*graph.Node) *graph.Node
	}{{&e.classes, m.Classes}, {&e.losses, m.Losses}, {&e.right, m.Right}, {&e.outputs, m.Outputs}} {
		if *p.exec, err = graph.NewExec(e.Backend, p.build); err != nil {
			return nil, fmt.Errorf("engine: building the program: %w", err)
		}
		(*p.exec).SetMaxCache(-1) // one program for each number of models
	}
	if e.measured, err = graph.NewExec(e.Backend, m.Measured); err != nil {
		return nil, fmt.Errorf("engine: building the program: %w", err)
	}
	e.measured.SetMaxCache(-1)
	return e, nil
}

// Finalize frees the memory on the device.
func (e *Evaluator) Finalize() {
	for _, inputs := range e.kept {
		arrays.Finalize(inputs...)
	}
	e.classes.Finalize()
	e.losses.Finalize()
	e.right.Finalize()
	e.outputs.Finalize()
	e.measured.Finalize()
}

// Classes returns the class of each example by each of R models, [R][N].
func (e *Evaluator) Classes(ctx context.Context, weights [][]float64) ([][]int32, error) {
	return evaluate[int32](ctx, e, e.classes, weights, 1)
}

// Losses returns the loss of each example, [R][N].
func (e *Evaluator) Losses(ctx context.Context, weights [][]float64) ([][]float64, error) {
	return evaluate[float64](ctx, e, e.losses, weights, 1)
}

// Right returns the share of each example that is predicted right, [R][N].
func (e *Evaluator) Right(ctx context.Context, weights [][]float64) ([][]float64, error) {
	return evaluate[float64](ctx, e, e.right, weights, 1)
}

// Outputs returns the width outputs of the last layer for each example, [R][N·width].
func (e *Evaluator) Outputs(ctx context.Context, weights [][]float64, width int) ([][]float64, error) {
	return evaluate[float64](ctx, e, e.outputs, weights, width)
}

// inputs returns microbatch number i, ready for concurrent calls, its number of examples, and a
// function to call after its last use.
func (e *Evaluator) inputs(i int) (inputs []*tensors.Tensor, count int, done func(), err error) {
	count = min(e.Microbatch, e.Examples.Len()-i*e.Microbatch)
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if i < len(e.kept) {
		return e.kept[i], count, func() {}, nil
	}
	entries := make([]int32, e.Microbatch)
	for b := range entries {
		entries[b] = padding
		if b < count {
			entries[b] = int32(i*e.Microbatch + b)
		}
	}
	inputs = e.gather(entries)
	for _, input := range inputs {
		// Beforehand: tensors (GoMLX v0.28.4) get lost when two calls at a time move them.
		if err := input.MaterializeOnDevice(e.Backend, true, 0); err != nil {
			arrays.Finalize(inputs...)
			return nil, 0, nil, fmt.Errorf("engine: copying the examples to the device: %w", err)
		}
	}
	if e.OwnMemory && i == len(e.kept) {
		e.kept = append(e.kept, inputs)
		return inputs, count, func() {}, nil
	}
	return inputs, count, func() { arrays.Finalize(inputs...) }, nil
}

// Measure returns the share of the examples that each of R models predicts right, 0 if its loss
// knows no right and wrong, and its mean loss. There must be an example.
func (e *Evaluator) Measure(ctx context.Context, weights [][]float64) (accuracy, loss []float64, err error) {
	accuracy, loss = make([]float64, len(weights)), make([]float64, len(weights))
	err = e.eachMicrobatch(ctx, weights, func(first, models, count int, stacked *tensors.Tensor, inputs []*tensors.Tensor) error {
		out, err := arrays.Call(e.measured, "measuring the model", append(arguments(stacked, inputs), int32(count))...)
		if err != nil {
			return err
		}
		defer arrays.Finalize(out...)
		return errors.Join(addTo(accuracy[first:first+models], out[0]), addTo(loss[first:first+models], out[1]))
	})
	for r := range weights {
		accuracy[r] /= float64(e.Examples.Len())
		loss[r] /= float64(e.Examples.Len())
	}
	return accuracy, loss, err
}

// addTo adds the numbers of a tensor to sums.
func addTo(sums []float64, t *tensors.Tensor) error {
	err := tensors.ConstFlatData(t, func(flat []float64) {
		for r := range sums {
			sums[r] += flat[r]
		}
	})
	if err != nil {
		return fmt.Errorf("engine: reading outputs: %w", err)
	}
	return nil
}

// evaluate runs a program on all examples for all models. O is the type of the program's outputs.
// There are width outputs for an example.
func evaluate[O int32 | float64](ctx context.Context, e *Evaluator, exec *graph.Exec, weights [][]float64, width int) ([][]O, error) {
	outputs := make([][]O, len(weights))
	for r := range outputs {
		outputs[r] = make([]O, 0, e.Examples.Len()*width)
	}
	err := e.eachMicrobatch(ctx, weights, func(first, models, count int, stacked *tensors.Tensor, inputs []*tensors.Tensor) error {
		return appendOutputs(exec, stacked, inputs, count*width, outputs[first:first+models])
	})
	if err != nil {
		return nil, err
	}
	return outputs, nil
}

// eachMicrobatch calls do for each microbatch of the examples, in order, and each group of models,
// Goroutines groups at the same time. A group is models from number first on, with their weights
// stacked. inputs are the rows and labels of count examples, padded.
func (e *Evaluator) eachMicrobatch(ctx context.Context, weights [][]float64,
	do func(first, models, count int, stacked *tensors.Tensor, inputs []*tensors.Tensor) error) error {
	size := e.GroupSize(len(weights))
	stacked := make([]*tensors.Tensor, countMicrobatches(len(weights), size))
	for i := range stacked {
		stacked[i] = e.stack(weights[i*size : min((i+1)*size, len(weights))])
	}
	defer arrays.Finalize(stacked...)
	for i := range countMicrobatches(e.Examples.Len(), e.Microbatch) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("engine: stopped after example %d of %d: %w", i*e.Microbatch, e.Examples.Len(), err)
		}
		inputs, count, done, err := e.inputs(i)
		if err != nil {
			return err
		}
		err = inTurn(len(stacked), e.Goroutines, func(i int) error {
			return do(i*size, min(size, len(weights)-i*size), count, stacked[i], inputs)
		})
		done()
		if err != nil {
			return err
		}
	}
	return nil
}

// appendOutputs runs a program on a microbatch and appends the first count outputs of each model to
// its list.
func appendOutputs[O int32 | float64](exec *graph.Exec, weights *tensors.Tensor, inputs []*tensors.Tensor, count int, lists [][]O) error {
	out, err := arrays.Call(exec, "evaluating the model", arguments(weights, inputs)...)
	if err != nil {
		return err
	}
	defer arrays.Finalize(out...)
	err = tensors.ConstFlatData(out[0], func(flat []O) {
		each := len(flat) / len(lists)
		for r := range lists {
			lists[r] = append(lists[r], flat[r*each:r*each+count]...)
		}
	})
	if err != nil {
		return fmt.Errorf("engine: reading outputs: %w", err)
	}
	return nil
}

// arguments returns the inputs of a program.
func arguments(weights *tensors.Tensor, inputs []*tensors.Tensor) []any {
	args := []any{weights}
	for _, input := range inputs {
		args = append(args, input)
	}
	return args
}

// inTurn calls do for 0 to n-1, at most atOnce at the same time, and returns all errors, joined.
func inTurn(n, atOnce int, do func(i int) error) error {
	errs, limit := make([]error, n), make(chan struct{}, atOnce)
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			errs[i] = do(i)
		})
	}
	running.Wait()
	return errors.Join(errs...)
}
