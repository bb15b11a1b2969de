package dpsgd

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/sampling"
)

// evaluate runs a program on all examples, one model at a time, perf.Goroutines of them
// at once. O is the type of the program's outputs.
func evaluate[O int32 | float64](ctx context.Context, m Model, p Parameters, examples data.Dataset, perf Performance, f program) ([][]O, error) {
	if err := examples.Validate(); err != nil {
		return nil, fmt.Errorf("dpsgd: %w", err)
	}
	if err := errors.Join(m.validateFor(examples.Shape, examples.Classes), perf.Validate()); err != nil {
		return nil, err
	}
	if err := m.validateRows(examples); err != nil {
		return nil, err
	}
	if err := p.validateFor(m); err != nil {
		return nil, err
	}
	perf = perf.withDefaults(m, len(p.Values), float64(examples.Len()))
	exec, err := compileProgram(m, perf, f)
	if err != nil {
		return nil, err
	}
	if perf.Precision == Float64 {
		return evaluateAll[O](ctx, newEvaluator[float64](exec, m, examples, perf), p)
	}
	return evaluateAll[O](ctx, newEvaluator[float32](exec, m, examples, perf), p)
}

func compileProgram(m Model, perf Performance, f program) (exec *graph.Exec, err error) {
	backend, err := openBackend(perf.Backend)
	if err != nil {
		return nil, err
	}
	defer recoverAs(&err, "building the program")
	s := graphs{model: m, size: m.Size()}
	exec, err = graph.NewExec(backend, func(weights, rows, labels *graph.Node) *graph.Node {
		return f(s, weights, rows, labels)
	})
	if err != nil {
		return nil, fmt.Errorf("dpsgd: building the program: %w", err)
	}
	return exec, nil
}

// evaluator holds what all models share.
type evaluator[T real] struct {
	exec  *graph.Exec
	table table[T]
	perf  Performance
	size  int
}

func newEvaluator[T real](exec *graph.Exec, m Model, d data.Dataset, perf Performance) evaluator[T] {
	return evaluator[T]{exec: exec, table: newTable[T](d.Features, d.Labels, d.Width()), perf: perf, size: m.Size()}
}

func evaluateAll[O int32 | float64, T real](ctx context.Context, e evaluator[T], p Parameters) ([][]O, error) {
	outputs, errs := make([][]O, len(p.Values)), make([]error, len(p.Values))
	limit := make(chan struct{}, e.perf.Goroutines)
	var running sync.WaitGroup
	for r, weights := range p.Values {
		running.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			outputs[r], errs[r] = evaluateOne[O](ctx, e, weights)
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return outputs, nil
}

func evaluateOne[O int32 | float64, T real](ctx context.Context, e evaluator[T], values []float64) ([]O, error) {
	weights := converted[T](values, 1, e.size)
	defer finalize(weights)
	all := make([]int32, len(e.table.labels))
	for i := range all {
		all[i] = int32(i)
	}
	outputs := make([]O, 0, len(all))
	entries := make([]int32, e.perf.Microbatch)
	for part := range sampling.Count(len(all), e.perf.Microbatch) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("dpsgd: stopped after example %d of %d: %w", len(outputs), len(all), err)
		}
		count := sampling.Cut(all, part, entries)
		inputs := e.table.microbatch([][]int32{entries})
		out, err := call(e.exec, "evaluating the model", weights, inputs[0], inputs[2])
		finalize(inputs...)
		if err != nil {
			return nil, err
		}
		err = tensors.ConstFlatData(out[0], func(flat []O) { outputs = append(outputs, flat[:count]...) })
		finalize(out...)
		if err != nil {
			return nil, fmt.Errorf("dpsgd: reading outputs: %w", err)
		}
	}
	return outputs, nil
}
