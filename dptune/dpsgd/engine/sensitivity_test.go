package engine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// When one example leaves a batch, the clipped sum moves by at most C, and by C itself if
// the example's gradient is longer.
func TestClippedSumMovesByAtMostTheClipNorm(t *testing.T) {
	const rounding = 1e-5 // relative: squared norms in float32
	m, d := mlp(t, 12, 10, 4), blobs(60, 12, 4)
	w := randomWeights(m, 0.5)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, clip := range []float64{1e-3, 0.5, 20} {
		plan := clipOnly(clip).Plan()
		reached := false
		for range 20 {
			batch := rangeOf(60)
			rng.Shuffle(len(batch), func(i, j int) { batch[i], batch[j] = batch[j], batch[i] })
			batch = batch[:1+rng.IntN(59)]
			with, _ := clippedSum(t, m, d, plan, engine.Performance{Microbatch: 16}, w, batch)
			without, _ := clippedSum(t, m, d, plan, engine.Performance{Microbatch: 16}, w, batch[1:])
			moved := distance(with, without)
			if moved > clip*(1+rounding)+1e-5*length(with) {
				t.Errorf("clip %g, batch of %d: moved by %g", clip, len(batch), moved)
			}
			reached = reached || moved > 0.999*clip
		}
		if clip < 1 && !reached {
			t.Errorf("clip %g: no example's move came near it: the test says nothing", clip)
		}
	}
}

// Padding adds exactly zero. An empty batch sums to zeros, and one example to the same bits with
// any amount of padding.
func TestPaddingAddsExactlyZero(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(20, 12, 4)
	w := randomWeights(m, 0.5)
	for _, clip := range []float64{0, 0.5} {
		plan := clipOnly(clip).Plan()
		empty, _ := clippedSum(t, m, d, plan, engine.Performance{Microbatch: 8}, w, nil)
		if length(empty) != 0 {
			t.Errorf("clip %g: an empty batch sums to norm %g", clip, length(empty))
		}
		alone, _ := clippedSum(t, m, d, plan, engine.Performance{Microbatch: 1}, w, []int32{7})
		if length(alone) == 0 {
			t.Fatal("the example's gradient is zero: the test says nothing")
		}
		for _, size := range []int{2, 7, 8, 64, 300} {
			padded, _ := clippedSum(t, m, d, plan, engine.Performance{Microbatch: size}, w, []int32{7})
			// Not bits but rounding: the product of one row may run in another kernel.
			checkClose(t, "padded", padded, alone, 1e-6)
			twice, _ := clippedSum(t, m, d, plan, engine.Performance{Microbatch: size}, w, append(rangeOf(7), rangeOf(7)...))
			once, _ := clippedSum(t, m, d, plan, engine.Performance{Microbatch: size}, w, rangeOf(7))
			checkClose(t, "twice", twice, scaled(2, once), 1e-6)
		}
	}
}

func scaled(factor float64, values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = factor * v
	}
	return out
}

// Sums do not depend on how a batch is cut, up to rounding.
func TestMicrobatchSizeDoesNotMatter(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(50, 12, 4)
	w := randomWeights(m, 0.5)
	for _, p := range precisions {
		p.perf.Microbatch = 50
		want, _ := clippedSum(t, m, d, clipOnly(0.5).Plan(), p.perf, w, rangeOf(50))
		for _, size := range []int{1, 3, 8, 49, 64} {
			p.perf.Microbatch = size
			got, _ := clippedSum(t, m, d, clipOnly(0.5).Plan(), p.perf, w, rangeOf(50))
			checkClose(t, "microbatches", got, want, p.relative)
		}
	}
}

// An example whose gradient overflows adds exactly zero, in every mode, and is counted.
// (With tanh it would saturate, and its true gradient be zero; ReLU lets it through.)
func TestNotFiniteExampleAddsZero(t *testing.T) {
	m := must(models.MLPWith(nn.ReLU(), 12, 10, 8, 4))(t)
	d := blobs(20, 12, 4)
	w := randomWeights(m, 0.5)
	for i := range 12 {
		d.Features[3*12+i] = 3e38 // finite; its products are not
	}
	others := append(rangeOf(3), rangeOf(20)[4:]...)
	for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
		plan := clipOnly(0.5).Plan()
		plan.ClipMethod = mode
		perf := engine.Performance{Microbatch: 8}
		all, excluded := clippedSum(t, m, d, plan, perf, w, rangeOf(20))
		if excluded != 1 {
			t.Errorf("mode %d: %d examples counted as not finite, want 1", mode, excluded)
		}
		without, excluded := clippedSum(t, m, d, plan, perf, w, others)
		if excluded != 0 {
			t.Errorf("mode %d: %d examples counted as not finite, want 0", mode, excluded)
		}
		checkClose(t, "without the example", all, without, 1e-6)
	}
}

// The count of such examples, over all steps, is in the result with a warning.
func TestNotFiniteExamplesAreReported(t *testing.T) {
	m := must(models.MLPWith(nn.ReLU(), 12, 10, 8, 4))(t)
	d := blobs(20, 12, 4)
	for i := range 12 {
		d.Features[3*12+i] = 3e38
	}
	c := private()
	c.Sampling, c.Steps = dpsgd.Poisson{Rate: 1}, 4
	result := train(t, m, d, c.Plan(), engine.Performance{Microbatch: 8}, "reported")
	if result.Excluded[0] != 4 || len(result.Warnings) != 1 || result.Diverged[0] {
		t.Errorf("excluded %v, warnings %v, diverged %v: want 4 exclusions, one warning, no divergence",
			result.Excluded, result.Warnings, result.Diverged)
	}
}

// Weights that overflow are zeros with a warning, never NaN.
func TestDivergenceIsReported(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(20, 12, 4)
	c := clipOnly(0)
	c.Steps, c.LearningRate = 3, 1e39
	result := train(t, m, d, c.Plan(), engine.Performance{}, "diverges")
	if !result.Diverged[0] || length(result.Parameters.Values[0]) != 0 || len(result.Warnings) == 0 {
		t.Errorf("diverged %v with weights of norm %g and warnings %v: want true, 0, a warning",
			result.Diverged, length(result.Parameters.Values[0]), result.Warnings)
	}
}
