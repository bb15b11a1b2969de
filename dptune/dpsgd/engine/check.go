package engine

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/layercheck"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// CheckLayer runs a layer on small random batches and returns the first breach of the rules
// of [nn.Layer] and [nn.Gradients] that clipping rests on, or nil:
//
//   - rows do not mix: if one example is replaced, is NaN or overflows, the outputs, gradients and
//     norms of the others do not change, in any replica;
//   - the place of an example in the batch does not matter;
//   - SquaredNorms are the squared norms of what WeightedSum adds, and of Each. They are not too
//     small if the terms of an example cancel and only rounding is left of its norm;
//   - WeightedSum is Σ factor · gradient, and exactly zero for padding and for NaN with factor 0;
//   - shapes and types are right.
//
// input is the shape of one example's input. At most one performance may be given; only its Backend
// and Precision are used. [NewTrainer] makes the same check of every layer that is not package nn's
// own.
//
// The check runs 32 examples with terms that cancel, which proves nothing about other inputs. It
// misses three faults: errors of less than a thousandth, gradients that are not derivatives, and
// rows that mix only in batches of more than six. Package dpsgdtest tests more.
func CheckLayer(layer nn.Layer, input []int, performance ...Performance) error {
	perf, err := onePerformance(performance)
	if err != nil {
		return err
	}
	if layer == nil {
		return errors.New("engine: layer is nil: must be a layer")
	}
	m := dpsgd.Model{Name: "trial", Input: input, Layers: []nn.Layer{layer}, Loss: nn.SoftmaxCrossEntropy()}
	if err := errors.Join(wrapped(m.Validate()), perf.Validate()); err != nil {
		return err
	}
	if _, err := backend.Open(perf.Backend); err != nil {
		return err
	}
	for _, c := range []struct {
		replicas int
		nn.Use
	}{ // a single first layer; a middle layer of two replicas; a first layer on a shared batch
		{1, nn.Use{Backward: true}}, {2, nn.Use{Backward: true, WantInput: true}}, {2, nn.Use{Backward: true, Shared: true}},
	} {
		if err := checkAll([]layercheck.Subject{{Foreign: nn.Foreign{Layer: layer, Input: input, Use: c.Use}}}, perf, c.replicas, true); err != nil {
			return fmt.Errorf("engine: %w", err)
		}
	}
	return nil
}

// CheckLoss is [CheckLayer] for losses. The gradient, value and class of an example must depend on
// that example only.
func CheckLoss(loss nn.Loss, classes int, performance ...Performance) error {
	perf, err := onePerformance(performance)
	if err != nil {
		return err
	}
	if loss == nil {
		return errors.New("engine: loss is nil: must be a loss")
	}
	if err := perf.Validate(); err != nil {
		return err
	}
	if _, err := backend.Open(perf.Backend); err != nil {
		return err
	}
	for _, replicas := range []int{1, 2} {
		if err := checkAll([]layercheck.Subject{layercheck.Loss(loss, classes, true)}, perf, replicas, false); err != nil {
			return fmt.Errorf("engine: %w", err)
		}
	}
	return nil
}

// checkForeign checks the layers and the loss of the trainer's model that are not package nn's own,
// as they will run.
func (t *Replicas) checkForeign() error {
	var list []layercheck.Subject
	for _, f := range t.model.Foreign() {
		list = append(list, layercheck.Subject{Foreign: f, Materialized: t.plan.ClipMethod == dpsgd.Materialized})
	}
	if t.model.ForeignLoss() {
		list = append(list, layercheck.Loss(t.model.Loss, t.train.Classes, false))
	}
	replicas := min(2, t.perf.ReplicasPerCall)
	if err := checkAll(list, t.perf, replicas, t.plan.SharedBatches); err != nil {
		return fmt.Errorf("engine: model %q: %w", t.model.Name, err)
	}
	return nil
}

