package engine_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/dpsgd/internal/rounded"
	"github.com/dplab/dplab/dptune/streams"
)

// onGrid returns a config of an integer release in which C/B is a power of two.
func onGrid(units int) dpsgd.Config {
	c := private()
	c.UnitsPerClip = units
	return c
}

// inUnits returns a sum of clipped gradients in grid units, and fails unless all are whole.
func inUnits(t *testing.T, sum []float64) []float64 {
	t.Helper()
	for i, v := range sum {
		if v != math.Trunc(v) {
			t.Fatalf("entry %d is %g units, want a whole number", i, v)
		}
	}
	return sum
}

// Each example adds its clipped gradient, truncated to the grid: a whole vector of norm at most B.
// A batch adds the sum of its examples, to the bit.
func TestIntegerSums(t *testing.T) {
	d := blobs(24, 36, 4)
	m := mlp(t, 36, 10, 4)
	w := randomWeights(m, 0.5)
	for _, units := range []int{1 << 4, 1 << 12, 1 << 16} {
		plan := onGrid(units).Plan()
		single := trainer(t, m, d, plan, engine.Performance{Microbatch: 1})
		floats := trainer(t, m, d, private().Plan(), engine.Performance{Microbatch: 1})
		scale := float64(units) / private().ClipNorm
		total := make([]float64, m.Size())
		for i := range int32(d.Len()) {
			v, excluded := sumWith(t, single, w, []int32{i})
			v = inUnits(t, v)
			g, _ := sumWith(t, floats, w, []int32{i})
			norm := 0.0
			for k := range v {
				norm += v[k] * v[k]
				total[k] += v[k]
				if off := math.Abs(v[k] - g[k]*scale); off > 1+1e-4*scale || math.Abs(v[k]) > math.Abs(g[k]*scale)*(1+1e-5)+1e-6 {
					t.Errorf("%d units, example %d, entry %d: %g, where the gradient is %g units", units, i, k, v[k], g[k]*scale)
				}
			}
			if norm > float64(units)*float64(units) || excluded != 0 {
				t.Errorf("%d units, example %d: squared norm %g, above %d squared; %d left out", units, i, norm, units, excluded)
			}
		}
		if all, _ := sumWith(t, single, w, rangeOf(d.Len())); !slices.Equal(all, total) {
			t.Errorf("%d units: the sum of a batch is not the sum of its examples", units)
		}
	}
}

// The released numbers are the whole sum plus the rounded Gaussian of the step's words.
func TestReleaseIsSumPlusRoundedNoise(t *testing.T) {
	m, d := mlp(t, 5, 3), blobs(20, 5, 3)
	for _, microbatch := range []int{1, 32} {
		c := onGrid(1 << 10)
		c.Steps, c.Sampling, c.LearningRate = 3, dpsgd.FullBatch{}, 1e-3
		plan := c.Plan()
		for i := range m.Size() {
			direction := make([]float64, m.Size())
			direction[i] = 1
			plan.Probes = append(plan.Probes, direction)
		}
		var weights [][]float64
		plan.Weights = func(_, _ int, w []float64) { weights = append(weights, slices.Clone(w)) }
		initial := randomWeights(m, 0.5)
		plan.Initial, plan.InitialFrom = &initial, dpsgd.Provenance{Public: true}
		perf := engine.Performance{Precision: engine.Float64, Microbatch: microbatch}
		tr := trainer(t, m, d, plan, perf)
		root := streams.Fixed("integers")
		results := must(tr.RunEach(context.Background(), []streams.Root{root}))(t)
		source, at := noise.From(root), initial
		for step := range c.Steps {
			sum, _ := sumWith(t, tr, at, rangeOf(d.Len()))
			words := make([]uint32, rounded.WordsPerValue*m.Size())
			source.AES(step, words)
			drawn := make([]float64, m.Size())
			rounded.Fill(words, c.NoiseMultiplier*float64(c.UnitsPerClip), func(i int) func() uint64 { return source.More(step, i) }, drawn)
			for i, got := range results.Probes[0][step] {
				if want := (sum[i] + drawn[i]) * c.ClipNorm / float64(c.UnitsPerClip); got != want {
					t.Fatalf("microbatch %d, step %d, entry %d: %g was released, want %g", microbatch, step, i, got, want)
				}
			}
			at.Values = [][]float64{weights[step]}
		}
	}
}

