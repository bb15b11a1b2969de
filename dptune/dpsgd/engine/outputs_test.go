package engine_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// Outputs of linear models are W x + b, computed here, whatever the parts that examples and models are taken in.
func TestOutputs(t *testing.T) {
	m, d := must(models.Sequential("linear", []int{4}, nn.Dense(4, 3)))(t), blobs(23, 4, 3)
	w := randomWeights(m, 0.6)
	w.Values = append(w.Values, randomWeights(m, -2).Values...)
	for _, perf := range []engine.Performance{{Precision: engine.Float64}, {Precision: engine.Float64, Microbatch: 7, ReplicasPerCall: 1}} {
		got := must(engine.Outputs(context.Background(), m, w, d, perf))(t)
		for r := range got {
			if len(got[r]) != 3*23 {
				t.Fatalf("%d outputs, want 3 for each of 23 examples", len(got[r]))
			}
			for i := range d.Len() {
				for k, want := range linear(w.Values[r], d.Row(i), 3) {
					if z := got[r][3*i+k]; math.Abs(z-want) > 1e-13*(1+math.Abs(want)) {
						t.Errorf("output %d of example %d of model %d is %g, want %g", k, i, r, z, want)
					}
				}
			}
		}
	}
}

// What the last layer makes of the features is what the model makes of the examples.
func TestFeatures(t *testing.T) {
	ctx, m, d := context.Background(), mlp(t, 4, 5, 3), blobs(23, 4, 3)
	w := randomWeights(m, 0.6)
	features := must(engine.Features(ctx, m, w, 2, d))(t)
	if features.Width() != 5 || features.Classes != 3 || !slices.Equal(features.Labels, d.Labels) {
		t.Fatalf("features of width %d, %d classes", features.Width(), features.Classes)
	}
	last := must(models.Sequential("last", []int{5}, nn.Dense(5, 3)))(t)
	tail := dpsgd.Parameters{Values: [][]float64{w.Values[0][4*5+5:]}}
	got := must(engine.Outputs(ctx, last, tail, features))(t)[0]
	for i, want := range must(engine.Outputs(ctx, m, w, d))(t)[0] {
		if math.Abs(got[i]-want) > 1e-5*(1+math.Abs(want)) { // some ten roundings of float32
			t.Errorf("output %d is %g from features, %g from examples", i, got[i], want)
		}
	}
}

func TestFeaturesRefuse(t *testing.T) {
	ctx, m, d := context.Background(), mlp(t, 4, 5, 3), blobs(23, 4, 3)
	w := randomWeights(m, 0.6)
	two := w
	two.Values = append(two.Values[:1:1], w.Values...)
	for want, f := range map[string]func() error{
		"layers 0: must be in [1, 3]": func() error { _, err := engine.Features(ctx, m, w, 0, d); return err },
		"layers 4: must be in [1, 3]": func() error { _, err := engine.Features(ctx, m, w, 4, d); return err },
		"parameters of 2 models: must be of one": func() error {
			_, err := engine.Features(ctx, m, two, 1, d)
			return err
		},
		"Layers is empty": func() error { _, err := engine.Features(ctx, nn.Model{}, w, 1, d); return err },
		"Parameters.Values is empty": func() error {
			_, err := engine.Features(ctx, m, dpsgd.Parameters{}, 1, d)
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}
