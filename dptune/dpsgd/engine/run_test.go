package engine_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// A step on no data at all is a noisy step: weights move by noise of the stated size.
func TestEmptyBatchTakesANoisyStep(t *testing.T) {
	m := mlp(t, 30, 20, 5)
	empty := blobs(0, 30, 5)
	c := private()
	c.Steps = 1
	initial := randomWeights(m, 0.5)
	plan := c.Plan()
	plan.Initial = &initial
	got := train(t, m, empty, plan, engine.Performance{}, "empty").Parameters.Values[0]
	// Each coordinate moves by η/B σC N(0, 1). So the mean square over P coordinates is 1 ± 5.33
	// √(2/P) of that squared, except with chance 1e-7.
	std := c.LearningRate / c.ExpectedBatchSize * c.NoiseStdDev()
	ratio := distance(got, initial.Values[0]) * distance(got, initial.Values[0]) / float64(m.Size()) / (std * std)
	if allowed := 5.33 * math.Sqrt(2/float64(m.Size())); math.Abs(ratio-1) > allowed {
		t.Errorf("mean square of the move over its law's: %g, want 1 ± %g", ratio, allowed)
	}
}

// The update adds σC N(0, 1) to the clipped sum, once a step, of each replica's own σC:
// probes along coordinates, less the sum known from ClippedSums.
func TestNoiseOfARunHasTheStatedSize(t *testing.T) {
	const replicas, probes = 4, 400
	m, d := mlp(t, 30, 20, 5), blobs(50, 30, 5)
	initial := randomWeights(m, 0.5)
	plan := dpsgd.Plan{Initial: &initial}
	for r := range replicas {
		c := private()
		c.Steps, c.Sampling, c.NoiseMultiplier = 1, dpsgd.Poisson{Rate: 1}, 0.5*float64(1+r)
		plan.Replicas = append(plan.Replicas, c)
	}
	for i := range probes {
		direction := make([]float64, m.Size())
		direction[i] = 1
		plan.Probes = append(plan.Probes, direction)
	}
	sum, _ := clippedSum(t, m, d, clipOnly(0.5).Plan(), engine.Performance{}, initial, rangeOf(50))
	result := train(t, m, d, plan, engine.Performance{}, "stated noise")
	for r, c := range plan.Replicas {
		square := 0.0
		for i, product := range result.Probes[r][0] {
			square += math.Pow((product-sum[i])/c.NoiseStdDev(), 2) / probes
		}
		if allowed := 5.33 * math.Sqrt(2.0/probes); math.Abs(square-1) > allowed { // chance 1e-7 each
			t.Errorf("replica %d: mean square of the noise %g, want 1 ± %g", r, square, allowed)
		}
	}
}

// A canary joins the sum of the replicas and steps it should, after clipping, and no other.
func TestCanary(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(20, 12, 4)
	c := clipOnly(0.5)
	c.Steps = 3
	direction := make([]float64, m.Size())
	direction[5] = 0.5
	initial := randomWeights(m, 0.5)
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{c, c}, Initial: &initial, Probes: [][]float64{direction}}
	before := train(t, m, d, plan, engine.Performance{}, "canary").Probes
	plan.Canary = &dpsgd.Canary{Gradient: direction, In: []bool{false, true}, At: func(step int) bool { return step == 1 }}
	after := train(t, m, d, plan, engine.Performance{}, "canary").Probes
	if !slices.EqualFunc(before[0], after[0], slices.Equal[[]float64]) || before[1][0][0] != after[1][0][0] {
		t.Error("the canary changed a replica or a step that it takes no part in")
	}
	if moved := after[1][1][0] - before[1][1][0]; math.Abs(moved-0.25) > 1e-5 {
		t.Errorf("the canary moved its product with itself by %g, want ‖g‖² = 0.25", moved)
	}
}

// A canary joins with the sampling rate, like any example: of n steps, a binomial number,
// within 5.33 standard deviations (chance 1e-7).
func TestCanaryIsSampled(t *testing.T) {
	m, empty := mlp(t, 2, 2), blobs(0, 2, 2)
	c := clipOnly(1)
	c.Steps, c.Sampling = 2000, dpsgd.Poisson{Rate: 0.3}
	direction := make([]float64, m.Size())
	direction[0] = 1
	plan := c.Plan()
	plan.Probes, plan.Canary = [][]float64{direction}, &dpsgd.Canary{Gradient: direction, In: []bool{true}}
	joined := 0.0
	for _, products := range train(t, m, empty, plan, engine.Performance{}, "coin").Probes[0] {
		joined += products[0]
	}
	if z := (joined - 600) / math.Sqrt(2000*0.3*0.7); math.Abs(z) > 5.33 {
		t.Errorf("the canary joined %g of 2000 steps, want 600: %.1f standard deviations off", joined, z)
	}
}

func TestProgressAndWeights(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(80, 12, 4)
	var last dpsgd.Progress
	seen := map[[2]int][]float64{}
	plan := dpsgd.Plan{
		Replicas: several(3),
		Progress: func(p dpsgd.Progress) { last = p },
		Weights:  func(step, replica int, w []float64) { seen[[2]int{step, replica}] = slices.Clone(w) },
	}
	result := train(t, m, d, plan, engine.Performance{ReplicasPerCall: 2}, "progress")
	if last.Step != 5 || last.Steps != 5 || last.Replicas != 3 || last.Remaining != 0 || last.ExamplesPerSecond <= 0 || last.Elapsed <= 0 {
		t.Errorf("last progress %+v, want step 5 of 5 of 3 replicas", last)
	}
	if len(seen) != 15 {
		t.Errorf("weights of %d steps were seen, want 15", len(seen))
	}
	for r := range 3 {
		if !slices.Equal(seen[[2]int{4, r}], result.Parameters.Values[r]) {
			t.Errorf("replica %d: weights after the last step are not the final weights", r)
		}
	}
}

