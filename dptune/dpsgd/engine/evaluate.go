package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/job"
	"github.com/dplab/dplab/dptune/dpsgd/internal/memory"
)

// Evaluator evaluates models of one shape on fixed examples. It compiles once, runs many models in
// one call, and keeps the examples on a device with its own memory. Use it for repeated evaluation,
// such as after every tenth step. Several goroutines may use it.
//
// Its results on private examples are private, and the guarantee of the models does not cover them:
// see dptune.PrivateAccuracy.
type Evaluator struct {
	model    dpsgd.Model
	examples data.Dataset
	perf     Performance
	engine   *job.Evaluator

	calls  int  // calls at the same time, which share the memory
	joined bool // models of a group run together on the go backend too
}

// NewEvaluator returns the evaluator of a model on examples, or every fault of its arguments. The
// labels must be valid. At most one performance may be given; Backend, Precision, Microbatch,
// ReplicasPerCall, Goroutines and MemoryLimit are used. The examples are not copied and must not
// change while the evaluator is in use.
//
// On the go backend each model runs by itself, so the bits of its results do not depend on other
// models. On other backends the models of a group run together, and results agree up to rounding.
func NewEvaluator(model dpsgd.Model, examples data.Dataset, performance ...Performance) (*Evaluator, error) {
	perf, err := onePerformance(performance)
	if err != nil {
		return nil, err
	}
	if err := examples.Validate(); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	if err := errors.Join(wrapped(model.ValidateFor(examples.Shape, examples.Classes)), perf.Validate()); err != nil {
		return nil, err
	}
	if err := wrapped(model.ValidateRows(examples)); err != nil {
		return nil, err
	}
	e := &Evaluator{model: model, examples: examples, calls: 1, perf: perf.withDefaults(model, math.MaxInt32, float64(examples.Len()))}
	e.perf.ReplicasPerCall = perf.ReplicasPerCall // the default depends on the number of models
	_, device := backend.DeviceMemory(e.perf.Backend)
	on, err := backend.Open(e.perf.Backend)
	if err != nil {
		return nil, err
	}
	evaluation := job.Evaluation{
		Model: model, Examples: examples, Backend: on, OwnMemory: device, Microbatch: e.perf.Microbatch, Goroutines: e.perf.Goroutines, GroupSize: e.groupSize,
	}
	if e.perf.Precision == Float64 {
		e.engine, err = job.NewEvaluator[float64](evaluation)
	} else {
		e.engine, err = job.NewEvaluator[float32](evaluation)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// groupSize returns how many models run in one call: Performance.ReplicasPerCall, or as many as fit
// into a part of the memory.
func (e *Evaluator) groupSize(models int) int {
	if e.perf.Backend == backend.Go && !e.joined || e.model.Size() == 0 {
		return 1
	}
	number, room := int64(4), int64(1<<30)
	if e.perf.Precision == Float64 {
		number = 8
	}
	bytes, device := backend.DeviceMemory(e.perf.Backend)
	if device {
		room = bytes / 2
	}
	room /= int64(e.perf.Goroutines*e.calls) * 2
	each := memory.Saturated(number, 2*int64(e.model.Size())+memory.Saturated(int64(e.perf.Microbatch), e.model.ValuesPerExample()))
	most := max(1, min(int64(models), room/each))
	if e.perf.ReplicasPerCall > 0 {
		most = min(most, int64(e.perf.ReplicasPerCall))
	} else if !device {
		most = min(most, int64((models+e.perf.Goroutines-1)/e.perf.Goroutines))
	}
	return evenGroup(models, int(most))
}
