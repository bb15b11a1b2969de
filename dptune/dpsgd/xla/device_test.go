//go:build cgo && linux

package xla

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// posing is the CPU's plugin in place of a device with its own memory. Its name hides the CPU from
// go-xla, and it has no shared buffers, so all data are sent to it.
func posing(t *testing.T) string {
	t.Helper()
	const name = "posing"
	link := filepath.Join(t.TempDir(), "posing_plugin.so")
	if err := os.Symlink(installed(t), link); err != nil {
		t.Fatal(err)
	}
	open := func() (compute.Backend, error) { return load(link + ",shared_buffers=false") }
	if err := errors.Join(backend.Register(name, open), backend.SetDeviceMemory(name, func() int64 { return 1 << 30 })); err != nil {
		t.Fatal(err)
	}
	return name
}

// A device receives all that it needs, and makes the words of the noise. Calls have the constant
// number of steps or fewer, separate or shared batches, and crafted gradients and examples.
func TestTrainingOnADeviceAgreesWithGo(t *testing.T) {
	backend := posing(t)
	compareWithGo(t, backend)
	example := &dpsgd.Example{Features: []float32{1, -1, 2, 0, 1, 3}, Label: 2}
	in, several := []bool{true, false, true, true}, [][]bool{{true, false}, {true, true}, {false, false}, {false, true}}
	for name, plan := range map[string]dpsgd.Plan{
		"shared example": {SharedBatches: true, Canary: &dpsgd.Canary{Example: example, In: in}},
		"gradient":       {SharedBatches: true, Canary: &dpsgd.Canary{Gradient: unit(7), In: in}},
		"gradients of each step": {Canary: &dpsgd.Canary{In: in, GradientAt: func(step, replica int) []float64 {
			return unit(step + replica)
		}}},
		"many canaries":          {Canaries: &dpsgd.Canaries{Coordinates: []int{2, 9}, In: several}},
		"many canary examples":   {Canaries: &dpsgd.Canaries{Examples: []dpsgd.Example{*example, *example}, In: several}},
		"directions of canaries": {Canaries: &dpsgd.Canaries{Gradients: [][]float64{unit(2), unit(9)}, In: several}},
	} {
		plan.Replicas = []dpsgd.Config{config, config, config, config}
		plan.Probes = [][]float64{unit(0)}
		comparePlan(t, name, backend, plan, engine.Performance{ReplicasPerCall: 2, StepsPerCall: 4})
	}
	comparePlan(t, "microbatches", backend, config.Plan(), engine.Performance{Microbatch: 5})
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{config, config}, Generator: dpsgd.AES256}
	comparePlan(t, "words that are sent", backend, plan, engine.Performance{StepsPerCall: 4})
}

// unit returns a gradient of norm 0.5 along one axis.
func unit(axis int) []float64 {
	gradient := make([]float64, (6+1)*5+(5+1)*3)
	gradient[axis] = 0.5
	return gradient
}

