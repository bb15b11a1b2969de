package game

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// Shadows attacks real examples with shadow models. Every model is trained on a random half of
// Examples. The adversary knows the halves of the shadow models, and guesses those of the targets.
// All models train as replicas of one program.
//
//	play := game.Shadows{Model: model, Examples: train, Config: config, Models: 64}
//	result, err := play.Run(ctx, root)
//	if err != nil { ... }
//	scores, err := result.LiRA()
//	if err != nil { ... }
//	rate, err := audit.TPRAtFPR(scores, 0.01, audit.Config{})
//	report, err := onerun.Bounds(scores, audit.Config{Delta: 1e-5, Guesses: 100})
//	// compare with the ε of result.Event
//
// Each example is in the data of ⌊Models/2⌋ shadow models. A target has each example by its own
// fair coin. So the scores of targets are for package onerun, as those of [OneRun]. They are not
// independent games: package audit only describes them, by the TPR at an FPR.
//
// Reference: Carlini et al. (2022), arXiv:2112.03570, for the shadow models.
type Shadows struct {
	Model    dpsgd.Model
	Examples data.Dataset // at least 2 examples, of at least 2 classes
	Config   dpsgd.Config // of every model; NonPrivate shows what training leaks without noise
	Models   int          // >= 4 shadow models
	Targets  int          // >= 0 models under attack, whose scores are pooled; 0 is 1

	Performance engine.Performance
	Progress    func(Progress) // called now and then; nil for none
}

// Proof that onerun's bounds hold. The shadow models, and the coins of their halves, are drawn
// apart from the targets. Given them, the scores of a target are a function of its final weights,
// which Event covers, and so are guesses of its coins. The coins are fair and independent, and each
// decides about one example of one training. That is all that package onerun assumes.

// Shadowed holds the confidences of models of a [Shadows] in the labels of its examples.
type Shadowed struct {
	In         [][]bool    // [model][example]: whether the example was in the model's data
	Confidence [][]float64 // [model][example]: ln(p/(1-p)), p the softmax probability of the label
}

// ShadowsResult is the outcome of the trainings.
type ShadowsResult struct {
	Shadows, Targets Shadowed
	Event            accounting.Event // what a training does to any example: the claim under audit
	Config           dpsgd.Config
	Seeded           bool    // from a fixed root
	Warnings         []error // of the engine
}

// Validate returns every fault of the audit, joined. Run finds the faults of the examples, before
// any work starts.
func (g Shadows) Validate() error {
	f := check.In("game: Shadows.")
	f.Below("Config", g.Config.Validate())
	f.Below("Model", g.Model.Validate())
	f.Count("number of Examples", g.Examples.Len(), 2)
	f.Count("Examples.Classes", g.Examples.Classes, 2)
	f.Count("Models", g.Models, 4)
	f.Count("Targets", g.Targets, 0)
	mustNotSave(f, g.Performance)
	return f.Err()
}

// Run trains all models. Each target draws from its own child of root, whatever their number is. So
// does each shadow model, but its half depends on Models.
func (g Shadows) Run(ctx context.Context, root streams.Root) (ShadowsResult, error) {
	if err := g.Validate(); err != nil {
		return ShadowsResult{}, err
	}
	if err := root.Validate(); err != nil {
		return ShadowsResult{}, fmt.Errorf("game: %w", err)
	}
	result := ShadowsResult{Event: g.Config.Event(), Config: g.Config, Seeded: root.Seeded()}
	targets := max(1, g.Targets)
	meter := newMeter(g.Progress, g.Models+targets)
	train := func(kind string, in [][]bool) (Shadowed, error) {
		rows := make([]streams.Root, len(in))
		for r := range rows {
			rows[r] = root.Child(fmt.Sprintf("%s %d", kind, r))
		}
		confidence, warnings, err := g.train(ctx, in, rows, meter)
		result.Warnings = append(result.Warnings, warnings...)
		return Shadowed{In: in, Confidence: confidence}, err
	}
	var err error
	if result.Shadows, err = train("shadow", g.halves(root)); err == nil {
		result.Targets, err = train("target", g.coins(root, targets))
	}
	if err != nil {
		return ShadowsResult{}, fmt.Errorf("game: Shadows: %w", err)
	}
	return result, nil
}

