package game

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// canarySet is shared by all trainings of a OneRun.
type canarySet struct {
	OneRun
	root     streams.Root
	initial  dpsgd.Parameters
	canaries dpsgd.Canaries // In belongs to each training

	// traces returns how much each of some models of so many steps looks trained with each canary,
	// [model][canary]. The scale is up to the effect of the data on that canary's trace.
	traces func(ctx context.Context, models dpsgd.Parameters, steps int) ([][]float64, error)
}

// prepare fixes the canaries and the initial weights.
func (g OneRun) prepare(root streams.Root) (canarySet, error) {
	s := canarySet{OneRun: g, root: root, initial: dpsgd.Parameters{Tensors: g.Model.Tensors(), Values: [][]float64{g.Model.Init(root.Rand("initial weights"))}}}
	switch size := g.Model.Size(); {
	case g.Coordinates > 0:
		s.canaries.Coordinates = root.Rand("coordinates").Perm(size)[:g.Coordinates]
		s.traces = s.alongGradients
		return s, s.validateTraces()
	case g.Directions > 0:
		rng := root.Rand("directions")
		for range g.Directions {
			direction := make([]float64, size)
			for i := range direction {
				direction[i] = rng.NormFloat64()
			}
			scale := g.Config.ClipNorm / norm(direction)
			for i := range direction {
				direction[i] *= scale
			}
			s.canaries.Gradients = append(s.canaries.Gradients, direction)
		}
		s.traces = s.alongGradients
	default:
		return s, s.takeExamples()
	}
	return s, nil
}

// validateTraces returns an error if no step of the training can move some of the weights.
func (s *canarySet) validateTraces() error {
	count := 0
	for _, at := range s.canaries.Coordinates {
		if void(s.Config, s.Performance.Precision, s.initial.Values[0][at], s.Data.Len()) {
			count++
		}
	}
	if count > 0 {
		return fmt.Errorf("%d of %d canaries leave no trace: OneRun.Config.ClipNorm %g: must be larger, as rounding absorbs a step of ClipNorm times LearningRate/ExpectedBatchSize",
			count, len(s.canaries.Coordinates), s.Config.ClipNorm)
	}
	return nil
}

// takeExamples makes the examples the canaries.
func (s *canarySet) takeExamples() error {
	if err := s.Examples.Validate(); err != nil {
		return fmt.Errorf("OneRun.Examples: %w", err)
	}
	first := map[string]int{}
	for i := range s.Examples.Len() {
		x := dpsgd.Example{Features: s.Examples.Row(i), Label: s.Examples.Labels[i], Targets: s.Examples.Target(i)}
		key := fmt.Sprint(x)
		if j, twice := first[key]; twice {
			return fmt.Errorf("OneRun.Examples: row %d repeats row %d: must differ, as equal canaries have equal scores", i, j)
		}
		first[key] = i
		s.canaries.Examples = append(s.canaries.Examples, x)
	}
	evaluator, err := engine.NewEvaluator(s.Model, s.Examples, s.Performance)
	s.traces = func(ctx context.Context, models dpsgd.Parameters, _ int) ([][]float64, error) {
		losses, err := evaluator.Losses(ctx, models)
		for _, row := range losses {
			for i := range row {
				row[i] = -row[i]
			}
		}
		return losses, err
	}
	return err
}

// alongGradients gives the traces of crafted gradients: how far the weights are moved against them,
// in standard deviations of the noise of the steps.
func (s *canarySet) alongGradients(_ context.Context, models dpsgd.Parameters, steps int) ([][]float64, error) {
	c := s.Config
	unit := c.LearningRate / c.ExpectedBatchSize * c.NoiseStdDev() * math.Sqrt(float64(steps))
	traces := matrix(len(models.Values), s.canaries.Len())
	for r, weights := range models.Values {
		for i, at := range s.canaries.Coordinates {
			traces[r][i] = -weights[at] / unit
		}
		for i, gradient := range s.canaries.Gradients {
			traces[r][i] = -dot(weights, gradient) / (c.ClipNorm * unit)
		}
	}
	return traces, nil
}

// run trains and adds the scores to a result.
func (s *canarySet) run(ctx context.Context, result *OneRunResult) error {
	meter := newMeter(s.Progress, s.Simulations+s.trainings())
	origin, err := s.baseline(ctx, result, meter)
	if err != nil {
		return err
	}
	coins := make([][]bool, s.trainings())
	for r := range coins {
		rng := s.child(training, r).Rand("canaries")
		for range s.canaries.Len() {
			coins[r] = append(coins[r], data.Coin(0.5, rng))
		}
	}
	return s.train(ctx, training, coins, result, meter, func(at, first int, traces [][]float64) {
		for r, row := range traces {
			var one audit.Scores
			for i, trace := range row {
				if score := trace - origin[at][i]; coins[first+r][i] {
					one.Member = append(one.Member, score)
				} else {
					one.NonMember = append(one.NonMember, score)
				}
			}
			o := &result.Observed[at]
			o.Trainings = append(o.Trainings, one)
			o.Scores.Member, o.Scores.NonMember = append(o.Scores.Member, one.Member...), append(o.Scores.NonMember, one.NonMember...)
		}
	})
}

