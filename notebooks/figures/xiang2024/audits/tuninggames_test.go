package audits

import (
	"math"
	"reflect"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
)

// The gradient by hand is what the engine subtracts from the weights in a step without noise on
// the example alone, clipped or not.
func TestPerceptronGradientIsTheEngines(t *testing.T) {
	const hidden, classes = 4, 10
	on, err := tuningImages(20)
	if err != nil {
		t.Fatal(err)
	}
	model, err := models.MLP(on.train.Width(), hidden, classes)
	if err != nil {
		t.Fatal(err)
	}
	for _, clip := range []float64{0.1, 100} {
		weights := model.Init(streams.Fixed("gradient").Rand("weights"))
		for i := range weights {
			weights[i] += 0.1 * float64(i%3) // biases are not zero
		}
		plan := dpsgd.Config{
			ClipNorm: clip, NonPrivate: true, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1, Sampling: dpsgd.FullBatch{},
		}.Plan()
		plan.Initial = &dpsgd.Parameters{Tensors: model.Tensors(), Values: [][]float64{weights}}
		plan.Canary = &dpsgd.Canary{Example: &on.foreign, In: []bool{true}}
		trainer, err := engine.NewReplicas(model, on.train.Subset("nobody", nil), plan, engine.Performance{Precision: engine.Float64})
		if err != nil {
			t.Fatal(err)
		}
		result, err := trainer.Run(t.Context(), streams.Fixed("gradient"))
		if err != nil {
			t.Fatal(err)
		}
		gradient, square := make([]float64, len(weights)), 0.0
		perceptronGradient(on.foreign, hidden, classes, clip)(weights, gradient)
		for i, w := range result.Parameters.Values[0] {
			square += gradient[i] * gradient[i]
			if want := weights[i] - w; math.Abs(gradient[i]-want) > 1e-6 {
				t.Errorf("clip %g: coordinate %d is %g, the engine's %g", clip, i, gradient[i], want)
			}
		}
		if norm := math.Sqrt(square); clip == 0.1 && math.Abs(norm-clip) > 1e-9 || clip == 100 && !(norm > 0.1 && norm < 10) {
			t.Errorf("clip %g: norm %g", clip, norm)
		}
	}
}

// Games depend on their numbers alone, not on how they are cut into shards.
func TestTuningDoesNotDependOnShards(t *testing.T) {
	whole := tuning(2, 2, 1, 20, 3)
	whole.BaseEpsilons = []float64{4}
	play := func(c TuningConfig) []TuningAudits {
		var parts []experiments.Part[TuningShard]
		for i := range Tuning.Shards(c) {
			shard, err := playTuning(t.Context(), c, i, experiments.Env{})
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, experiments.Part[TuningShard]{Index: i, Result: shard})
		}
		all, err := mergeTuning(c, parts)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	want, cut := play(whole), whole
	cut.PerShard = 1
	if got := play(cut); !reflect.DeepEqual(got, want) {
		t.Errorf("in two shards %+v, in one %+v", got, want)
	}
	if len(want) != 1 || len(want[0].Normal.Dirac.ByCoordinate.Dirac) != 2 || len(want[0].Empty.Dirac.BaseDirac) != 0 {
		t.Errorf("%+v", want)
	}
}
