//go:build cgo && linux

package xla

import (
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/dpsgd/xla/plugin"
	"github.com/dplab/dplab/dptune/internal/kernel"
	"github.com/dplab/dplab/dptune/models"
)

// lessCompiling leaves out LLVM's optimizations, which take most of the time of compiling.
const lessCompiling = "XLA_FLAGS=--xla_backend_optimization_level=0"

// Each variant changes a program of a device, and its weights agree with those of the go backend to
// 1e-12. It changes no program of the processor.
func TestVariants(t *testing.T) {
	path, folder := installed(t), t.TempDir()
	run := func(work, list string) int {
		t.Helper()
		start := time.Now()
		s := trainedElsewhere(t, work, folder, lessCompiling, deviceOf+"="+path, kernel.VariantsVariable+"="+list)
		t.Logf("%s, %q: %d programs compiled, %d found, %v", work, list, s.Compiled, s.Found, time.Since(start).Round(time.Second/10))
		return s.Compiled
	}
	for work, variants := range map[string][]kernel.Variant{
		perceptron: {kernel.ChaChaTurns, kernel.TinyProducts, kernel.UnrolledSteps},
		pooled:     {kernel.ContractedPhases},
		plain:      {kernel.OneProduct},
	} {
		if testing.Short() && work != perceptron {
			continue
		}
		if run(work, "") == 0 {
			t.Fatal("nothing was compiled")
		}
		if work == perceptron && !testing.Short() { // compiles longest
			variants = append(variants, kernel.ChaChaUnrolled)
		}
		for _, v := range variants {
			if run(work, string(v)) == 0 {
				t.Errorf("%s: no program of a device changes", v)
			}
		}
	}
	const all = "chacha-turns,tiny-products,one-product,unrolled-steps,contracted-phases"
	before := trainedElsewhere(t, "train", folder, lessCompiling)
	if s := trainedElsewhere(t, "train", folder, lessCompiling, kernel.VariantsVariable+"="+all); s.Compiled != 0 || s.Found == 0 || before.Compiled == 0 {
		t.Errorf("%d programs of the processor change, %d do not", s.Compiled, s.Found)
	}
}

// The networks that variants are compared on.
const (
	perceptron = "a perceptron on a device"
	pooled     = "pooled convolutions on a device"
	plain      = "convolutions on a device"
)

// trainPerceptron trains three models with own batches on a posing device and on go.
func trainPerceptron(t *testing.T) [][]float64 {
	compareSteps(t, posingAndKept(t), network(t), waves(), dpsgd.Plan{})
	return nil
}

func trainPooled(t *testing.T) [][]float64 {
	layers, plan := pooledLayers()
	compareImages(t, posingAndKept(t), plan, layers...)
	return nil
}

func trainPlain(t *testing.T) [][]float64 {
	layers, plan := plainLayers()
	compareImages(t, posingAndKept(t), plan, layers...)
	return nil
}

// pooledLayers are a pooled convolution whose windows miss the last pixels, with own batches.
func pooledLayers() ([]nn.Layer, dpsgd.Plan) {
	return []nn.Layer{nn.Conv2D(2, 3, nn.Square(2, 1, 0)), nn.MaxPool(nn.Square(2, 2, 0)), nn.ReLU(), nn.Flatten(), nn.Dense(12, 3)}, dpsgd.Plan{}
}

// plainLayers are two convolutions, so the second has a gradient at its inputs.
func plainLayers() ([]nn.Layer, dpsgd.Plan) {
	return []nn.Layer{nn.Conv2D(2, 3, nn.Square(3, 1, 1)), nn.Tanh(), nn.Conv2D(3, 2, nn.Square(2, 2, 0)), nn.Flatten(), nn.Dense(8, 3)},
		dpsgd.Plan{SharedBatches: true}
}

// compareImages trains layers on images with an odd side on a backend and on go.
func compareImages(t *testing.T, backend string, plan dpsgd.Plan, layers ...nn.Layer) {
	t.Helper()
	images := waves()
	images.Shape, images.Features = []int{5, 5, 2}, nil
	for i := range images.Len() * images.Width() {
		images.Features = append(images.Features, float32((i*i*7+i*3)%23)/11-1)
	}
	model, err := models.Sequential("images", images.Shape, layers...)
	if err != nil {
		t.Fatal(err)
	}
	compareSteps(t, backend, model, images, plan)
}

// compareSteps compares weights and products with a probe after four steps in one call.
func compareSteps(t *testing.T, backend string, model dpsgd.Model, train data.Dataset, plan dpsgd.Plan) {
	t.Helper()
	config := config
	config.Steps = 4
	plan.Replicas = []dpsgd.Config{config, config, config}
	plan.Probes = [][]float64{make([]float64, model.Size())}
	plan.Probes[0][model.Size()/2] = 1
	compareModel(t, model.Name, model, train, backend, plan, engine.Performance{ReplicasPerCall: 3, StepsPerCall: 4})
}

// A wrong list keeps the backend of a device from opening, and only that one.
func TestWrongVariants(t *testing.T) {
	installed(t)
	trainedElsewhere(t, "wrong variants", t.TempDir(), kernel.VariantsVariable+"=faster")
}

// openWithWrongVariants opens both backends.
func openWithWrongVariants(t *testing.T) [][]float64 {
	if _, err := open(plugin.CUDA); err == nil || !strings.Contains(err.Error(), `DPLAB_GPU_VARIANTS "faster": must be of chacha-turns, `) {
		t.Errorf("%s: error %v", plugin.CUDA, err)
	}
	if _, err := open(plugin.CPU); err != nil {
		t.Errorf("%s: error %v", plugin.CPU, err)
	}
	return nil
}
