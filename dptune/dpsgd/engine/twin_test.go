package engine_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// twin is a perceptron with tanh, written one example and one number at a time, which the
// engine is compared with. It shares no code with it.
type twin struct{ widths []int }

// gradient returns the gradient of one example's softmax cross-entropy at weights w.
func (m twin) gradient(w []float64, x []float32, label int) []float64 {
	layers := len(m.widths) - 1
	acts := [][]float64{make([]float64, len(x))}
	for i, v := range x {
		acts[0][i] = float64(v)
	}
	offsets, at := make([]int, layers), 0
	for l := range layers {
		offsets[l] = at
		in, out := m.widths[l], m.widths[l+1]
		z := make([]float64, out)
		for o := range out {
			z[o] = w[at+in*out+o]
			for i := range in {
				z[o] += w[at+o*in+i] * acts[l][i]
			}
			if l < layers-1 {
				z[o] = math.Tanh(z[o])
			}
		}
		acts = append(acts, z)
		at += in*out + out
	}
	delta := softmax(acts[layers])
	delta[label]--
	grad := make([]float64, len(w))
	for l := layers - 1; l >= 0; l-- {
		in, out := m.widths[l], m.widths[l+1]
		below := make([]float64, in)
		for o := range out {
			grad[offsets[l]+in*out+o] = delta[o]
			for i := range in {
				grad[offsets[l]+o*in+i] = delta[o] * acts[l][i]
				below[i] += w[offsets[l]+o*in+i] * delta[o]
			}
		}
		for i := range below {
			below[i] *= 1 - acts[l][i]*acts[l][i]
		}
		delta = below
	}
	return grad
}

func softmax(z []float64) []float64 {
	p, sum := make([]float64, len(z)), 0.0
	for i, v := range z {
		p[i] = math.Exp(v)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// clippedSum adds min(1, clip/norm) gradient over a batch; clip 0 does not clip.
func (m twin) clippedSum(w []float64, d data.Dataset, batch []int32, clip float64) []float64 {
	sum := make([]float64, len(w))
	for _, i := range batch {
		g := m.gradient(w, d.Row(int(i)), int(d.Labels[i]))
		factor := 1.0
		if clip > 0 {
			factor = min(1, clip/length(g))
		}
		for j, v := range g {
			sum[j] += factor * v
		}
	}
	return sum
}

// precisions are the numbers of the engine with what they agree to: sums of some hundred
// products, so some hundred units of the last place (6e-8 and 1e-16).
var precisions = map[string]struct {
	perf     engine.Performance
	relative float64
}{
	"float32": {engine.Performance{Precision: engine.Float32}, 5e-6},
	"float64": {engine.Performance{Precision: engine.Float64}, 1e-13},
}

func TestClippedSumsEqualOneByOne(t *testing.T) {
	widths := []int{13, 9, 7, 4}
	m, d, batch := mlp(t, widths...), blobs(40, 13, 4), rangeOf(40)
	w := randomWeights(m, 0.4)
	for name, p := range precisions {
		for _, clip := range []float64{0, 0.3, 2, 1e6} {
			for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
				plan := clipOnly(clip).Plan()
				plan.ClipMethod = mode
				got, _ := clippedSum(t, m, d, plan, p.perf, w, batch)
				want := twin{widths}.clippedSum(w.Values[0], d, batch, clip)
				t.Logf("%s, clip %g, mode %d: off by %.2g", name, clip, mode, distance(got, want)/length(want))
				checkClose(t, name, got, want, p.relative)
			}
		}
	}
}

// The paper's large network, with vector kernels, padded columns and several microbatches.
func TestLargeNetworkEqualsOneByOne(t *testing.T) {
	widths := []int{784, 120, 120, 10}
	m, d, batch := mlp(t, widths...), blobs(50, 784, 10), rangeOf(50)
	w := randomWeights(m, 0.05)
	perf := engine.Performance{Microbatch: 32}
	got, _ := clippedSum(t, m, d, clipOnly(1).Plan(), perf, w, batch)
	checkClose(t, "784-120-120-10", got, twin{widths}.clippedSum(w.Values[0], d, batch, 1), 1.5e-5) // norms are raised by 270 roundings
}

// A huge clip norm and no noise is plain SGD on the full batch.
func TestHugeClipWithoutNoiseIsPlainSGD(t *testing.T) {
	widths := []int{10, 8, 3}
	m, d := mlp(t, widths...), blobs(30, 10, 3)
	initial := randomWeights(m, 0.3)
	for name, p := range precisions {
		for _, clip := range []float64{0, 1e9} {
			c := clipOnly(clip)
			c.Steps, c.LearningRate, c.ExpectedBatchSize = 12, 0.7, 30
			plan := c.Plan()
			plan.Initial = &initial
			got := train(t, m, d, plan, p.perf, "sgd").Parameters.Values[0]

			want := append([]float64{}, initial.Values[0]...)
			for range c.Steps {
				sum := twin{widths}.clippedSum(want, d, rangeOf(30), 0)
				for i := range want {
					want[i] -= c.LearningRate / 30 * sum[i]
				}
			}
			if distance(initial.Values[0], want) < 0.1*length(want) {
				t.Fatal("the twin hardly moved: the comparison says nothing")
			}
			checkClose(t, name, got, want, 10*p.relative) // errors of 12 steps
		}
	}
}

// Momentum and schedule: v ← m v + sum, w ← w - factor η/B v.
func TestMomentumAndSchedule(t *testing.T) {
	widths := []int{6, 5, 3}
	m, d := mlp(t, widths...), blobs(12, 6, 3)
	initial := randomWeights(m, 0.5)
	c := clipOnly(0.4)
	c.Steps, c.LearningRate, c.ExpectedBatchSize, c.Optimizer = 9, 0.6, 10, dpsgd.SGD{Momentum: 0.8}
	plan := c.Plan()
	plan.Initial = &initial
	plan.Schedule = func(step int) float64 { return 1 / float64(1+step) }
	got := train(t, m, d, plan, engine.Performance{Precision: engine.Float64}, "momentum").Parameters.Values[0]

	want, velocity := append([]float64{}, initial.Values[0]...), make([]float64, m.Size())
	for step := range c.Steps {
		sum := twin{widths}.clippedSum(want, d, rangeOf(12), 0.4)
		for i := range want {
			velocity[i] = 0.8*velocity[i] + sum[i]
			want[i] -= 0.6 / 10 / float64(1+step) * velocity[i]
		}
	}
	checkClose(t, "momentum", got, want, 1e-12)
}