// A gradient that is not finite adds nothing and is counted, as without a grid.
func TestGridLeavesOutInfiniteGradients(t *testing.T) {
	m, d := mlp(t, 6, 4, 3), blobs(8, 6, 3)
	w := randomWeights(m, 1)
	for i := range 6 {
		d.Features[2*6+i] = 3e38 // its products overflow
	}
	sum, excluded := clippedSum(t, m, d, onGrid(1<<8).Plan(), engine.Performance{Microbatch: 8}, w, rangeOf(8))
	_, want := clippedSum(t, m, d, private().Plan(), engine.Performance{Microbatch: 8}, w, rangeOf(8))
	if excluded == 0 || excluded != want {
		t.Errorf("%d gradients were left out, want %d", excluded, want)
	}
	inUnits(t, sum)
}

// Replicas with different norms and grids in one program train as they do one by one, and a resumed
// run has the same bits.
func TestIntegerReplicas(t *testing.T) {
	m, d := mlp(t, 5, 4, 3), blobs(40, 5, 3)
	var configs []dpsgd.Config
	for i, units := range []int{1 << 4, 1 << 8, 1 << 12} {
		c := onGrid(units)
		c.ClipNorm = 0.3 + 0.2*float64(i)
		configs = append(configs, c)
	}
	roots := []streams.Root{streams.Fixed("a"), streams.Fixed("b"), streams.Fixed("c")}
	perf := engine.Performance{Microbatch: 8}
	together := must(trainer(t, m, d, dpsgd.Plan{Replicas: configs}, perf).RunEach(context.Background(), roots))(t)
	for r, c := range configs {
		alone := must(trainer(t, m, d, c.Plan(), perf).RunEach(context.Background(), roots[r:r+1]))(t)
		if !sameBits(together.Parameters.Values[r], alone.Parameters.Values[0]) {
			t.Errorf("replica %d of three differs from the same one trained by itself", r)
		}
		plain := c
		plain.UnitsPerClip = 0
		if floats := must(trainer(t, m, d, plain.Plan(), perf).RunEach(context.Background(), roots[r:r+1]))(t); slices.Equal(floats.Parameters.Values[0], alone.Parameters.Values[0]) {
			t.Errorf("replica %d: an integer release has the weights of one in floating point", r)
		}
	}
}

// The default microbatch is one whose sums are exact: 2^24 / 2^16 examples, however large batches
// are.
func TestDefaultMicrobatchIsExact(t *testing.T) {
	m, d := mlp(t, 5, 3), blobs(400, 5, 3)
	c := onGrid(1 << 16)
	c.Sampling = dpsgd.FullBatch{}
	for _, want := range []struct {
		precision  engine.Precision
		microbatch int
	}{{engine.Float32, 256}, {engine.Float64, 400}} {
		if got := trainer(t, m, d, c.Plan(), engine.Performance{Precision: want.precision}).Performance().Microbatch; got != want.microbatch {
			t.Errorf("precision %v: microbatches of %d, want %d", want.precision, got, want.microbatch)
		}
	}
}

func TestIntegerReleaseFaults(t *testing.T) {
	m, d := mlp(t, 5, 3), blobs(20, 5, 3)
	nonPrivate := clipOnly(1)
	nonPrivate.UnitsPerClip = 1 << 8
	loud := onGrid(1 << 16)
	loud.NoiseMultiplier = 1e4
	canary := onGrid(1 << 8).Plan()
	canary.Canary = &dpsgd.Canary{Gradient: make([]float64, m.Size()), In: []bool{true}}
	canary.Canary.Gradient[0] = 0.5
	for _, c := range []struct {
		plan  dpsgd.Plan
		perf  engine.Performance
		wants []string
	}{
		{onGrid(3).Plan(), engine.Performance{}, []string{"UnitsPerClip 3", "power of two from 2^4 to 2^16"}},
		{onGrid(8).Plan(), engine.Performance{}, []string{"UnitsPerClip 8"}},
		{onGrid(1 << 17).Plan(), engine.Performance{}, []string{"UnitsPerClip 131072"}},
		{nonPrivate.Plan(), engine.Performance{}, []string{"UnitsPerClip 256", "NonPrivate"}},
		{loud.Plan(), engine.Performance{}, []string{"NoiseMultiplier * UnitsPerClip 6.5536e+08", "at most 16777216"}},
		{onGrid(1 << 16).Plan(), engine.Performance{Microbatch: 257}, []string{"Performance.Microbatch", "16842752", "at most 16777216", "Microbatch of at most 256"}},
		{canary, engine.Performance{}, []string{"UnitsPerClip 256", "canaries"}},
		{dpsgd.Plan{Replicas: []dpsgd.Config{private(), onGrid(16)}}, engine.Performance{}, []string{"Replicas[1].UnitsPerClip 16", "in all replicas or in none"}},
	} {
		_, err := engine.NewReplicas(m, d, c.plan, c.perf)
		if err == nil {
			t.Errorf("%v: no error", c.wants)
			continue
		}
		for _, want := range c.wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q lacks %q", err, want)
			}
		}
	}
}
