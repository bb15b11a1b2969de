package candidate

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// Searches of up to 64 runs train 12 numbers of models, fewer than half as many again as were asked for, and exactly that many on go.
func TestNumbersOfModels(t *testing.T) {
	model, err := models.MLP(64, 10)
	if err != nil {
		t.Fatal(err)
	}
	config := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 10, ExpectedBatchSize: 100}
	numbers := map[int]bool{}
	for runs := 1; runs <= 64; runs++ {
		n := runs + padding(runs, model, config, "xla:cpu")
		if numbers[n] = true; n < runs || 2*n >= 3*runs && n > runs {
			t.Errorf("%d runs train as %d models: want as many, or fewer than half as many again", runs, n)
		}
		if more := padding(runs, model, config, "go"); more != 0 {
			t.Errorf("%d runs: %d more on go, which compiles nothing", runs, more)
		}
	}
	if want := []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}; len(numbers) != len(want) {
		t.Errorf("numbers of models %v: want %v", numbers, want)
	}
	long := config
	long.Steps = 1e6
	if more := padding(5, model, long, "xla:cpu"); more != 0 {
		t.Errorf("5 long runs: %d more, which take longer than compiling", more)
	}
}

// A search whose runs fit into the memory trains without those that would be thrown away, if they do not.
func TestPaddingTakesNoMemoryThatIsNotThere(t *testing.T) {
	const runs = 5
	c := small(t)
	c.Performance = engine.Performance{Backend: anotherBackend(t, "test-padded"), ReplicasPerCall: 8, Goroutines: 1, StepsPerCall: 1}
	need := func(replicas int) int64 {
		plan := c.Configure(1).Plan()
		plan.Replicas = slices.Repeat(plan.Replicas, replicas)
		memory, _, err := engine.EstimateMemory(c.Model, c.Train.Len(), plan, c.Performance)
		if err != nil {
			t.Fatal(err)
		}
		return memory.Total()
	}
	padded := runs + padding(runs, c.Model, c.Configure(1), c.Performance.Backend)
	if c.Performance.MemoryLimit = need(runs); need(padded) <= c.Performance.MemoryLimit {
		t.Fatalf("%d models need %d bytes and %d need %d: this test shows nothing", runs, need(runs), padded, need(padded))
	}
	var roots []streams.Root
	for i := range runs {
		roots = append(roots, streams.Fixed("memory").Child(strconv.Itoa(i)))
	}
	outcomes, err := c.RunAll(t.Context(), []float64{1, 2, 3, 4, 5}, roots)
	if err != nil || len(outcomes) != runs {
		t.Errorf("%d outcomes, error %v", len(outcomes), err)
	}
	c.Performance.MemoryLimit--
	if _, err := c.RunAll(t.Context(), []float64{1, 2, 3, 4, 5}, roots); !errors.Is(err, engine.ErrMemory) {
		t.Errorf("a byte less: error %v, want %v", err, engine.ErrMemory)
	}
}

// anotherBackend registers the go backend by a name that the engine does not know as such, and returns the name.
func anotherBackend(t *testing.T, name string) string {
	t.Helper()
	if err := backend.Register(name, func() (compute.Backend, error) { return gobackend.New("ops_sequential") }); err != nil {
		t.Fatal(err)
	}
	return name
}

// How many runs train at the same time moves their rounding, but on the go backend: another number is another search. It follows from
// goroutines, and on a device from its memory.
func TestChunksAreInTheIdentity(t *testing.T) {
	c, hs := small(t), []float64{1}
	identity := func(p engine.Performance) string {
		t.Helper()
		c.Performance = p
		sum, err := c.Identity(hs)
		if err != nil || sum == nil {
			t.Fatal(sum, err)
		}
		return string(sum)
	}
	cores, device := anotherBackend(t, "test-cores"), anotherBackend(t, "test-device")
	if err := backend.SetDeviceMemory(device, func() int64 { return 1 << 34 }); err != nil {
		t.Fatal(err)
	}
	for name, same := range map[string]bool{"go": true, cores: false} {
		two, three := identity(engine.Performance{Backend: name, Goroutines: 2}), identity(engine.Performance{Backend: name, Goroutines: 3})
		if (two == three) != same || two != identity(engine.Performance{Backend: name, Goroutines: 2}) {
			t.Errorf("%s: two and three goroutines have one identity: %v, want %v", name, two == three, same)
		}
	}
	if identity(engine.Performance{Backend: device}) == identity(engine.Performance{Backend: device, MemoryLimit: 1 << 24}) {
		t.Error("on a device, a memory limit that makes other groups does not make another search")
	}
	one := identity(engine.Performance{Backend: cores})
	if err := backend.SetKernels(cores, func() string { return "others" }); err != nil || identity(engine.Performance{Backend: cores}) == one {
		t.Errorf("other kernels do not make another search: %v", err)
	}
	if !strings.Contains(build, "code version "+checkpoint.CodeVersion+",") {
		t.Errorf("the build %q does not tell the version of the engine's code", build)
	}
}
