package engine_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// A trainer of one model gives what a plan of one replica gives, bit for bit, and each model of a
// run by itself has its config, its weights and its probes.
func TestOneModelIsOneReplica(t *testing.T) {
	m, d, root := mlp(t, 6, 5, 3), blobs(40, 6, 3), streams.Fixed("one model")
	config := private()
	one := must(must(engine.NewTrainer(m, d, config))(t).Run(t.Context(), root))(t)
	all := must(must(engine.NewReplicas(m, d, config.Plan()))(t).Run(t.Context(), root))(t)
	if !reflect.DeepEqual(one.Parameters, all.Parameters) || !reflect.DeepEqual(one.Config, config) || one.Seeded != all.Seeded {
		t.Errorf("one model is %v by %v, the only replica %v by %v", one.Parameters, one.Config, all.Parameters, all.Configs)
	}

	plan := dpsgd.Plan{Replicas: several(3), Probes: [][]float64{unit(m.Size(), 0, 1)}}
	results := must(must(engine.NewReplicas(m, d, plan))(t).Run(t.Context(), root))(t)
	accuracy, classes, outputs := must(results.Accuracy(t.Context(), d))(t), must(results.Predict(t.Context(), d))(t), must(results.Outputs(t.Context(), d))(t)
	for i := range plan.Replicas {
		of := results.Model(i)
		if !reflect.DeepEqual(of.Config, plan.Replicas[i]) || !sameBits(of.Parameters.Values[0], results.Parameters.Values[i]) || len(of.Parameters.Values) != 1 {
			t.Errorf("model %d has config %v and weights %v, want those of its replica", i, of.Config, of.Parameters.Values)
		}
		if !reflect.DeepEqual(of.Probes, results.Probes[i]) || of.Diverged != results.Diverged[i] || of.Excluded != results.Excluded[i] {
			t.Errorf("model %d has what another replica noted", i)
		}
		if got := must(of.Accuracy(t.Context(), d))(t); got != accuracy[i] {
			t.Errorf("model %d: accuracy %g, want %g", i, got, accuracy[i])
		}
		if got := must(of.Predict(t.Context(), d))(t); !reflect.DeepEqual(got, classes[i]) {
			t.Errorf("model %d: classes %v, want %v", i, got, classes[i])
		}
		if got := must(of.Outputs(t.Context(), d))(t); !reflect.DeepEqual(got, outputs[i]) {
			t.Errorf("model %d: outputs %v, want %v", i, got, outputs[i])
		}
	}
	if _, err := results.Model(0).Accuracy(t.Context(), d.Subset("empty", nil)); err == nil {
		t.Error("no error: accuracy on no example")
	}
}

// Settings that are given twice are refused by everything that takes them.
func TestPerformanceIsGivenOnce(t *testing.T) {
	m, d, w := mlp(t, 6, 5, 3), blobs(40, 6, 3), dpsgd.Parameters{}
	var one engine.Performance
	fails := map[string]func() error{
		"NewTrainer":     func() error { _, err := engine.NewTrainer(m, d, private(), one, one); return err },
		"NewReplicas":    func() error { _, err := engine.NewReplicas(m, d, private().Plan(), one, one); return err },
		"NewEvaluator":   func() error { _, err := engine.NewEvaluator(m, d, one, one); return err },
		"Predict":        func() error { _, err := engine.Predict(t.Context(), m, w, d, one, one); return err },
		"EstimateMemory": func() error { _, _, err := engine.EstimateMemory(m, 40, private().Plan(), one, one); return err },
		"CheckLayer":     func() error { return engine.CheckLayer(m.Layers[0], []int{6}, one, one) },
		"CheckLoss":      func() error { return engine.CheckLoss(m.Loss, 3, one, one) },
	}
	for name, f := range fails {
		if err := f(); err == nil || !strings.Contains(err.Error(), "2 values of Performance: must be at most one") {
			t.Errorf("%s: error %v, want one of two settings", name, err)
		}
	}
}