// halves returns the examples of each shadow model, [model][example].
func (g Shadows) halves(root streams.Root) [][]bool {
	in, rng := make([][]bool, g.Models), root.Rand("halves")
	for r := range in {
		in[r] = make([]bool, g.Examples.Len())
	}
	for i := range g.Examples.Len() {
		for _, r := range rng.Perm(g.Models)[:g.Models/2] {
			in[r][i] = true
		}
	}
	return in
}

// coins returns the examples of each target, [target][example].
func (g Shadows) coins(root streams.Root, targets int) [][]bool {
	in := make([][]bool, targets)
	for r := range in {
		rng := root.Child(fmt.Sprintf("target %d", r)).Rand("canaries")
		for range g.Examples.Len() {
			in[r] = append(in[r], data.Coin(0.5, rng))
		}
	}
	return in
}

// train trains a model for each row of in, and returns their confidences. It trains so many at a
// time that their weights take 1 GiB at most.
func (g Shadows) train(ctx context.Context, in [][]bool, roots []streams.Root, meter *meter) (confidence [][]float64, warnings []error, err error) {
	const values = 1 << 27
	most := max(1, values/g.Model.Size())
	evaluator, err := engine.NewEvaluator(g.Model, g.Examples, g.Performance)
	if err != nil {
		return nil, nil, err
	}
	var examples []dpsgd.Example
	for i := range g.Examples.Len() {
		examples = append(examples, dpsgd.Example{Features: g.Examples.Row(i), Label: g.Examples.Labels[i], Targets: g.Examples.Target(i)})
	}
	for first := 0; first < len(in); first += most {
		lot := in[first:min(first+most, len(in))]
		plan := dpsgd.Plan{
			Replicas: slices.Repeat([]dpsgd.Config{g.Config}, len(lot)),
			Canaries: &dpsgd.Canaries{Examples: examples, In: lot},
			Progress: func(p dpsgd.Progress) { // the end is reported with the confidences
				if p.Step < p.Steps {
					meter.tell(len(lot) * p.Step / p.Steps)
				}
			},
		}
		trainer, err := engine.NewReplicas(g.Model, g.Examples.Subset("nobody", nil), plan, g.Performance)
		if err != nil {
			return nil, nil, err
		}
		out, err := trainer.RunEach(ctx, roots[first:first+len(lot)])
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(out.Diverged, true) {
			return nil, nil, errors.New("a training diverged: Config.LearningRate must be less")
		}
		warnings = append(warnings, out.Warnings...)
		outputs, err := evaluator.Outputs(ctx, out.Parameters)
		if err != nil {
			return nil, nil, err
		}
		for _, row := range outputs {
			values, err := g.confidences(row)
			if err != nil {
				return nil, nil, err
			}
			confidence = append(confidence, values)
		}
		meter.add(len(lot))
	}
	return confidence, warnings, nil
}

// confidences returns ln(p/(1-p)) of each example from the outputs of one model,
//
//	z_y - ln Σ_{k≠y} exp(z_k)
//
// This form keeps its digits as p goes to 1.
func (g Shadows) confidences(outputs []float64) ([]float64, error) {
	n, classes := g.Examples.Len(), g.Examples.Classes
	if len(outputs) != n*classes {
		return nil, fmt.Errorf("Model has %d outputs for %d examples: must have one for each of %d classes", len(outputs), n, classes)
	}
	confidences := make([]float64, n)
	for i, label := range g.Examples.Labels {
		others := numeric.NewSum()
		for k, z := range outputs[i*classes : (i+1)*classes] {
			if k != int(label) {
				others.Add(z)
			}
		}
		confidences[i] = outputs[i*classes+int(label)] - others.Log()
	}
	return confidences, nil
}