// What a device holds is one chunk by default, of as many models as fit.
func TestDefaultsOfADevice(t *testing.T) {
	const name = "of 1 GB"
	none := func() (compute.Backend, error) { return nil, errors.New("is not opened here") }
	if err := errors.Join(backend.Register(name, none), backend.SetDeviceMemory(name, func() int64 { return 1 << 30 })); err != nil {
		t.Fatal(err)
	}
	model := network(t)
	for _, c := range []struct {
		replicas, chunk int
		limit           int64
	}{{1, 1, 0}, {64, 64, 0}, {5000, 5000, 0}, {40_000, 10_000, 0}, {40_000, 40_000, -1}, {64, 13, 1e6}} {
		plan := dpsgd.Plan{SharedBatches: true, Replicas: slices.Repeat([]dpsgd.Config{config}, c.replicas)}
		need, perf, err := engine.EstimateMemory(model, 60, plan, engine.Performance{Backend: name, MemoryLimit: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		if perf.ReplicasPerCall != c.chunk || perf.Goroutines != 2 || perf.StepsPerCall != 32 || need.Host < int64(8*c.replicas*model.Size()) {
			t.Errorf("%d models, limit %d: chunk %d, goroutines %d, %d steps a call, %v: want a chunk of %d, 2 goroutines and 32 steps",
				c.replicas, c.limit, perf.ReplicasPerCall, perf.Goroutines, perf.StepsPerCall, need, c.chunk)
		}
	}
	wide, err := models.MLP(784, 120, 120, 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, perf, err := engine.EstimateMemory(wide, 60, config.Plan(), engine.Performance{Backend: name}); err != nil || perf.StepsPerCall != 9 {
		t.Errorf("%d parameters: %d steps a call, %v: want 2^20 over 109,930, which is 9", wide.Size(), perf.StepsPerCall, err)
	}
	if err := backend.SetDeviceMemory("nobody", nil); err == nil {
		t.Error("a backend that nobody registered was given memory")
	}
}

// The driver reports the memory of its first device. Without a driver it is 0.
func TestMemoryOfCUDA(t *testing.T) {
	if got := driverMemory("no-such-driver.so"); got != 0 {
		t.Errorf("no driver: %d bytes", got)
	}
	for want, source := range map[int64]string{
		85_520_809_984: `int cuInit(unsigned f) { return f; } int cuDeviceGet(int *d, int i) { *d = 7 + i; return 0; }
			int cuDeviceTotalMem_v2(unsigned long *n, int d) { *n = d == 7 ? 85520809984 : 1; return 0; }`,
		0: `int cuInit(unsigned f) { return 100; } int cuDeviceGet(int *d, int i) { return 0; } int cuDeviceTotalMem_v2(unsigned long *n, int d) { *n = 1; return 0; }`,
	} {
		if got := driverMemory(library(t, source)); got != want {
			t.Errorf("a driver that knows %d bytes: %d", want, got)
		}
	}
}

// The driver names its first device. Without a driver the name is empty.
func TestNameOfDevice(t *testing.T) {
	driver := library(t, `int cuInit(unsigned f) { return f; } int cuDeviceGet(int *d, int i) { *d = 7 + i; return 0; }
		int cuDeviceGetName(char *name, int size, int d) { name[0] = 'G'; name[1] = '0' + d; name[2] = 0; return size < 3; }`)
	if name, none := deviceName(driver), deviceName("no-such-driver.so"); name != "G7" || none != "" {
		t.Errorf("devices %q and, without a driver, %q: want G7 and none", name, none)
	}
}

// Drivers are identified by the library and by the module. Without a driver the version is empty,
// as for one that reports none.
func TestDriverVersions(t *testing.T) {
	module := filepath.Join(t.TempDir(), "version")
	seen := map[string]bool{driverVersion("no-such-driver.so", module): true}
	for _, version := range []int{12080, 13000} {
		driver := library(t, fmt.Sprintf(`int cuDriverGetVersion(int *v) { *v = %d; return 0; }`, version))
		for _, text := range []string{"580.1", "580.2"} {
			if err := os.WriteFile(module, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			seen[driverVersion(driver, module)] = true
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d versions, want 5: %v", len(seen), seen)
	}
}

var config = dpsgd.Config{ClipNorm: 0.5, NoiseMultiplier: 1, Sampling: dpsgd.Poisson{Rate: 0.3}, Steps: 6, ExpectedBatchSize: 18, LearningRate: 0.5, Optimizer: dpsgd.SGD{Momentum: 0.5}}

func compareWithGo(t *testing.T, backend string) {
	t.Helper()
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{config, config}}
	weights := comparePlan(t, "two models", backend, plan, engine.Performance{})
	var losses [][][]float64
	for _, name := range []string{"go", backend} {
		perf := engine.Performance{Backend: name, Precision: engine.Float64, Microbatch: 40}
		evaluator, err := engine.NewEvaluator(network(t), waves(), perf)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // what was kept on a device is used again
			list, err := evaluator.Losses(context.Background(), weights)
			if err != nil {
				t.Fatal(err)
			}
			losses = append(losses, list)
		}
	}
	for _, list := range losses[1:] {
		compareRows(t, "losses on "+backend, list, losses[0])
	}
}

func network(t *testing.T) dpsgd.Model {
	t.Helper()
	model, err := models.MLP(6, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// comparePlan trains by a plan on go and on a backend, compares weights and probes, and returns
// the weights.
func comparePlan(t *testing.T, what, backend string, plan dpsgd.Plan, perf engine.Performance) dpsgd.Parameters {
	t.Helper()
	return compareModel(t, what, network(t), waves(), backend, plan, perf)
}

// compareModel is comparePlan for any model and data.
func compareModel(t *testing.T, what string, model dpsgd.Model, train data.Dataset, backend string, plan dpsgd.Plan, perf engine.Performance) dpsgd.Parameters {
	t.Helper()
	run := func(perf engine.Performance) *engine.Results {
		perf.Precision = engine.Float64
		trainer, err := engine.NewReplicas(model, train, plan, perf)
		if err != nil {
			t.Fatal(err)
		}
		result, err := trainer.Run(context.Background(), streams.Fixed("agree"))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	perf.Backend = backend
	got := run(perf)
	plan.Generator = got.Generator
	want := run(engine.Performance{Microbatch: perf.Microbatch})
	compareRows(t, what+": weights on "+backend, got.Parameters.Values, want.Parameters.Values)
	for r := range want.Probes {
		compareRows(t, what+": probes on "+backend, got.Probes[r], want.Probes[r])
	}
	return want.Parameters
}

// waves returns some data.
func waves() data.Dataset {
	d := data.Dataset{Name: "waves", Shape: []int{6}, Classes: 3}
	for i := range 60 {
		for j := range 6 {
			d.Features = append(d.Features, float32(math.Sin(float64(7*i*i+3*j*j+i*j))))
		}
		d.Labels = append(d.Labels, int32(i%3))
	}
	return d
}

// compareRows fails unless numbers agree to 1e-12.
func compareRows(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	for r := range want {
		for i, w := range want[r] {
			if g := got[r][i]; math.Abs(g-w) > 1e-12*(1+math.Abs(w)) {
				t.Errorf("%s: row %d, number %d is %.17g, and %.17g on go", what, r, i, g, w)
			}
		}
	}
}