func TestRunStopsWithTheContext(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(80, 12, 4)
	c := private()
	c.Steps = 1_000_000
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := trainer(t, m, d, dpsgd.Plan{Replicas: []dpsgd.Config{c, c, c}}, engine.Performance{ReplicasPerCall: 1}).Run(ctx, streams.Fixed("stop"))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "stopped after step") {
		t.Errorf("error %v, want one that wraps DeadlineExceeded and names the step", err)
	}
}

// More goroutines than there is work for are not an error, and take nothing: their number was the length of a queue, and ended the process.
func TestAnyNumberOfGoroutines(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(20, 6, 3)
	want := train(t, m, d, private().Plan(), engine.Performance{Microbatch: 2, Goroutines: 1}, "goroutines")
	for _, many := range []int{1 << 40, math.MaxInt} {
		got := train(t, m, d, private().Plan(), engine.Performance{Microbatch: 2, Goroutines: many}, "goroutines")
		checkClose(t, "many goroutines", got.Parameters.Values[0], want.Parameters.Values[0], 1e-5)
	}
}

// Memory grows with the microbatch, not with batch x parameters: everything that a sum over
// 512 examples of 109,930 gradients allocates is less than a third of those gradients.
func TestMemoryGrowsWithTheMicrobatch(t *testing.T) {
	const batch = 512
	m, d := mlp(t, 784, 120, 120, 10), blobs(batch, 784, 10)
	tr := trainer(t, m, d, clipOnly(1).Plan(), engine.Performance{Microbatch: 32})
	w := randomWeights(m, 0.05)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := tr.ClippedSums(context.Background(), w, [][]int32{rangeOf(batch)}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	allocated, gradients := after.TotalAlloc-before.TotalAlloc, uint64(4*batch*m.Size())
	t.Logf("allocated %d MB, per-sample gradients would be %d MB", allocated>>20, gradients>>20)
	if allocated > gradients/3 {
		t.Errorf("allocated %d MB, want less than a third of the %d MB of per-sample gradients", allocated>>20, gradients>>20)
	}
}

func TestRunRefusesBadRoots(t *testing.T) {
	tr := trainer(t, mlp(t, 3, 2), blobs(10, 3, 2), dpsgd.Plan{Replicas: several(2)}, engine.Performance{})
	_, err := tr.Run(context.Background(), streams.Root{})
	checkError(t, err, []string{"root is the zero value"})
	_, err = tr.RunEach(context.Background(), roots(1))
	checkError(t, err, []string{"1 roots: must be 2"})
	same := []streams.Root{streams.Fixed("x"), streams.Fixed("x")}
	_, err = tr.RunEach(context.Background(), same)
	checkError(t, err, []string{"roots[1] is roots[0] again"})
}

// broken is a layer that fails while the program is built, for batches of at least so many.
type broken struct {
	nn.Layer
	batch int
}

func (l broken) Forward(weights []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	if in.Values.Shape().Dim(1) >= l.batch {
		panic("out of order")
	}
	return l.Layer.Forward(weights, in)
}

func TestPanicsBecomeErrors(t *testing.T) {
	m, d := mlp(t, 3, 2), blobs(10, 3, 2)
	m.Layers = []nn.Layer{broken{m.Layers[0], 0}}
	_, err := engine.NewTrainer(m, d, private())
	checkError(t, err, []string{"layer 0: Dense(3, 2): tried on a random batch: out of order"})
	m.Layers = []nn.Layer{broken{nn.Dense(3, 2), 8}}
	_, err = trainer(t, m, d, private().Plan(), engine.Performance{Microbatch: 8}).Run(context.Background(), streams.Fixed("panic"))
	checkError(t, err, []string{"out of order"})
}

func TestAccuracyAndPredict(t *testing.T) {
	ctx, m, d := context.Background(), mlp(t, 12, 16, 4), blobs(1100, 12, 4) // three microbatches
	c := private()
	c.Steps, c.LearningRate, c.ExpectedBatchSize, c.NoiseMultiplier = 60, 2, 330, 0.5
	result := train(t, m, d, dpsgd.Plan{Replicas: []dpsgd.Config{c, c}}, engine.Performance{}, "accuracy")
	accuracy := must(result.Accuracy(ctx, d))(t)
	classes := must(result.Predict(ctx, d))(t)
	for r := range 2 {
		right := 0
		for i, class := range classes[r] {
			if class == d.Labels[i] {
				right++
			}
		}
		if got := float64(right) / 1100; got != accuracy[r] || got < 0.9 {
			t.Errorf("replica %d: accuracy %g, share of right predictions %g: want them equal and above 0.9", r, accuracy[r], got)
		}
	}
	one := must(engine.Accuracy(ctx, m, result.Parameters.Replica(1), d))(t)
	if one[0] != accuracy[1] {
		t.Errorf("accuracy of replica 1 alone %g, want %g", one[0], accuracy[1])
	}
	_, err := result.Accuracy(ctx, blobs(0, 12, 4))
	checkError(t, err, []string{"is empty"})
	_, err = result.Accuracy(ctx, blobs(5, 11, 4))
	checkError(t, err, []string{"Input [12]", "[11]"})
	_, err = engine.Predict(ctx, m, dpsgd.Parameters{Values: [][]float64{{1}}}, d)
	checkError(t, err, []string{"Parameters.Values[0] has length 1"})
}
