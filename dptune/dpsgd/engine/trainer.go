package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/gomlx/compute"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/dpsgd/internal/job"
	"github.com/dplab/dplab/dptune/dpsgd/internal/program"
	"github.com/dplab/dplab/dptune/streams"
)

// Trainer trains one model. It may run many times, also at the same time. [Replicas] trains many,
// and has what a [dpsgd.Plan] adds to a [dpsgd.Config].
type Trainer struct{ replicas *Replicas }

// NewTrainer returns a trainer of one model on a data set, or every fault of its arguments, joined.
// It is [NewReplicas] of the config's plan. performance is at most one; without it, the zero value.
func NewTrainer(model dpsgd.Model, train data.Dataset, config dpsgd.Config, performance ...Performance) (*Trainer, error) {
	replicas, err := NewReplicas(model, train, config.Plan(), performance...)
	if err != nil {
		return nil, err
	}
	return &Trainer{replicas}, nil
}

// Run trains the model, as [Replicas.Run] does its first, and returns when it is done, or at the
// first error, or soon after the context ends.
func (t *Trainer) Run(ctx context.Context, root streams.Root) (*Result, error) {
	results, err := t.replicas.Run(ctx, root)
	if err != nil {
		return nil, err
	}
	return results.Model(0), nil
}

// Replicas trains the models of a [dpsgd.Plan] as one program. It may run many times, also at the same time.
type Replicas struct {
	model     dpsgd.Model
	size      int // parameters of the model
	plan      prepared
	examples  int          // rows of the data, without crafted ones
	train     data.Dataset // with the rows of crafted examples
	perf      Performance
	backend   compute.Backend
	generator dpsgd.Generator // of the words of the noise
	program   program.Step
	programs  *job.Programs

	createFile checkpoint.Create // of checkpoints
}

// NewReplicas returns a trainer of the plan's models on a data set, or every fault of its
// arguments, joined. performance is at most one; without it, the zero value.
//
// It validates the data set's values as well: a NaN or infinite feature is refused with its row and
// column. Layers and losses that are not package nn's own are tried, see [CheckLayer], and so are a
// [dpsgd.Clipping] and an [dpsgd.Optimizer] that are not this package's. The data set is not copied and must not
// change while the trainer is in use; nor must the plan's Initial and Probes.
func NewReplicas(model dpsgd.Model, train data.Dataset, given dpsgd.Plan, performance ...Performance) (*Replicas, error) {
	perf, err := onePerformance(performance)
	if err != nil {
		return nil, err
	}
	if err := validateRun(model, train, given, perf); err != nil {
		return nil, err
	}
	size := model.Size()
	examples := train.Len()
	p := prepared{given.Clone()}
	train, err = p.withCanaries(train)
	if err == nil {
		err = wrapped(model.ValidateRows(train))
	}
	if err != nil {
		return nil, err
	}
	t := &Replicas{
		model: model, size: size, plan: p, examples: examples, train: train,
		perf: perf.forRun(model, examples, p),

		createFile: checkpoint.CreateFile,
	}
	if err := checkMemory(model, examples, p, t.perf); err != nil {
		return nil, err
	}
	if err := t.compile(); err != nil {
		return nil, err
	}
	if err := errors.Join(t.checkForeign(), t.checkClipping(), t.checkOptimizer()); err != nil {
		return nil, err
	}
	return t, nil
}

// validateRun returns every fault of the arguments that can be told, joined.
func validateRun(model dpsgd.Model, train data.Dataset, given dpsgd.Plan, perf Performance) error {
	fault := check.In("dpsgd: ")
	if err := train.Validate(); err != nil {
		fault.Add(fmt.Errorf("dpsgd: %w", err))
		fault.Add(wrapped(model.Validate()))
	} else {
		fault.Add(wrapped(model.ValidateFor(train.Shape, train.Classes)))
	}
	fault.That(train.Len() < math.MaxInt32, "number of examples", train.Len(), "must be below 2^31 - 1") // one more may be crafted
	fault.Add(perf.Validate())
	fault.That(given.Weights == nil || perf.Checkpoint.Dir == "", "Plan.Weights", "is given",
		"must be nil with Performance.Checkpoint: a run that is taken up would not call it for the steps before (Plan.Probes are kept whole)")
	err := given.ValidateFor(model, train.Len())
	fault.Add(err)
	if model.Validate() == nil && model.Size() == 0 {
		fault.Add(fmt.Errorf("dpsgd: model %q: has no weights: must have some to train", model.Name))
	}
	if model.Validate() == nil && err == nil {
		fault.Add(prepared{given}.validateClipNumbers(len(model.LayerSizes())))
	}
	return fault.Err()
}

// compile opens the backend and makes the programs; they are compiled when first called.
func (t *Replicas) compile() (err error) {
	if t.backend, err = backend.Open(t.perf.Backend); err != nil {
		return err
	}
	t.generator = t.plan.Generator.On(t.perf.Backend)
	t.program = t.step()
	t.programs, err = job.Compile(t.backend, t.program)
	return err
}

// Plan returns the plan that runs.
func (t *Replicas) Plan() dpsgd.Plan { return t.plan.Clone() }

// Model returns the model that is trained.
func (t *Replicas) Model() dpsgd.Model { return t.model }

// Performance returns the settings in use, defaults filled in.
func (t *Replicas) Performance() Performance { return t.perf }

// Run trains all replicas, replica i from the child "replica i" of root, and returns when
// they are done, or at the first error, or soon after the context ends.
//
// From a secret root, runs draw independently of each other if they differ in their data, model,
// plan, or a setting that moves rounding; the same run draws the same numbers again. Each release
// costs as much as the first. That two are equal tells that they are the same run: where it must
// stay secret whether the data changed, take a root for each. Layers, a loss, a clipping or an optimizer that are code of
// yours cannot be compared: every such run draws anew, see [Checkpoint].
//
// From a fixed root every run draws the same noise, for figures that are to repeat.
func (t *Replicas) Run(ctx context.Context, root streams.Root) (*Results, error) {
	if err := root.Validate(); err != nil {
		return nil, fmt.Errorf("dpsgd: %w", err)
	}
	roots := make([]streams.Root, len(t.plan.Replicas))
	for r := range roots {
		roots[r] = root.Child("replica " + strconv.Itoa(r))
	}
	return t.RunEach(ctx, roots)
}

// RunEach is Run with a root for each replica, none of them twice. With fixed roots a replica's
// result depends on its config and its root alone, whatever else shares the run; on the go
// backend to the last bit, if Performance.Microbatch is the same, whose default depends on the
// largest batch of all.
func (t *Replicas) RunEach(ctx context.Context, roots []streams.Root) (*Results, error) {
	if err := validateRoots(roots, len(t.plan.Replicas)); err != nil {
		return nil, err
	}
	if t.perf.Precision == Float64 {
		return run[float64](ctx, t, roots)
	}
	return run[float32](ctx, t, roots)
}

func validateRoots(roots []streams.Root, want int) error {
	if len(roots) != want {
		return fmt.Errorf("dpsgd: %d roots: must be %d, one for each replica", len(roots), want)
	}
	seen := map[streams.Root]int{}
	for r, root := range roots {
		if err := root.Validate(); err != nil {
			return fmt.Errorf("dpsgd: roots[%d]: %w", r, err)
		}
		if first, twice := seen[root]; twice {
			return fmt.Errorf("dpsgd: roots[%d] is roots[%d] again: must be its own, or their noise is the same", r, first)
		}
		seen[root] = r
	}
	return nil
}

// wrapped names this package in an error of another one, unless it is nil.
func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("dpsgd: %w", err)
}
