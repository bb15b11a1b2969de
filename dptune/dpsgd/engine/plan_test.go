package engine_test

import (
	"reflect"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// What was validated and priced is what runs: a change of the caller's plan, or of one that a
// trainer or a result gave out, changes neither what runs nor what is reported.
func TestPlanCannotBeChangedAfterwards(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	gradient := make([]float64, m.Size())
	gradient[0] = 0.5
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{private(), private()}, Canary: &dpsgd.Canary{Gradient: gradient, In: []bool{true, false}}}
	for r := range plan.Replicas {
		plan.Replicas[r].Clipping = dpsgd.PerLayerClipping{Norms: []float64{0.3, 0.4}}
	}
	want := train(t, m, d, plan, engine.Performance{}, "plan")
	tr := trainer(t, m, d, plan, engine.Performance{})
	spoil := func(p dpsgd.Plan) {
		p.Replicas[0].NoiseMultiplier = 1e-9
		p.Replicas[1].Clipping.(dpsgd.PerLayerClipping).Norms[0] = 1e9
		p.Canary.Gradient[0], p.Canary.In[1] = 1e9, true
	}
	spoil(plan)
	spoil(tr.Plan())
	for range 2 {
		got := must(tr.Run(t.Context(), streams.Fixed("plan")))(t)
		if !reflect.DeepEqual(got.Parameters.Values, want.Parameters.Values) {
			t.Error("a change of the plan after NewReplicas changes what runs")
		}
		if got.Configs[0].NoiseMultiplier != 1.1 || got.Configs[1].Clipping.(dpsgd.PerLayerClipping).Norms[0] != 0.3 {
			t.Errorf("configs %+v are not those that ran", got.Configs)
		}
		got.Configs[0].NoiseMultiplier, got.Configs[1].Clipping.(dpsgd.PerLayerClipping).Norms[0] = 1e-9, 1e9
	}
}
