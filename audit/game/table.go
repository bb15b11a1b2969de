package game

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// table is shared by all games of a OneStep or an EveryStep.
type table struct {
	OneStep
	weights dpsgd.Parameters             // before the step
	unit    []float64                    // direction of the canary
	offset  float64                      // q times the product of the background with unit
	score   func(sums []float64) float64 // of the steps' sums along unit, in units of σC
	rests   bool                         // whether the weights stay where they are
}

// lay fixes the weights, the direction and the background's part.
func (g OneStep) lay(ctx context.Context, root streams.Root) (table, error) {
	t := table{OneStep: g}
	t.weights = dpsgd.Parameters{Tensors: g.Model.Tensors(), Values: [][]float64{g.Model.Init(root.Rand("initial weights"))}}
	background, err := g.backgroundSum(ctx, t.weights)
	if err != nil {
		return table{}, err
	}
	t.unit = g.direction(background)
	t.offset = g.Config.Sampling.Share() * dot(background, t.unit)
	return t, nil
}

// backgroundSum returns the clipped gradients' sum over the whole background.
func (g OneStep) backgroundSum(ctx context.Context, weights dpsgd.Parameters) ([]float64, error) {
	config := g.Config
	config.Sampling = dpsgd.FullBatch{} // sizes the microbatches; the sum itself is of the batch given
	trainer, err := engine.NewReplicas(g.Model, g.Background, config.Plan(), g.Performance)
	if err != nil {
		return nil, err
	}
	all := make([]int32, g.Background.Len())
	for i := range all {
		all[i] = int32(i)
	}
	sums, _, err := trainer.ClippedSums(ctx, weights, [][]int32{all})
	if err != nil {
		return nil, err
	}
	return sums[0], nil
}

// direction returns the unit vector of the canary.
func (g OneStep) direction(background []float64) []float64 {
	unit := make([]float64, len(background))
	if g.Direction == nil {
		least := 0
		for i, v := range background {
			if math.Abs(v) < math.Abs(background[least]) {
				least = i
			}
		}
		unit[least] = 1
		return unit
	}
	length := norm(g.Direction)
	for i, v := range g.Direction {
		unit[i] = v / length
	}
	return unit
}

// run plays all games, some pairs of worlds at a time: results of the engine hold all weights, and
// nobody needs them here.
func (t table) run(ctx context.Context, root streams.Root) (audit.Scores, error) {
	const pairs, values = 128, 1 << 23 // of one run of the engine
	most := max(1, min(pairs, values/(2*max(len(t.unit), t.Config.Steps))))
	scores, meter := audit.Scores{}, newMeter(t.Progress, 2*t.Games)
	var trainer *engine.Replicas
	for first := 0; first < t.Games; first += most {
		count := min(most, t.Games-first)
		if trainer == nil || count < most {
			var err error
			if trainer, err = t.trainer(count); err != nil {
				return audit.Scores{}, err
			}
		}
		result, err := trainer.RunEach(ctx, roots(root, first, count))
		if err != nil {
			return audit.Scores{}, err
		}
		for r := range 2 * count {
			t.add(&scores, r, result.Probes[r])
		}
		meter.add(2 * count)
	}
	return scores, nil
}

// trainer returns one that plays count games of each world: even replicas have the canary.
func (t table) trainer(count int) (*engine.Replicas, error) {
	plan := dpsgd.Plan{
		Initial: &t.weights,
		Probes:  [][]float64{t.unit},
		Canary:  &dpsgd.Canary{Gradient: make([]float64, len(t.unit)), In: make([]bool, 2*count)},
	}
	if t.rests {
		plan.Schedule = func(int) float64 { return 0 }
	}
	for i, v := range t.unit {
		plan.Canary.Gradient[i] = t.Config.ClipNorm * v
	}
	for r := range plan.Canary.In {
		plan.Canary.In[r] = member(r)
		plan.Replicas = append(plan.Replicas, t.Config)
	}
	return engine.NewReplicas(t.Model, t.Background, plan, t.Performance)
}

func member(replica int) bool { return replica%2 == 0 }

// roots returns the roots of count games of each world, from game number first on.
func roots(root streams.Root, first, count int) []streams.Root {
	list := make([]streams.Root, 0, 2*count)
	for i := first; i < first+count; i++ {
		list = append(list, root.Child(fmt.Sprintf("member game %d", i)), root.Child(fmt.Sprintf("non-member game %d", i)))
	}
	return list
}

// add scores a run by the products of its noisy sums with unit, one of each step.
func (t table) add(scores *audit.Scores, replica int, products [][]float64) {
	sums := make([]float64, len(products))
	for i, product := range products {
		sums[i] = (product[0] - t.offset) / t.Config.NoiseStdDev()
	}
	score := t.score(sums)
	if member(replica) {
		scores.Member = append(scores.Member, score)
	} else {
		scores.NonMember = append(scores.NonMember, score)
	}
}
