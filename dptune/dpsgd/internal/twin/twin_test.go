package twin

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

var (
	runs  = flag.Int("twin.runs", 0, "how many random runs are compared; 0 is some")
	first = flag.Uint64("twin.first", 1, "the seed of the first")
)

// TestMain runs the tests on the backend that DPLAB_TEST_BACKEND names, if it does.
func TestMain(m *testing.M) {
	if name := os.Getenv("DPLAB_TEST_BACKEND"); name != "" {
		err := os.Setenv(backend.Variable, name)
		if _, failed := backend.Open(""); failed != nil {
			err = failed
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// Weights after every step, and products with probes, equal the twin's. Networks have all layers
// and losses, and batches all kinds, including empty ones, in microbatches of one to more than all.
// Replicas differ in all that they may: clipping, optimizers, canaries of all kinds, and both
// ciphers. In float64 3,000 runs on the go backend agree to 1e-10 of the norm. The tolerance leaves
// room for rounding in a group normalization of nearly equal numbers.
func TestRunsAreTheTwins(t *testing.T) {
	count := *runs
	if count == 0 {
		if count = 100; backend.Named("") != backend.Go { // each run compiles its own programs
			count = 6
		}
	}
	refused, drawn := 0, ""
	for seed := *first; seed < *first+uint64(count); seed++ {
		rng := rand.New(rand.NewPCG(77, seed))
		n := randomNetwork(rng)
		drawn += n.model().String() + " "
		d := n.examples(rng)
		plan := randomPlan(rng, n, d.Len())
		perf := engine.Performance{
			Precision: engine.Float64, Microbatch: oneOf(rng, 0, 1, 2, 3, 5, 64), ReplicasPerCall: rng.IntN(4), Goroutines: rng.IntN(4),
		}
		got := make([][][]float64, len(plan.Replicas))
		plan.Weights = func(_, replica int, w []float64) { got[replica] = append(got[replica], slices.Clone(w)) }
		trainer, err := engine.NewReplicas(n.model(), d, plan, perf)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		name := fmt.Sprintf("twin %d", seed)
		result, err := trainer.Run(context.Background(), streams.Fixed(name))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for r := range plan.Replicas {
			weights, probes, average := newPlain(n, d, plan, r, name).run()
			if last := weights[len(weights)-1]; math.IsNaN(length(last)) || math.IsInf(length(last), 0) {
				refused++ // without clipping, runs may diverge
				continue
			}
			what := fmt.Sprintf("seed %d, replica %d of %v\n%+v\n%+v\n", seed, r, n.model(), plan.Replicas[r], perf)
			if plan.Average > 0 {
				compare(t, what+"average", len(weights), result.Averaged.Values[r], average)
			}
			for step := range weights {
				compare(t, what+"weights", step, got[r][step], weights[step])
				if len(plan.Probes) > 0 {
					compare(t, what+"probes", step, result.Probes[r][step], probes[step])
				}
			}
		}
	}
	if refused > count/10 {
		t.Errorf("%d of %d runs diverged: the test says little", refused, count)
	}
	for _, name := range layerNames {
		if count >= 100 && !regexp.MustCompile(`\b`+name+`\b`).MatchString(drawn) {
			t.Errorf("no network of %d has the layer %s", count, name)
		}
	}
}

// layerNames are the layers of package nn that some networks have. Others have their own tests:
// layers with coins, views, and Auto, whose gradients are not explicit.
var layerNames = []string{
	"Dense", "LoRA", "Conv2D", "Conv2DNoBias", "WeightStandardized", "MaxPool", "AvgPool", "GlobalAvgPool", "GroupNorm", "Embedding",
	"EmbeddingMean", "Positions", "SinusoidalPositions", "Attention", "GRU", "LSTM", "Conv1D", "MeanPlaces", "LastPlace", "PerPlace",
	"LayerNorm", "RMSNorm", "Flatten", "ReLU", "GELU", "SiLU", "Tanh", "Sigmoid", "TemperedSigmoid", "Residual", "Frozen",
}

func compare(t *testing.T, what string, step int, got, want []float64) {
	t.Helper()
	const relative, absolute = 1e-7, 1e-10
	off := make([]float64, len(want))
	for i := range want {
		off[i] = got[i] - want[i]
	}
	if !(length(off) <= relative*length(want)+absolute) {
		t.Fatalf("%s after step %d: off by %.3g of norm %.3g", what, step, length(off), length(want))
	}
}
