package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// An evaluator's results for many models are those for each single model: in repeated calls, from
// several goroutines, and for any division of models. For another division of examples, losses are
// the same up to rounding: vector kernels are chosen by the size of a microbatch.
func TestEvaluatorOfManyModels(t *testing.T) {
	m, d := mlp(t, 4, 5, 3), blobs(50, 4, 3)
	many := dpsgd.Parameters{Tensors: m.Tensors()}
	for r := range 7 {
		many.Values = append(many.Values, randomWeights(m, 0.2*float64(r)).Values...)
	}
	e := must(engine.NewEvaluator(m, d, engine.Performance{ReplicasPerCall: 3, Microbatch: 20, Goroutines: 2}))(t)
	single := must(engine.NewEvaluator(m, d, engine.Performance{Microbatch: 20}))(t)
	ctx := context.Background()
	var asked sync.WaitGroup
	for range 2 {
		asked.Go(func() {
			losses, err := e.Losses(ctx, many)
			classes, failed := e.Predict(ctx, many)
			accuracy, refused := e.Accuracy(ctx, many)
			if err := errors.Join(err, failed, refused); err != nil {
				t.Error(err)
				return
			}
			for r := range many.Values {
				one := many.Replica(r)
				if want := must(single.Losses(ctx, one))(t)[0]; !sameBits(losses[r], want) {
					t.Errorf("losses of model %d are %v among others, %v alone", r, losses[r], want)
				}
				if whole := must(engine.Losses(ctx, m, one, d))(t)[0]; distance(losses[r], whole) > 1e-6*length(whole) {
					t.Errorf("losses of model %d are %v in parts, %v as a whole", r, losses[r], whole)
				}
				if want := must(engine.Predict(ctx, m, one, d))(t)[0]; !slices.Equal(classes[r], want) {
					t.Errorf("classes of model %d are %v among others, %v alone", r, classes[r], want)
				}
				if want := must(engine.Accuracy(ctx, m, one, d))(t)[0]; accuracy[r] != want {
					t.Errorf("accuracy of model %d is %g among others, %g alone", r, accuracy[r], want)
				}
			}
		})
	}
	asked.Wait()
}

// What is wrong is said before anything runs, and a context ends the work.
func TestEvaluatorRefuses(t *testing.T) {
	m, d := mlp(t, 4, 3), blobs(50, 4, 3)
	w := randomWeights(m, 1)
	_, err := engine.NewEvaluator(m, blobs(50, 5, 3))
	checkError(t, err, []string{"shape"})
	_, err = engine.NewEvaluator(m, d, engine.Performance{Backend: "none"})
	checkError(t, err, []string{`Performance.Backend "none"`})
	e := must(engine.NewEvaluator(m, d, engine.Performance{Microbatch: 10}))(t)
	_, err = e.Losses(context.Background(), dpsgd.Parameters{Values: [][]float64{{1}}})
	checkError(t, err, []string{"Parameters.Values[0] has length 1"})
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err = e.Accuracy(ctx, w); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "after example 0 of 50") {
		t.Errorf("a context that has ended: error %v", err)
	}
	_, err = must(engine.NewEvaluator(m, d.Subset("empty", nil)))(t).Accuracy(context.Background(), w)
	checkError(t, err, []string{"is empty"})
}
