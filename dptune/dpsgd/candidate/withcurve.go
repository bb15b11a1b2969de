package candidate

import (
	"context"
	"errors"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/streams"
)

// WithCurve is DPSGD whose outputs have a learning curve on public data. A search releases the
// winner's curve with its weights. The curve costs nothing, because the price of a run covers its
// weights after every step. The same search without curves draws and releases the same weights.
type WithCurve[H any] struct {
	DPSGD[H]

	// Evaluate has the public data, which must be neither in Train nor, unless PublicValidation is
	// set, in Validation (see its Declared). Its Progress must be nil, because the number of runs and
	// the losers' curves are secret.
	Evaluate dpsgd.Evaluation
}

// Trained is a model and its learning curve.
type Trained struct {
	Parameters dpsgd.Parameters
	Curve      dpsgd.LearningCurve
}

// As for DPSGD.
var (
	_ dptune.NoiseTruncated[float64]     = WithCurve[float64]{}
	_ dptune.Assuming                    = WithCurve[float64]{}
	_ dptune.AssumingOf[float64]         = WithCurve[float64]{}
	_ dptune.Identified[float64]         = WithCurve[float64]{}
	_ dptune.Candidate[float64, Trained] = WithCurve[float64]{}
)

// Event returns the event of DPSGD, or every fault.
func (c WithCurve[H]) Event(h H) (accounting.Event, error) {
	event, err := c.DPSGD.Event(h)
	if err != nil {
		return nil, err
	}
	r, err := c.runOf(h)
	if err != nil {
		return nil, err
	}
	r.plan.Evaluate = &c.Evaluate
	if err := errors.Join(r.plan.ValidateFor(r.model, c.Train.Len()), c.validateEvaluation()); err != nil {
		return nil, err
	}
	return event, nil
}

func (c WithCurve[H]) validateEvaluation() error {
	if c.Evaluate.Progress != nil {
		return errors.New("candidate: WithCurve.Evaluate.Progress is given: must be nil, since the number of runs is secret")
	}
	err := c.Evaluate.ValidatePublic("candidate: WithCurve.Evaluate", c.Train)
	if err == nil && !c.PublicValidation {
		err = c.Evaluate.ValidatePublic("candidate: WithCurve.Evaluate", c.Validation)
	}
	return err
}

// Assumptions returns those of DPSGD, and that the data of the curve are public.
func (c WithCurve[H]) Assumptions() []string {
	return append(c.DPSGD.Assumptions(), c.Evaluate.Assumption())
}

// RunAll is DPSGD's, with learning curves.
func (c WithCurve[H]) RunAll(ctx context.Context, hs []H, roots []streams.Root) ([]dptune.Outcome[Trained], error) {
	if err := c.validateEvaluation(); err != nil {
		return nil, err
	}
	return c.runAll(ctx, hs, roots, &c.Evaluate)
}
