package game

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/audit/record"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// OneRun returns the training on a data set as one run of the engine: all steps from one root, on
// any backend, several in a call if Performance asks for it.
//
//	claim := record.Config{Claim: config.Event()}
//	report, err := record.Run(engine.OneRun(ctx, root), train, neighbors, claim)
//
// Its queries are the noisy sums of a run whose learning rate is 0. The initial weights stay, and
// neighbors can be compared at every step. Their noise is that of a run on no data that moves. SGD,
// with the config's momentum and decay, must lead from its noisy sums to the final weights of that
// run. The same holds for a run on the data that moves. Adam's weights are not checked.
//
// It is only one replica. Noise that is the same in every run shows in Recorded.Mechanism. Noise
// that replicas share shows in neither. For Config.Steps of several hundreds it is still quick:
// each data set takes three runs.
func (g Recorded) OneRun(ctx context.Context, root streams.Root) record.Mechanism[data.Dataset] {
	return func(train data.Dataset, session *record.Session) error {
		if err := g.validate(root); err != nil {
			return err
		}
		weights := g.Model.Init(root.Rand("initial weights"))
		released, err := g.hold(ctx, train, weights, root)
		if err != nil {
			return err
		}
		noise, err := g.move(ctx, train.Subset("nobody", nil), weights, root, session)
		if err != nil {
			return err
		}
		for t := range released {
			if _, err := session.Release(g.query(released[t], noise[t])); err != nil {
				return err
			}
		}
		_, err = g.move(ctx, train, weights, root, session)
		return err
	}
}

// hold returns the noisy sums of a run that stays at some weights.
func (g Recorded) hold(ctx context.Context, train data.Dataset, weights []float64, root streams.Root) ([][]float64, error) {
	plan := g.plan(weights)
	plan.Schedule = func(int) float64 { return 0 }
	result, err := g.run(ctx, train, plan, root)
	if err != nil {
		return nil, err
	}
	return result.Probes, nil
}

// move returns the noisy sums of a run that moves from some weights, and notes its final weights.
func (g Recorded) move(ctx context.Context, train data.Dataset, weights []float64, root streams.Root, session *record.Session) ([][]float64, error) {
	result, err := g.run(ctx, train, g.plan(weights), root)
	if err != nil {
		return nil, err
	}
	if result.Diverged {
		return nil, fmt.Errorf("game: the training diverged: Recorded.Config.LearningRate %g must be less", g.Config.LearningRate)
	}
	sgd, is := g.Config.Optimizer.(dpsgd.SGD)
	if is || g.Config.Optimizer == nil {
		want, rounding := g.follow(weights, result.Probes, sgd.Momentum)
		session.Output(fmt.Sprintf("final weights on %d examples", train.Len()), result.Parameters.Values[0], want, rounding)
	}
	return result.Probes, nil
}

// follow returns the weights that SGD with a momentum makes of noisy sums. It also returns the
// largest rounding error of an engine.
func (g Recorded) follow(weights []float64, sums [][]float64, momentum float64) (moved []float64, rounding float64) {
	moved = append([]float64(nil), weights...)
	velocity, decay := make([]float64, len(weights)), 1-g.Config.LearningRate*g.Config.WeightDecay
	mostWeight, mostVelocity := largest(weights), 0.
	for _, sum := range sums {
		for i, v := range sum {
			velocity[i] = momentum*velocity[i] + v
			moved[i] = decay*moved[i] - g.rate()*velocity[i]
		}
		mostWeight, mostVelocity = max(mostWeight, largest(moved)), max(mostVelocity, largest(velocity))
	}
	unit := 0x1p-24
	if g.Performance.Precision == engine.Float64 {
		unit = 0x1p-52 // follow rounds as well
	}
	steps := float64(len(sums))
	return moved, 8 * unit * steps * (mostWeight + g.rate()*mostVelocity/(1-momentum))
}

// Proof of follow's rounding, u the unit roundoff, m the momentum, r the rate, up to terms in u².
// The numbers m, r and the decay are rounded once. A step of v ← m v + s is wrong by at most m
// times the last one's error and 3u max|v|, together 3u max|v|/(1-m). A step of w ← d w - r v adds
// 3u max|w| to the error so far, and r (3/(1-m) + 2) u max|v| <= 5 u r max|v|/(1-m). In all that is
// less than 8u (max|w| + r max|v|/(1-m)) a step, which leaves room for u².

func largest(values []float64) float64 {
	most := 0.
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	return most
}
