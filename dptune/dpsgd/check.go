package dpsgd

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// CheckLayer tries a layer on small random batches and returns what it finds against the rules
// of [nn.Layer] and [nn.Gradients] that clipping rests on, or nil:
//
//   - rows do not mix: when one example is replaced, or is NaN, or overflows, the outputs,
//     gradients and norms of the others stay, in the same replica and in others;
//   - the place of an example in the batch does not matter;
//   - SquaredNorms are the squared norms of what WeightedSum adds, and of Each;
//   - WeightedSum is Σ factor · gradient, and exactly zero of padding and of NaN with factor 0;
//   - shapes and types are what they must be.
//
// input is the shape of one example's input; perf's Backend and Precision are used. [NewTrainer]
// makes the same trial of every layer that is not package nn's own. It does not see what is off
// by less than a thousandth, gradients that are not derivatives, and rows that mix only in batches
// of more than six: package dpsgdtest looks further.
func CheckLayer(layer nn.Layer, input []int, perf Performance) error {
	if layer == nil {
		return errors.New("dpsgd: layer is nil: must be a layer")
	}
	m := Model{Name: "trial", Input: input, Layers: []nn.Layer{layer}, Loss: nn.SoftmaxCrossEntropy()}
	if err := errors.Join(wrapped(m.Validate()), perf.Validate()); err != nil {
		return err
	}
	for _, c := range []struct {
		replicas int
		nn.Use
	}{ // alone and first; with others in the middle; first, on a batch that all share
		{1, nn.Use{Backward: true}}, {2, nn.Use{Backward: true, WantInput: true}}, {2, nn.Use{Backward: true, Shared: true}},
	} {
		if err := tryAll([]foreign{{Foreign: nn.Foreign{Layer: layer, Input: input, Use: c.Use}}}, perf, c.replicas, true); err != nil {
			return fmt.Errorf("dpsgd: %w", err)
		}
	}
	return nil
}

// CheckLoss is [CheckLayer] for losses: the gradient of one example, its value and its class must
// depend on that example alone.
func CheckLoss(loss nn.Loss, classes int, perf Performance) error {
	if loss == nil {
		return errors.New("dpsgd: loss is nil: must be a loss")
	}
	if err := perf.Validate(); err != nil {
		return err
	}
	for _, replicas := range []int{1, 2} {
		if err := tryAll([]foreign{lossLayer{loss: loss, classes: classes, all: true}.foreign()}, perf, replicas, false); err != nil {
			return fmt.Errorf("dpsgd: %w", err)
		}
	}
	return nil
}

// tryForeign tries what of the trainer's model is not package nn's own, as it will run.
func (t *Trainer) tryForeign() error {
	var list []foreign
	for _, f := range t.model.Foreign() {
		list = append(list, foreign{Foreign: f, materialized: t.plan.Mode == Materialized})
	}
	if t.model.ForeignLoss() {
		list = append(list, lossLayer{loss: t.model.Loss, classes: t.train.Classes}.foreign())
	}
	replicas := min(2, t.perf.Chunk)
	if err := tryAll(list, t.perf, replicas, t.plan.SharedBatches); err != nil {
		return fmt.Errorf("dpsgd: model %q: %w", t.model.Name, err)
	}
	return nil
}

// tryAll tries layers, with as many replicas, which share their inputs or do not.
func tryAll(list []foreign, perf Performance, replicas int, shared bool) error {
	if len(list) == 0 {
		return nil
	}
	backend, err := OpenBackend(perf.Backend)
	if err != nil {
		return err
	}
	for _, f := range list {
		try := tryOne[float32]
		if perf.Precision == Float64 {
			try = tryOne[float64]
		}
		if err := try(backend, f, replicas, shared && f.Shared); err != nil {
			return fmt.Errorf("%s%v: tried on a random batch: %w", f.Where, f.Layer, err)
		}
	}
	return nil
}

func tryOne[T real](backend compute.Backend, f foreign, replicas int, shared bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = asError(p)
		}
	}()
	t, err := newTrial[T](backend, f, replicas)
	if err != nil {
		return err
	}
	defer t.exec.Finalize()
	return t.try(shared)
}

// asError returns what was panicked with as an error.
func asError(p any) error {
	if err, ok := p.(error); ok {
		return err
	}
	return fmt.Errorf("%v", p)
}