// baseline returns the origin of the scores, [observed][canary]: the mean traces of trainings
// without canaries, or the traces of the initial weights.
func (s *canarySet) baseline(ctx context.Context, result *OneRunResult, meter *meter) ([][]float64, error) {
	mean := matrix(len(s.observe()), s.canaries.Len())
	if s.Simulations == 0 {
		for at, steps := range s.observe() {
			traces, err := s.traces(ctx, s.initial, steps)
			if err != nil {
				return nil, err
			}
			mean[at] = traces[0]
		}
		return mean, nil
	}
	err := s.train(ctx, simulation, make([][]bool, s.Simulations), result, meter, func(at, _ int, traces [][]float64) {
		for _, row := range traces {
			floats.AddScaled(mean[at], 1/float64(s.Simulations), row)
		}
		if s.SimulateNoise {
			result.Observed[at].Simulated = append(result.Observed[at].Simulated, traces...)
		}
	})
	others := float64(s.Simulations) / float64(s.Simulations-1) // x less the mean of the others is so many times x less the mean
	for at, o := range result.Observed {
		for _, row := range o.Simulated {
			floats.Sub(row, mean[at])
			floats.Scale(others, row)
		}
	}
	return mean, err
}

// The kinds of trainings: with canaries, and without.
const training, simulation = "training", "simulation"

// config returns the config of one kind. Unless asked for, simulations of gradients have no noise,
// which would blur the scores. A loss depends on the noise.
func (s *canarySet) config(kind string) dpsgd.Config {
	c := s.Config
	if kind == simulation && s.Examples.Len() == 0 && !s.SimulateNoise {
		c.NonPrivate, c.NoiseMultiplier = true, 0
	}
	return c
}

// child returns the root of one training.
func (s *canarySet) child(kind string, number int) streams.Root {
	return s.root.Child(fmt.Sprintf("%s %d", kind, number))
}

// sameBatches reports whether all trainings have the same batches anyhow: all data at every step,
// and no canary among them. What needs only those batches is then done once.
func (s *canarySet) sameBatches() bool {
	return s.Config.Sampling == dpsgd.FullBatch{} && s.Examples.Len() == 0
}

// train trains a model for each row of in, which gives its canaries. It trains so many at a time
// that their weights take 1 GiB at most. It hands over the traces of each lot after each observed
// number of steps, with the number of the lot's first model.
func (s *canarySet) train(ctx context.Context, kind string, in [][]bool, result *OneRunResult, meter *meter, each func(at, first int, traces [][]float64)) error {
	const values = 1 << 27
	observe := s.observe()
	most := max(1, values/s.Model.Size()/len(observe))
	for first := 0; first < len(in); first += most {
		lot := in[first:min(first+most, len(in))]
		plan := dpsgd.Plan{Replicas: slices.Repeat([]dpsgd.Config{s.config(kind)}, len(lot)), Initial: &s.initial, SharedBatches: s.sameBatches()}
		if kind == training {
			canaries := s.canaries
			canaries.In, canaries.At = lot, s.At
			plan.Canaries = &canaries
		}
		plan.Progress = func(p dpsgd.Progress) { // the end is reported with the scores
			if p.Step < p.Steps {
				meter.tell(len(lot) * p.Step / p.Steps)
			}
		}
		seen := make([]dpsgd.Parameters, len(observe))
		for at, steps := range observe {
			if steps == s.Config.Steps {
				continue // these weights are in the result
			}
			seen[at] = dpsgd.Parameters{Tensors: s.initial.Tensors, Values: matrix(len(lot), s.Model.Size())}
			plan.WeightsAt = func(step int) bool { return step+1 < s.Config.Steps && slices.Contains(observe, step+1) }
			plan.Weights = func(step, model int, weights []float64) {
				copy(seen[slices.Index(observe, step+1)].Values[model], weights)
			}
		}
		trainer, err := engine.NewReplicas(s.Model, s.Data, plan, s.Performance)
		if err != nil {
			return err
		}
		roots := make([]streams.Root, len(lot))
		for r := range roots {
			roots[r] = s.child(kind, first+r)
		}
		out, err := trainer.RunEach(ctx, roots)
		if err != nil {
			return err
		}
		if slices.Contains(out.Diverged, true) {
			return errors.New("a training diverged: OneRun.Config.LearningRate must be less")
		}
		result.Warnings = append(result.Warnings, out.Warnings...)
		for at, models := range seen {
			if observe[at] == s.Config.Steps {
				models = out.Parameters
			}
			traces, err := s.traces(ctx, models, observe[at])
			if err != nil {
				return err
			}
			each(at, first, traces)
		}
		meter.add(len(lot))
	}
	return nil
}