// checkAll checks layers with a number of replicas, which share their inputs if shared is set.
func checkAll(list []layercheck.Subject, perf Performance, replicas int, shared bool) error {
	if len(list) == 0 {
		return nil
	}
	backend, err := backend.Open(perf.Backend)
	if err != nil {
		return err
	}
	return layercheck.All(backend, perf.Precision == Float64, list, replicas, shared)
}

// checkClipping checks the plan's clipping as it will run, if it is not this package's own.
func (t *Replicas) checkClipping() error {
	first := t.plan.clipped(0)
	if !(first.ClipNorm > 0) || dpsgd.Builtin(first.WithDefaults().Clipping) {
		return nil
	}
	layers := len(t.model.LayerSizes())
	factors := func(rule dpsgd.Clipping) func(squares, numbers []*graph.Node) []*graph.Node {
		return func(squares, numbers []*graph.Node) []*graph.Node {
			list, _ := t.program.Capped(*ruleOf(rule), squares, numbers, graph.IsFinite(squares[0]))
			return list
		}
	}
	return t.plan.eachName("Clipping", func(c dpsgd.Config) fmt.Stringer { return c.WithDefaults().Clipping }, func(c dpsgd.Config) error {
		if t.plan.Own != nil {
			c.ClipNorm = first.ClipNorm
		}
		return layercheck.Clipping{
			Backend: t.backend, Layers: layers, ClipNorm: c.ClipNorm, First: first.WithDefaults().Clipping,
			Coefficients: [2][]float64{clipNumbers(first, layers, 1), clipNumbers(c, layers, 1)},
			Pair:         factors(first.WithDefaults().Clipping), Single: factors(c.WithDefaults().Clipping),
		}.Check(t.perf.Precision == Float64)
	})
}

// checkOptimizer checks the plan's optimizer as it will run, if it is not this package's own.
func (t *Replicas) checkOptimizer() error {
	if dpsgd.Builtin(t.plan.Replicas[0].WithDefaults().Optimizer) {
		return nil
	}
	first := t.plan.numbers(0, 0)
	for r, c := range t.plan.Replicas {
		for _, step := range []int{0, min(1, c.Steps-1), c.Steps - 1} {
			if err := t.plan.validateNumbers(t.plan.numbers(r, step), len(first), r, step); err != nil {
				return err
			}
		}
	}
	return t.plan.eachName("Optimizer", func(c dpsgd.Config) fmt.Stringer { return c.WithDefaults().Optimizer }, func(c dpsgd.Config) error {
		pair, single, other := t.plan, t.plan, c
		other.Optimizer = t.plan.optimizer()
		pair.Replicas, single.Replicas = []dpsgd.Config{other, c}, []dpsgd.Config{c}
		pair, single = prepare(pair.Plan), prepare(single.Plan)
		return layercheck.Optimizer{
			Backend: t.backend, Size: t.size, Steps: c.Steps, Batch: c.ExpectedBatchSize,
			Other: other.Optimizer, Pair: pair.moves(), Single: single.moves(),
		}.Check(t.perf.Precision == Float64)
	})
}

// moves returns the update rule of the plan's replicas, to be checked.
func (p prepared) moves() layercheck.Moves {
	return layercheck.Moves{Slots: p.slots(), Coefficients: p.numbers, Move: p.move}
}

// eachName checks one clipping or optimizer of each name, in the order of the replicas.
func (p prepared) eachName(field string, of func(dpsgd.Config) fmt.Stringer, check func(c dpsgd.Config) error) error {
	const most = 16 // names; each is compiled
	seen := map[string]bool{}
	for r, c := range p.Replicas {
		name := of(c).String()
		if seen[name] || len(seen) == most {
			continue
		}
		seen[name] = true
		if err := check(c); err != nil {
			return fmt.Errorf("engine: Plan.Replicas[%d].%s %s: tried on random numbers: %w", r, field, name, err)
		}
	}
	return nil
}
