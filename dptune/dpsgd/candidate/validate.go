package candidate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Assumptions returns what the event assumes, for the statement of a search.
func (c DPSGD[H]) Assumptions() []string {
	list := []string{
		"each example joined training or validation by its own coin, or by a rule that reads only that example",
		"score noise is Gaussian, truncated at 12 standard deviations (a mass below 1e-32)",
	}
	if c.PublicValidation {
		list = []string{"the validation examples, which choose the best run, are public", "no validation example is a training example"}
	}
	if c.EqualAreOthers {
		list = append(list, "equal examples of training and validation are different records")
	}
	if !isOwn(c.Measure) {
		list = append(list, "the measure of a validation example, the user's own code, reads only that example")
	}
	list = append(list,
		"the expected batch size, and every other setting that is not tuned, was chosen without looking at the data",
		"gradients are added within a microbatch without rounding (within one gradient, and between microbatches, it is covered)")
	model := c.Model
	if c.ModelFor != nil {
		model = dpsgd.Model{Loss: nn.SoftmaxCrossEntropy()} // assumes nothing: see AssumptionsOf
	}
	training := dpsgd.TrainingAssumptions(model, c.Performance.Backend)
	switch { // replaces how they are drawn
	case c.Initial != nil:
		training[0] = "the given initial weights are public"
	case c.Plan != nil:
		training[0] = "the initial weights were drawn from the seed, or are given and public"
	}
	if c.Plan == nil { // otherwise see AssumptionsOf
		training = append(training, dpsgd.GeneratorOfBackend.Assumptions(c.Performance.Backend)...)
	}
	return append(list, training...)
}

// AssumptionsOf returns the assumptions of runs with hs: how their batches are drawn, and what the
// user's own clipping or optimizer does. With ModelFor, it also returns those of the models, and
// with Plan those of the generators of noise. Nil hs
// means that the hyper-parameters are not listed. It then returns the assumptions of all possible
// runs.
func (c DPSGD[H]) AssumptionsOf(hs []H) (list []string) {
	if hs == nil {
		list = []string{
			"if batches are sampled, each example joined each step by its own coin",
			"if batches are sampled, they stay secret",
			"if batches are capped, a uniformly random subset was kept of larger ones, and the bound on the number of examples is public",
			"if examples are allocated, each joined one step of each period, drawn afresh each time and independently of the others",
			"if examples are allocated, the batches and their sizes stay secret",
			"if batches are fixed, the examples were ordered without looking at them",
			"if batches are fixed, an example that is left out leaves its place empty",
			"a clipping that is the user's own code computes each example's factor from that example's norms only",
			"an optimizer that is the user's own code reads only noisy sums and public numbers",
		}
		if c.Plan != nil {
			list = append(list, dpsgd.ChaCha20.Assumptions(c.Performance.Backend)...)
		}
		if c.ModelFor != nil {
			list = append(list,
				"frozen values of models, and targets of the squared error, are public",
				"an example's targets, if there are any, depend on that example only",
				"layers and losses that are the user's own code treat each example by itself")
		}
		return list
	}
	for _, h := range hs {
		r, err := c.runOf(h)
		if err != nil { // every other method returns it
			continue
		}
		all := r.config().Assumptions()
		if c.ModelFor != nil {
			all = append(all, r.model.Assumptions()...)
		}
		if c.Plan != nil {
			all = append(all, r.plan.Generator.Assumptions(c.Performance.Backend)...)
		}
		for _, what := range all {
			if !slices.Contains(list, what) {
				list = append(list, what)
			}
		}
	}
	return list
}

// PlaceNote returns that of the first run with hs that has one: see dpsgd.Config.PlaceNote. With
// nil hs it names the condition.
func (c DPSGD[H]) PlaceNote(hs []H) string {
	if hs == nil {
		return "whose place stays empty if batches are fixed"
	}
	for _, h := range hs {
		r, err := c.runOf(h)
		if err != nil { // every other method returns it
			continue
		}
		if note := r.config().PlaceNote(); note != "" {
			return note
		}
	}
	return ""
}

// validate returns every fault that does not depend on hyper-parameters, joined.
func (c DPSGD[H]) validate() error {
	errs := []error{c.validateFunctions(), c.validateSplit(), c.validateScore()}
	if c.ModelFor == nil {
		errs = append(errs, c.validateModel(c.Model))
	}
	if err := c.validateParts(); err != nil {
		return errors.Join(append(errs, err)...)
	}
	return errors.Join(append(errs, c.validateOverlap())...)
}

// validateParts checks both parts before any run trains: a run that cannot be scored is useless.
func (c DPSGD[H]) validateParts() error {
	if c.Validation.Len() == 0 {
		return errors.New("candidate: DPSGD.Validation is empty: must hold at least one example")
	}
	var errs []error
	if err := c.Train.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("candidate: DPSGD.Train: %w", err))
	}
	if err := c.Validation.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("candidate: DPSGD.Validation: %w", err))
	} else if c.ModelFor == nil && c.validateModel(c.Model) == nil { // otherwise see validatePlanned
		if err := errors.Join(c.Model.ValidateFor(c.Validation.Shape, c.Validation.Classes), c.Model.ValidateRows(c.Validation)); err != nil {
			errs = append(errs, fmt.Errorf("candidate: DPSGD.Validation: %w", err))
		}
	}
	return errors.Join(errs...)
}

