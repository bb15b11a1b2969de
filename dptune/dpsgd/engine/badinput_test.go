package engine_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// attempt is everything that a user gives to a run; a case of the table spoils it.
type attempt struct {
	model dpsgd.Model
	data  data.Dataset
	plan  dpsgd.Plan
	perf  engine.Performance
}

// What a user can get wrong is told before any work, and all at once: each error names package,
// field, value and rule.
func TestBadInput(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	layers := func(a *attempt, input []int, layers ...nn.Layer) {
		a.model = dpsgd.Model{Name: "mine", Input: input, Layers: layers, Loss: nn.SoftmaxCrossEntropy()}
	}
	for name, c := range map[string]struct {
		spoil func(a *attempt)
		want  []string
	}{
		"config, all at once": {func(a *attempt) {
			a.plan.Replicas[1] = dpsgd.Config{WeightDecay: -1, Optimizer: dpsgd.SGD{Momentum: -1}}
		}, []string{
			"dpsgd: Plan.Replicas[1].Sampling is nil: must be Poisson, RandomAllocation, TruncatedPoisson, FullBatch, FixedBatches, CyclicPoisson or CyclicAllocation",
			"dpsgd: Plan.Replicas[1].Steps 0: must be >= 1",
			"dpsgd: Plan.Replicas[1].ExpectedBatchSize 0: must be > 0 and finite",
			"dpsgd: Plan.Replicas[1].LearningRate 0: must be > 0 and finite",
			"dpsgd: Plan.Replicas[1].WeightDecay -1: must be >= 0 and finite",
			"dpsgd: Plan.Replicas[1].Optimizer: SGD.Momentum -1: must be in [0, 1)",
			"dpsgd: Plan.Replicas[1].NoiseMultiplier 0: must be > 0 and finite (to train without noise set NonPrivate)",
			"dpsgd: Plan.Replicas[1].ClipNorm 0: must be in [1e-18, 1e18]",
		}},
		"arguments, all at once": {func(a *attempt) {
			a.data.Labels[7], a.perf.ReplicasPerCall, a.plan.Replicas[0].Steps = -1, -2, 0
			layers(a, []int{6})
		}, []string{
			"engine: data: blobs: label -1 in row 7: must be in [0, 3)",
			`nn: model "mine": Layers is empty: must hold at least one layer`,
			"engine: Performance.ReplicasPerCall -2: must be >= 0",
			"dpsgd: Plan.Replicas[0].Steps 0: must be >= 1",
		}},
		"no replicas":    {func(a *attempt) { a.plan.Replicas = nil }, []string{"dpsgd: Plan.Replicas is empty: must hold at least one config"}},
		"label too high": {func(a *attempt) { a.data.Labels[11] = 3 }, []string{"engine: data: blobs: label 3 in row 11: must be in [0, 3)"}},
		"NaN":            {func(a *attempt) { a.data.Features[6*4+2] = nan }, []string{"engine: data: blobs: feature NaN in row 4, column 2: must be finite"}},
		"infinity":       {func(a *attempt) { a.data.Features[6*39+5] = -inf }, []string{"engine: data: blobs: feature -Inf in row 39, column 5: must be finite"}},
		"features lack":  {func(a *attempt) { a.data.Features = a.data.Features[1:] }, []string{"engine: data: blobs: 239 features: must be 240 (40 examples of 6)"}},
		"dense": {func(a *attempt) { layers(a, []int{6}, nn.Dense(6, 5), nn.ReLU(), nn.Dense(4, 3)) },
			[]string{`nn: model "mine": layer 2: Dense(4, 3): input of shape [5] has 5 values: must have 4`}},
		"convolution": {func(a *attempt) { layers(a, []int{3, 2, 1}, nn.Conv2D(3, 8, nn.Square(2, 1, 0))) },
			[]string{`nn: model "mine": layer 0: Conv2D(`, "input of shape [3 2 1] has 1 channels: must have 3"}},
		"group norm": {func(a *attempt) { layers(a, []int{6}, nn.GroupNorm(2, 6)) },
			[]string{`nn: model "mine": layer 0: GroupNorm(`, "input of shape [6]: must be [rows, columns, 6]"}},
		"outputs": {func(a *attempt) { layers(a, []int{6}, nn.Dense(6, 4)) },
			[]string{`nn: model "mine": output shape [4]: must be [3]`, "3 classes"}},
		"input": {func(a *attempt) { layers(a, []int{5}, nn.Dense(5, 3)) },
			[]string{`nn: model "mine": Input [5]: must have as many values as an example, of shape [6]`}},
		"observed checkpoints": {func(a *attempt) { a.perf.Checkpoint.Dir = t.TempDir() },
			[]string{"engine: Plan.Weights is given: must be nil with Performance.Checkpoint"}},
		"backend": {func(a *attempt) { a.perf.Backend = "tpu" }, []string{`backend: Performance.Backend "tpu": must be one of `, "go"}},
		"memory": {func(a *attempt) { a.perf.MemoryLimit, a.perf.Microbatch = 60_000, 4096 },
			[]string{"engine: estimated memory ", "of 2 replicas in microbatches of 4096: must be at most the 0.1 MB of Performance.MemoryLimit; Performance{Microbatch: ", " would fit, at 0."}},
	} {
		a := attempt{model: mlp(t, 6, 5, 3), data: blobs(40, 6, 3), plan: dpsgd.Plan{Replicas: []dpsgd.Config{private(), private()}}}
		a.data.Labels, a.data.Features = slices.Clone(a.data.Labels), slices.Clone(a.data.Features)
		a.plan.Weights = func(int, int, []float64) { t.Errorf("%s: a step was taken", name) }
		c.spoil(&a)
		_, err := engine.NewReplicas(a.model, a.data, a.plan, a.perf)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error lacks %q:\n%v", name, part, err)
			}
		}
	}
}

// Gradients that overflow during training add zero, and the run reports their number.
func TestOverflowDuringTrainingIsReported(t *testing.T) {
	m, d := mlp(t, 2, 2), blobs(10, 2, 2)
	for i := range 3 {
		d.Features[2*i] = math.MaxFloat32 // finite, so it passes; its squared norm is not
	}
	c := private()
	c.Sampling, c.Steps = dpsgd.Poisson{Rate: 1}, 4
	result := train(t, m, d, c.Plan(), engine.Performance{}, "overflow")
	if result.Excluded[0] != 3*4 || result.Diverged[0] {
		t.Errorf("excluded %d, diverged %v: want 3 examples in 4 steps, and none", result.Excluded[0], result.Diverged[0])
	}
	want := "engine: replica 0: 12 gradients were not finite and counted as zero"
	if len(result.Warnings) != 1 || result.Warnings[0].Error() != want {
		t.Errorf("warnings %v, want %q", result.Warnings, want)
	}
}
