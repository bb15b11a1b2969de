package dpsgd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/sampling"
)

// Evaluator says what models of one shape make of some examples. It compiles once, runs many
// models in one call, and leaves the examples on a device that has its own memory: for whoever
// asks again and again, such as after every tenth step. It may be used by several goroutines.
//
// What it says of private examples is private itself, and not covered by the guarantee of the
// models: see dptune.PrivateAccuracy.
type Evaluator struct {
	model    Model
	examples data.Dataset
	perf     Performance
	backend  compute.Backend
	device   bool // with memory of its own

	classes, losses, outputs *graph.Exec
	gather                   func(entries []int32) []*tensors.Tensor   // rows [1, B, F] and labels [1, B]
	stack                    func(weights [][]float64) *tensors.Tensor // [R, P]

	mutex sync.Mutex
	kept  [][]*tensors.Tensor // on the device, microbatch after microbatch
}

// NewEvaluator returns the evaluator of a model on examples, whose labels must be valid, or every
// fault of its arguments. Of perf it uses Backend, Precision, Microbatch, Chunk, Goroutines and
// MemoryLimit. The examples are not copied and must not change while it is in use.
//
// On the go backend each model runs by itself, so that what is said of it has the same bits whatever
// others there are. On others the models of a chunk run together, and results agree up to rounding.
func NewEvaluator(model Model, examples data.Dataset, perf Performance) (*Evaluator, error) {
	if err := examples.Validate(); err != nil {
		return nil, fmt.Errorf("dpsgd: %w", err)
	}
	if err := errors.Join(wrapped(model.ValidateFor(examples.Shape, examples.Classes)), perf.Validate()); err != nil {
		return nil, err
	}
	if err := wrapped(model.ValidateRows(examples)); err != nil {
		return nil, err
	}
	e := &Evaluator{model: model, examples: examples, perf: perf.withDefaults(model, math.MaxInt32, float64(examples.Len()))}
	e.perf.Chunk = perf.Chunk // the default depends on how many models there are
	_, e.device = backend.DeviceMemory(e.perf.Backend)
	if e.perf.Precision == Float64 {
		prepareEvaluator[float64](e)
	} else {
		prepareEvaluator[float32](e)
	}
	if err := e.compile(); err != nil {
		return nil, err
	}
	return e, nil
}

// prepareEvaluator sets what depends on the precision.
func prepareEvaluator[T arrays.Real](e *Evaluator) {
	rows := newTable[T](e.examples.Features, e.examples.Labels, e.examples.Width())
	e.gather = func(entries []int32) []*tensors.Tensor {
		inputs := rows.microbatch([][]int32{entries})
		arrays.Finalize(inputs[1], inputs[3])
		return []*tensors.Tensor{inputs[0], inputs[2]}
	}
	e.stack = func(weights [][]float64) *tensors.Tensor { return arrays.Stacked[T](weights, e.model.Size()) }
}

// compile makes the programs, which are compiled when they are first called.
func (e *Evaluator) compile() (err error) {
	if e.backend, err = backend.Open(e.perf.Backend); err != nil {
		return err
	}
	defer arrays.RecoverAs(&err, "building the program")
	s := graphs{model: e.model, size: e.model.Size()}
	for _, p := range []struct {
		exec    **graph.Exec
		program func(weights, rows, labels *graph.Node) *graph.Node
	}{{&e.classes, s.classes}, {&e.losses, s.losses}, {&e.outputs, s.outputs}} {
		if *p.exec, err = graph.NewExec(e.backend, p.program); err != nil {
			return fmt.Errorf("dpsgd: building the program: %w", err)
		}
		(*p.exec).SetMaxCache(-1) // one for each number of models
	}
	return nil
}

// finalize frees what lies on the device.
func (e *Evaluator) finalize() {
	for _, inputs := range e.kept {
		arrays.Finalize(inputs...)
	}
	e.classes.Finalize()
	e.losses.Finalize()
	e.outputs.Finalize()
}