func (c DPSGD[H]) validateModel(m dpsgd.Model) error {
	name := "Model"
	if c.ModelFor != nil {
		name = "ModelFor"
	}
	if err := m.Validate(); err != nil {
		return fmt.Errorf("candidate: DPSGD.%s: %w", name, err)
	}
	return nil
}

// validateSplit returns an error if one more example would move others between the parts, or if a
// part of the private data is declared public.
func (c DPSGD[H]) validateSplit() error {
	by := data.SplitBy(c.Train, c.Validation)
	if by != "" && c.PublicValidation {
		return fmt.Errorf("candidate: DPSGD.PublicValidation: Train and Validation are parts of one data set by data.%s: Validation must have other, public records", by)
	}
	if c.PublicValidation && data.PartsOfOne(c.Train, c.Validation) {
		return errors.New("candidate: DPSGD.PublicValidation: Train and Validation are parts of one data set (see data.PartsOfOne): Validation must have other, public records")
	}
	if by != "" && by != "SplitCoins" {
		return fmt.Errorf("candidate: DPSGD.Train and Validation are parts by data.%s: must be split by data.SplitCoins, since one example more moves others", by)
	}
	return nil
}

// validateOverlap returns an error if validation examples are training examples too. Like every
// error about data, it reveals records: show it only to their holder.
func (c DPSGD[H]) validateOverlap() error {
	if c.EqualAreOthers || data.SplitBy(c.Train, c.Validation) != "" { // such parts hold each record once
		return nil
	}
	shared := data.Overlap(c.Validation, c.Train)
	if len(shared) == 0 {
		return nil
	}
	return fmt.Errorf("candidate: DPSGD.Validation has %d of %d examples in common with Train, such as row %d: must be disjoint (see data.SplitCoins), or set EqualAreOthers",
		len(shared), c.Validation.Len(), shared[0])
}

// validateScore checks the measure and the score's noise. Public validation must have no noise.
func (c DPSGD[H]) validateScore() error {
	var errs []error
	switch {
	case !c.PublicValidation:
		errs = append(errs, c.Score.Validate())
	case c.Score != dptune.PrivateAccuracy{}:
		errs = append(errs, fmt.Errorf("candidate: DPSGD.Score.NoiseMultiplier %g: must be 0 with PublicValidation", c.Score.NoiseMultiplier))
	}
	if m, ok := c.Measure.(nearness); ok {
		errs = append(errs, m.validate(c.Validation.Classes))
	}
	return errors.Join(errs...)
}

// sums returns each model's score without noise: the sum of the measure over the validation
// examples. perf has the settings of the training.
//
// For a private score each example is its own microbatch. In a larger microbatch, the last bits of
// its outputs depend on its place and on the number of examples. Near the border of two classes its
// class would too, and one more example could move the sum by more than 1.
func (c DPSGD[H]) sums(ctx context.Context, model dpsgd.Model, result *engine.Results, perf engine.Performance) ([]float64, error) {
	sums := make([]float64, len(result.Parameters.Values))
	if !c.PublicValidation {
		perf.Microbatch = 1
	}
	if _, is := model.Loss.(nn.TargetLoss); is && c.Measure == nil {
		right, err := engine.Right(ctx, model, result.Parameters, c.Validation, perf)
		if err != nil {
			return nil, err
		}
		for k := range sums {
			for _, share := range right[k] {
				sums[k] += onGrain(share)
			}
		}
		return sums, nil
	}
	if c.Measure == nil {
		classes, err := engine.Predict(ctx, model, result.Parameters, c.Validation, perf)
		if err != nil {
			return nil, err
		}
		for k := range sums {
			sums[k] = float64(correct(classes[k], c.Validation.Labels))
		}
		return sums, nil
	}
	outputs, err := engine.Outputs(ctx, model, result.Parameters, c.Validation, perf)
	if err != nil {
		return nil, err
	}
	for k := range sums {
		sums[k] = total(c.Measure, outputs[k], c.Validation)
	}
	return sums, nil
}

// tryScore returns an error if no score follows from the predictions of a model. It evaluates the
// model on one row of the data with weights 0, only if a loss of targets is without a measure.
func (c DPSGD[H]) tryScore(ctx context.Context, model dpsgd.Model) error {
	if _, is := model.Loss.(nn.TargetLoss); !is || c.Measure != nil {
		return nil
	}
	zeros := dpsgd.Parameters{Tensors: model.Tensors(), Values: [][]float64{make([]float64, model.Size())}}
	if _, err := engine.Right(ctx, model, zeros, c.Validation.Subset("one", []int{0}), c.Performance); err != nil {
		return fmt.Errorf("candidate: DPSGD.Measure is nil: must be a measure for this loss: %w", err)
	}
	return nil
}

func correct(classes, labels []int32) int {
	right := 0
	for i, class := range classes {
		if class == labels[i] {
			right++
		}
	}
	return right
}
