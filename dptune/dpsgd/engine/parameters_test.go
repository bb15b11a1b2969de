package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// Weights of another architecture with the same number of parameters are refused, by trainers and
// evaluators. Loaded from a file they keep their architecture. Weights without an architecture are
// accepted.
func TestParametersOfAnotherArchitectureAreRefused(t *testing.T) {
	sequential := func(layers ...nn.Layer) dpsgd.Model {
		return must(models.Sequential("m", []int{4}, layers...))(t)
	}
	d, c := blobs(12, 4, 3), clipOnly(1)
	tanh := sequential(nn.Dense(4, 3), nn.Tanh(), nn.Dense(3, 3))
	trained := train(t, tanh, d, c.Plan(), engine.Performance{}, "trained").Parameters
	var loaded dpsgd.Parameters
	if err := json.Unmarshal(must(json.Marshal(trained))(t), &loaded); err != nil {
		t.Fatal(err)
	}
	unknown, named := trained, trained.Replica(0)
	unknown.Architecture, unknown.Tensors = "", nil
	named.Architecture = ""
	fewer := named
	fewer.Tensors = fewer.Tensors[:3]
	relu := sequential(nn.Dense(4, 3), nn.ReLU(), nn.Dense(3, 3))
	turned := sequential(nn.Tanh(), nn.Dense(4, 3), nn.Dense(3, 3))
	for name, c := range map[string]struct {
		model dpsgd.Model
		p     dpsgd.Parameters
		want  string
	}{
		"equal":         {tanh, trained, ""},
		"loaded":        {tanh, loaded, ""},
		"unknown":       {relu, unknown, ""},
		"same tensors":  {relu, named, ""},
		"activation":    {relu, trained, `.Architecture "[4]: Dense(4, 3), Tanh, Dense(3, 3)": must be "[4]: Dense(4, 3), ReLU, Dense(3, 3)", as model "m" has`},
		"loaded too":    {relu, loaded, ".Architecture"},
		"other order":   {turned, named, `.Tensors[0] is "0 Dense(4, 3) weights" of shape [3 4]: must be as in model "m"`},
		"fewer tensors": {tanh, fewer, ".Tensors has 3 entries: must have 4"},
	} {
		plan := clipOnly(1).Plan()
		plan.Initial = &c.p
		_, initial := engine.NewReplicas(c.model, d, plan)
		_, accuracy := engine.Accuracy(context.Background(), c.model, c.p, d)
		_, losses := engine.Losses(context.Background(), c.model, c.p, d)
		for what, err := range map[string]error{"Plan.Initial": initial, "Accuracy": accuracy, "Losses": losses} {
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: %s: error %v, want one that says %q", name, what, err, c.want)
			}
		}
	}
}
