package candidate

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// timedSteps is the number of timed steps of a run, after its first.
const timedSteps = 10

// Time returns the approximate time of a single run with h on this machine, without its score, for
// dptune.Budget.OneRun. It times a few steps on random examples and extrapolates to all steps. No
// record is read: the examples only have the number and shape of Train's. Runs that train together
// take less time than one after the other. The time depends on the number of records. Show it only
// to their holder.
func (c DPSGD[H]) Time(ctx context.Context, h H) (time.Duration, error) {
	r, err := c.runOf(h)
	if err != nil {
		return 0, err
	}
	config, n := r.config(), c.Train.Len()
	made := data.Dataset{
		Name: "made up", Shape: c.Train.Shape, Classes: c.Train.Classes,
		Features: make([]float32, n*c.Train.Width()), Labels: make([]int32, n),
	}
	if loss, is := r.model.Loss.(nn.TargetLoss); is {
		made.TargetShape, made.Targets = c.Train.TargetShape, make([]float32, n*c.Train.TargetWidth())
		for i := range n {
			loss.DrawTarget(rand.New(rand.NewPCG(1, uint64(i))), made.Target(i))
		}
	}
	train := func(steps int) (time.Duration, error) {
		short := r.plan.Clone()
		short.Replicas[0] = withoutPhases(config)
		short.Replicas[0].Steps = steps
		perf := c.Performance
		perf.Checkpoint = engine.Checkpoint{}
		start := time.Now()
		trainer, err := engine.NewReplicas(r.model, made, short, perf)
		if err != nil {
			return 0, err
		}
		_, err = trainer.Run(ctx, streams.Fixed("time of a run"))
		return time.Since(start), err
	}
	first, err := train(1)
	if err != nil || config.Steps == 1 {
		return first, err
	}
	more := min(timedSteps, config.Steps-1)
	some, err := train(1 + more)
	if err != nil {
		return 0, err
	}
	each := max(0, some-first) / time.Duration(more) // a compiler with a cache may make the second run faster
	return first + each*time.Duration(config.Steps-1), nil
}

// withoutPhases returns the config of steps at the mean sampling rate of a config with phases.
func withoutPhases(c dpsgd.Config) dpsgd.Config {
	base, is := c.Sampling.(dpsgd.Poisson)
	if len(c.Phases) > 0 && is {
		mean := 0.0
		for _, p := range c.Phases {
			mean += cmp.Or(p.SamplingRate, base.Rate) * float64(p.Steps) / float64(c.Steps)
		}
		c.Sampling = dpsgd.Poisson{Rate: min(1, mean)}
	}
	c.Phases = nil
	return c
}
