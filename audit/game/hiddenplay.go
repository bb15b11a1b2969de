package game

import (
	"context"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/streams"
)

// hidden is what all games of a HiddenState share.
type hidden struct {
	HiddenState
	root    streams.Root
	initial dpsgd.Parameters
}

// attack is what an adversary decided before training.
type attack struct {
	canary dpsgd.Canary // In and At are filled in by the game

	// score returns how much each model looks like one that was trained with the canary;
	// weights are those after a number of steps.
	score func(ctx context.Context, steps int, weights [][]float64) ([]float64, error)
}

// play plays all games, some pairs of worlds at a time, so that the weights kept stay few.
func (h hidden) play(ctx context.Context, a attack, result *HiddenResult) error {
	const pairs, values = 1280, 1 << 24 // of one run of the engine
	observe := h.observe()
	most := max(1, min(pairs, values/(2*h.Model.Size()*len(observe))))
	start := time.Now()
	var run *hiddenRun
	for first := 0; first < h.Games; first += most {
		count := min(most, h.Games-first)
		if run == nil || count < most {
			var err error
			if run, err = h.trainer(a, count); err != nil {
				return err
			}
			run.start = start
		}
		run.before = 2 * first
		out, err := run.trainer.RunEach(ctx, roots(h.root, first, count))
		if err != nil {
			return err
		}
		result.Warnings = append(result.Warnings, out.Warnings...)
		for i, steps := range observe {
			scores, err := a.score(ctx, steps, run.weights[i])
			if err != nil {
				return err
			}
			for r, score := range scores {
				if to := &result.Observed[i].Scores; member(r) {
					to.Member = append(to.Member, score)
				} else {
					to.NonMember = append(to.NonMember, score)
				}
			}
		}
		if h.Progress != nil {
			h.Progress(newProgress(2*(first+count), 2*h.Games, start))
		}
	}
	return nil
}

// hiddenRun trains some pairs of worlds and keeps the weights of the observed steps.
type hiddenRun struct {
	trainer *dpsgd.Trainer
	weights [][][]float64 // [observed][2·count][P]

	// For progress: models trained before these, and when the first began.
	before int
	start  time.Time
}

func (h hidden) trainer(a attack, count int) (*hiddenRun, error) {
	run := &hiddenRun{weights: make([][][]float64, len(h.observe()))}
	at := map[int]int{} // from a step to its place among the observed
	for i, steps := range h.observe() {
		at[steps-1] = i
		run.weights[i] = make([][]float64, 2*count)
		for r := range run.weights[i] {
			run.weights[i][r] = make([]float64, h.Model.Size())
		}
	}
	canary := a.canary
	canary.At, canary.In = h.at, make([]bool, 2*count)
	plan := dpsgd.Plan{Initial: &h.initial, Canary: &canary, SharedBatches: true}
	for r := range 2 * count {
		canary.In[r] = member(r)
		plan.Replicas = append(plan.Replicas, h.Config)
	}
	plan.Weights = func(step, replica int, weights []float64) { copy(run.weights[at[step]][replica], weights) }
	plan.WeightsAt = func(step int) bool {
		_, wanted := at[step]
		return wanted
	}
	if h.Progress != nil {
		plan.Progress = func(p dpsgd.Progress) { // the end is told with the scores
			if done := 2 * count * p.Step / p.Steps; done > 0 && p.Step < p.Steps {
				h.Progress(newProgress(run.before+done, 2*h.Games, run.start))
			}
		}
	}
	var err error
	run.trainer, err = dpsgd.NewTrainer(h.Model, h.Data, plan, h.Performance)
	return run, err
}

// newProgress estimates the time left from that of the games done.
func newProgress(done, total int, start time.Time) Progress {
	elapsed := time.Since(start)
	left := time.Duration(float64(elapsed) * float64(total-done) / float64(done))
	return Progress{Games: done, Total: total, Elapsed: elapsed, Remaining: left}
}
