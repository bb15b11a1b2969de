package engine

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/dpsgd/internal/job"
	"github.com/dplab/dplab/dptune/streams"
)

// Trainer trains one model. It may run many times, also concurrently. [Replicas] trains many
// models, with all that a [dpsgd.Plan] adds to a [dpsgd.Config].
type Trainer struct{ replicas *Replicas }

// NewTrainer returns a trainer of one model on a data set, or every fault of its arguments, joined.
// It is [NewReplicas] of the config's plan. At most one performance may be given; the default is
// the zero value.
func NewTrainer(model dpsgd.Model, train data.Dataset, config dpsgd.Config, performance ...Performance) (*Trainer, error) {
	replicas, err := NewReplicas(model, train, config.Plan(), performance...)
	if err != nil {
		return nil, err
	}
	return &Trainer{replicas}, nil
}

// Run trains the model like the first one of [Replicas.Run]. It returns when training is done, at
// the first error, or soon after the context ends. In the last case it returns both an error that
// wraps the context's and the result of the steps that ran. With any other error the result is nil.
func (t *Trainer) Run(ctx context.Context, root streams.Root) (*Result, error) {
	results, err := t.replicas.Run(ctx, root)
	if results == nil {
		return nil, err
	}
	return results.Model(0), err
}

// NewReplicas returns a trainer of the plan's models on a data set, or every fault of its
// arguments, joined. At most one performance may be given; the default is the zero value.
//
// It also checks the values of the data set: the error for a NaN or infinite feature names its row
// and column. It tests your own layers and loss (see [CheckLayer]), [dpsgd.Clipping] and
// [dpsgd.Optimizer]. The data set is not copied. It must not change while the trainer is in use,
// nor must the plan's Initial, Probes and Evaluate.Data. Examples of Evaluate.Data must be public:
// it is an error if they are training examples too, or parts of one data set with them.
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
	p := prepare(given)
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
	if err := t.checkGrid(); err != nil {
		return nil, err
	}
	if err := checkMemory(model, examples, p, t.perf); err != nil {
		return nil, err
	}
	if err := t.compile(); err != nil {
		return nil, err
	}
	if err := t.makeEvaluator(); err != nil {
		return nil, err
	}
	if err := errors.Join(t.checkForeign(), t.checkClipping(), t.checkOptimizer()); err != nil {
		return nil, err
	}
	return t, nil
}

// validateRun returns every fault of the arguments, joined.
func validateRun(model dpsgd.Model, train data.Dataset, given dpsgd.Plan, perf Performance) error {
	fault := check.In("engine: ")
	if err := train.Validate(); err != nil {
		fault.Add(fmt.Errorf("engine: %w", err))
		fault.Add(wrapped(model.Validate()))
	} else {
		fault.Add(wrapped(model.ValidateFor(train.Shape, train.Classes)))
	}
	fault.That(train.Len() < math.MaxInt32, "number of examples", train.Len(), "must be below 2^31 - 1") // one canary more must fit
	fault.Add(perf.Validate())
	fault.That(given.Weights == nil || perf.Checkpoint.Dir == "", "Plan.Weights", "is given",
		"must be nil with Performance.Checkpoint, since a resumed run would miss earlier steps (Plan.Probes are complete)")
	err := given.ValidateFor(model, train.Len())
	fault.Add(err)
	if given.Evaluate != nil {
		fault.Add(given.Evaluate.ValidatePublic("engine: Plan.Evaluate", train))
	}
	if model.Validate() == nil && model.Size() == 0 {
		fault.Add(fmt.Errorf("engine: model %q: has no weights: must have some to train", model.Name))
	}
	if model.Validate() == nil && err == nil {
		fault.Add(prepared{Plan: given}.validateClipNumbers(len(model.LayerSizes())))
	}
	return fault.Err()
}

// compile opens the backend and makes the programs. Each is compiled at its first call.
func (t *Replicas) compile() (err error) {
	if t.backend, err = backend.Open(t.perf.Backend); err != nil {
		return err
	}
	t.generator = t.plan.Generator.On(t.perf.Backend)
	t.program = t.step()
	t.programs, err = job.Compile(t.backend, t.program)
	return err
}
