package engine

import (
	"math"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd"
)

// makeEvaluator makes the evaluator of Plan.Evaluate, if there is one. Groups that train at the
// same time share the goroutines and the memory. The replicas of a group run together, as they
// train.
func (t *Replicas) makeEvaluator() (err error) {
	e := t.plan.Evaluate
	if e == nil {
		return nil
	}
	perf, calls := t.perf.forEvaluation(len(t.plan.Replicas))
	t.evaluator, err = NewEvaluator(t.model, e.Data, perf)
	if err == nil {
		t.evaluator.calls, t.evaluator.joined = calls, true
	}
	return err
}

// forEvaluation returns the performance of Plan.Evaluate, and the number of groups that call it at
// the same time.
func (p Performance) forEvaluation(replicas int) (own Performance, calls int) {
	calls = min((replicas+p.ReplicasPerCall-1)/p.ReplicasPerCall, p.Goroutines)
	return Performance{Backend: p.Backend, Precision: p.Precision, Goroutines: p.Goroutines / calls}, calls
}

// measures reports whether Plan.Evaluate measures the models when so many steps are done.
func (p prepared) measures(done int) bool {
	return p.Evaluate != nil && done%p.Evaluate.Every == 0
}

// newCurve returns the curve of a run before its first step: NaN at all points.
func newCurve(replicas int, steps []int) dpsgd.LearningCurve {
	curve := dpsgd.LearningCurve{Steps: steps}
	for range replicas {
		curve.Accuracy = append(curve.Accuracy, slices.Repeat([]float64{math.NaN()}, len(steps)))
		curve.Loss = append(curve.Loss, slices.Repeat([]float64{math.NaN()}, len(steps)))
	}
	return curve
}

// showCurve returns a function that calls Evaluation.Progress with a copy of the curve, up to the
// last point that some replica has reached.
func (t *Replicas) showCurve(curve dpsgd.LearningCurve) func() {
	show := t.plan.Evaluate.Progress
	if show == nil {
		return func() {}
	}
	reached := 0
	return func() {
		for _, row := range curve.Accuracy {
			for reached < len(row) && !math.IsNaN(row[reached]) {
				reached++
			}
		}
		copied := dpsgd.LearningCurve{Steps: slices.Clone(curve.Steps[:reached])}
		for r := range curve.Accuracy {
			copied.Accuracy = append(copied.Accuracy, slices.Clone(curve.Accuracy[r][:reached]))
			copied.Loss = append(copied.Loss, slices.Clone(curve.Loss[r][:reached]))
		}
		show(copied)
	}
}
