package game

import (
	"context"
	"fmt"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// cohort is the models of one run of the engine: of one world, or of two by turns.
type cohort struct {
	hidden
	attacks []Attack // the canary is of the first; all attacks score the models without it
	in      []bool   // whether a model is trained with the canary
	trainer *engine.Replicas
	scores  [][][]float64 // [attack][observed][model]
	kept    [][][]float64 // [observed][model]: weights, if an attack needs them; else nil

	warnings []error // of the last run
}

func (h hidden) cohort(worlds, count int, attacks []Attack, meter *meter) (*cohort, error) {
	c := &cohort{hidden: h, attacks: attacks, in: make([]bool, worlds*count)}
	for r := range c.in {
		c.in[r] = worlds == 1 || member(r)
	}
	for range attacks {
		c.scores = append(c.scores, matrix(len(h.observe()), len(c.in)))
	}
	if slices.ContainsFunc(attacks, Attack.keeps) {
		for range h.observe() {
			c.kept = append(c.kept, matrix(len(c.in), h.Model.Size()))
		}
	}
	var err error
	c.trainer, err = engine.NewReplicas(h.Model, h.Data, c.plan(meter), h.Performance)
	return c, err
}

// plan returns the plan of the engine's run.
func (c *cohort) plan(meter *meter) dpsgd.Plan {
	canary := c.attacks[0].Canary
	canary.At, canary.In = c.at, c.in
	plan := dpsgd.Plan{Replicas: slices.Repeat([]dpsgd.Config{c.Config}, len(c.in)), Canary: &canary, SharedBatches: true}
	if !c.UnknownInitial {
		plan.Initial = &c.initial
	}
	at := map[int]int{} // from a step to its place among the observed
	for i, steps := range c.observe() {
		at[steps-1] = i
	}
	plan.Weights = func(step, model int, weights []float64) { c.look(at[step], model, weights) }
	plan.WeightsAt = func(step int) bool {
		_, wanted := at[step]
		return wanted
	}
	plan.Progress = func(p dpsgd.Progress) { // the end is reported with the scores
		if p.Step < p.Steps {
			meter.tell(len(c.in) * p.Step / p.Steps)
		}
	}
	return plan
}

// scoredBy reports whether an attack scores a model. A model with a canary is scored by its own
// attack.
func (c *cohort) scoredBy(attack, model int) bool { return attack == 0 || !c.in[model] }

// look scores a model by the attacks that need only its weights, and keeps the weights for others.
func (c *cohort) look(at, model int, weights []float64) {
	for i, a := range c.attacks {
		if a.Score != nil && c.scoredBy(i, model) {
			c.scores[i][at][model] = a.Score(c.observe()[at], weights)
		}
	}
	if c.kept != nil {
		copy(c.kept[at][model], weights)
	}
}

// score adds the scores of the models that were trained to the results.
func (c *cohort) score(ctx context.Context, results []HiddenResult) error {
	for i, a := range c.attacks {
		if a.keeps() {
			if err := c.scoreKept(ctx, i); err != nil {
				return fmt.Errorf("%s: %w", results[i].Adversary, err)
			}
		}
		results[i].Warnings = append(results[i].Warnings, c.warnings...)
		for at := range c.scores[i] {
			c.add(&results[i].Observed[at], c.scores[i][at], i)
		}
	}
	return nil
}

// roots returns the roots of the models, for the games from a number on. They depend on the game
// and its world, whatever the adversary.
func (c *cohort) roots(first int) []streams.Root {
	worlds := 1
	if slices.Contains(c.in, false) {
		worlds = 2
	}
	list := make([]streams.Root, len(c.in))
	for r, in := range c.in {
		world := "non-member"
		if in {
			world = "member"
		}
		list[r] = c.root.Child(fmt.Sprintf("%s game %d", world, first+r/worlds))
	}
	return list
}

// scoreKept scores all kept weights by one attack, in one call.
func (c *cohort) scoreKept(ctx context.Context, i int) error {
	var steps []int
	var weights [][]float64
	var to []*float64
	for at := range c.kept {
		for model := range c.in {
			if c.scoredBy(i, model) {
				steps, weights = append(steps, c.observe()[at]), append(weights, c.kept[at][model])
				to = append(to, &c.scores[i][at][model])
			}
		}
	}
	scores, err := c.attacks[i].ScoreModels(ctx, steps, weights)
	if err != nil {
		return err
	}
	if len(scores) != len(weights) {
		return fmt.Errorf("Attack.ScoreModels returned %d scores: must be %d, one for each model", len(scores), len(weights))
	}
	for k, score := range scores {
		*to[k] = score
	}
	return nil
}

// add appends the scores that an attack gave to models after some steps.
func (c *cohort) add(to *Observation, scores []float64, attack int) {
	for model, score := range scores {
		switch {
		case !c.in[model]:
			to.Scores.NonMember = append(to.Scores.NonMember, score)
		case attack == 0:
			to.Scores.Member = append(to.Scores.Member, score)
		}
	}
}