// inputs returns microbatch number i, ready for several calls at a time, how many examples it has,
// and what is to be done with it afterwards.
func (e *Evaluator) inputs(i int) (inputs []*tensors.Tensor, count int, done func(), err error) {
	count = min(e.perf.Microbatch, e.examples.Len()-i*e.perf.Microbatch)
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if i < len(e.kept) {
		return e.kept[i], count, func() {}, nil
	}
	entries := make([]int32, e.perf.Microbatch)
	for b := range entries {
		entries[b] = sampling.Padding
		if b < count {
			entries[b] = int32(i*e.perf.Microbatch + b)
		}
	}
	inputs = e.gather(entries)
	for _, input := range inputs {
		// Beforehand: tensors (GoMLX v0.28.3) get lost when two calls at a time move them.
		if err := input.MaterializeOnDevice(e.backend, true, 0); err != nil {
			arrays.Finalize(inputs...)
			return nil, 0, nil, fmt.Errorf("dpsgd: copying the examples to the device: %w", err)
		}
	}
	if e.device && i == len(e.kept) {
		e.kept = append(e.kept, inputs)
		return inputs, count, func() {}, nil
	}
	return inputs, count, func() { arrays.Finalize(inputs...) }, nil
}

// chunk returns how many of some models run in one call: as many as Performance.Chunk says, or as
// keep its values in a part of the memory.
func (e *Evaluator) chunk(models int) int {
	if e.perf.Backend == backend.Go || e.model.Size() == 0 {
		return 1
	}
	number, memory := int64(4), int64(1<<30)
	if e.perf.Precision == Float64 {
		number = 8
	}
	if bytes, device := backend.DeviceMemory(e.perf.Backend); device {
		memory = bytes / 2
	}
	memory /= int64(e.perf.Goroutines) * 2
	each := saturated(number, 2*int64(e.model.Size())+saturated(int64(e.perf.Microbatch), e.model.ValuesPerExample()))
	most := max(1, min(int64(models), memory/each))
	if e.perf.Chunk > 0 {
		most = min(most, int64(e.perf.Chunk))
	} else if !e.device {
		most = min(most, int64((models+e.perf.Goroutines-1)/e.perf.Goroutines))
	}
	return evenChunk(models, int(most))
}

// evaluate runs a program on all examples, chunk after chunk of the models, perf.Goroutines of
// them at once. O is the type of the program's outputs, of which there are width for an example.
func evaluate[O int32 | float64](ctx context.Context, e *Evaluator, exec *graph.Exec, p Parameters, width int) ([][]O, error) {
	if err := p.validateFor(e.model); err != nil {
		return nil, err
	}
	outputs, size := make([][]O, len(p.Values)), e.chunk(len(p.Values))
	weights := make([]*tensors.Tensor, sampling.Count(len(outputs), size))
	for i := range weights {
		weights[i] = e.stack(p.Values[i*size : min((i+1)*size, len(p.Values))])
	}
	defer arrays.Finalize(weights...)
	for r := range outputs {
		outputs[r] = make([]O, 0, e.examples.Len()*width)
	}
	for part := range sampling.Count(e.examples.Len(), e.perf.Microbatch) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("dpsgd: stopped after example %d of %d: %w", len(outputs[0])/width, e.examples.Len(), err)
		}
		inputs, count, done, err := e.inputs(part)
		if err != nil {
			return nil, err
		}
		err = inTurn(len(weights), e.perf.Goroutines, func(i int) error {
			return appendOutputs(exec, weights[i], inputs, count*width, outputs[i*size:min((i+1)*size, len(outputs))])
		})
		done()
		if err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// appendOutputs runs a program on a microbatch and appends so many numbers that it says of its
// examples, the first ones, to the lists of its models.
func appendOutputs[O int32 | float64](exec *graph.Exec, weights *tensors.Tensor, inputs []*tensors.Tensor, count int, lists [][]O) error {
	out, err := arrays.Call(exec, "evaluating the model", weights, inputs[0], inputs[1])
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
		return fmt.Errorf("dpsgd: reading outputs: %w", err)
	}
	return nil
}

// inTurn calls do for 0 to n-1, so many at a time, and returns all errors, joined.
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
