package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// A stop at any call of a program, and a second run, end with the bits of a run that was not
// stopped. These tests try every call of small runs of each kind.

// kind is a run to be stopped.
type kind struct {
	model dpsgd.Model
	data  data.Dataset
	plan  dpsgd.Plan
	own   func(*engine.OwnStep) ([][]float64, error) // nil for a run by the configs
}

const stopSteps = 8

// kinds are runs that differ in what a step has to keep for later ones.
func kinds(t *testing.T) map[string]kind {
	rows := blobs(40, 6, 3)
	rows.Features[7*6] = 3e38 // its gradients are not finite, and are counted
	mlpOf := func(change func(c *dpsgd.Config)) kind {
		var plan dpsgd.Plan
		for r := range map[bool]int{true: 1, false: 3}[testing.Short()] {
			c := private()
			c.Steps, c.NoiseMultiplier = stopSteps, 1+float64(r)
			change(&c)
			plan.Replicas = append(plan.Replicas, c)
		}
		return kind{model: mlp(t, 6, 5, 3), data: rows, plan: plan}
	}
	scheme := func(s dpsgd.Sampling, noise *dpsgd.CorrelatedNoise) kind {
		return mlpOf(func(c *dpsgd.Config) { c.Sampling, c.Noise = s, noise })
	}
	root := must(dpsgd.InverseRootNoise(6))(t)
	banded := must(dpsgd.OptimalNoise(stopSteps, 3))(t)
	list := map[string]kind{
		"Adam": mlpOf(func(c *dpsgd.Config) { c.Optimizer = dpsgd.Adam{} }),
		"integers, TruncatedPoisson": mlpOf(func(c *dpsgd.Config) {
			c.UnitsPerClip, c.Sampling = 1<<10, dpsgd.TruncatedPoisson{Rate: 0.3, Cap: 20, Examples: 40}
		}),
		"phases, AdamBC": mlpOf(func(c *dpsgd.Config) {
			c.Phases, c.Optimizer = []dpsgd.Phase{{Steps: 3, NoiseFactor: 2}, {Steps: stopSteps - 3, SamplingRate: 0.5}}, dpsgd.AdamBC{Floor: 1e-5}
		}),
		"RandomAllocation":           scheme(dpsgd.RandomAllocation{Period: 4}, nil),
		"CyclicPoisson":              scheme(dpsgd.CyclicPoisson{Period: 3, Rate: 0.8}, nil),
		"CyclicPoisson, banded":      scheme(dpsgd.CyclicPoisson{Period: 3, Rate: 0.8}, banded),
		"CyclicAllocation, banded":   scheme(dpsgd.CyclicAllocation{Period: 3, Turns: 2}, banded),
		"FixedBatches, inverse":      scheme(dpsgd.FixedBatches{Period: 4}, root),
		"FixedBatches, banded":       scheme(dpsgd.FixedBatches{Period: 4}, banded),
		"FullBatch, one band before": scheme(dpsgd.FullBatch{}, &dpsgd.CorrelatedNoise{Coefficients: []float64{0.8, 0.6}}),
	}
	adam := list["Adam"]
	adam.plan.Average, adam.plan.KeepSlots, adam.plan.Schedule = 0.9, true, dpsgd.Cosine(stopSteps)
	adam.plan.Probes = [][]float64{randomWeights(adam.model, 1).Values[0]}
	list["Adam"] = adam

	// Two sums a step, a clip norm that adapts, and examples that are counted in the first sum.
	own := mlpOf(func(c *dpsgd.Config) { c.Optimizer = dpsgd.AdamBC{Floor: 1e-5} })
	configs := own.plan.Replicas
	own.plan = ownPlan(own.plan, dpsgd.Own{Event: accounting.NonPrivate{}, State: []float64{0.5, 0}})
	own.own = func(s *engine.OwnStep) ([][]float64, error) {
		var batches [][]int32
		var clip []float64
		for r := range configs {
			batch, err := configs[r].Sampling.Batch(s.Coins(r), s.Number, rows.Len())
			if err != nil {
				return nil, err
			}
			batches, clip = append(batches, append(slices.DeleteFunc(batch, func(i int32) bool { return i == 7 }), 7)), append(clip, s.State[r][0])
		}
		for pass := 0; ; pass++ {
			sums, norms, err := s.Sums(batches, clip)
			if err != nil {
				return nil, err
			}
			for r := range sums {
				s.State[r][pass] += 0.01 * float64(len(norms[r]))
				s.NoiseStdDev[r] = clip[r]
				addScaled(sums[r], clip[r], s.Normals(r, s.Number))
			}
			if pass == 1 {
				return sums, nil
			}
		}
	}
	list["own steps"] = own

	images, words := mlpOf(func(*dpsgd.Config) {}), mlpOf(func(c *dpsgd.Config) { c.Sampling = dpsgd.FullBatch{} })
	images.model, images.data = convModel(2), blobs(40, 36, 2)
	images.data.Shape = []int{6, 6, 1}
	words.model = dpsgd.Model{Name: "tokens", Input: []int{6}, Loss: nn.SoftmaxCrossEntropy(), Layers: []nn.Layer{
		nn.Embedding(11, 4), nn.Positions(8, 4), nn.Dropout(0.3), nn.MeanPlaces(), nn.Dense(4, 3)}}
	words.data = blobs(40, 6, 3)
	for i := range words.data.Features {
		words.data.Features[i] = float32(i * i % 11)
	}
	list["views"], list["tokens"] = images, words
	return list
}

// hookedTrainer is a trainer whose runs can be stopped before any call of a program.
type hookedTrainer struct {
	kind
	*engine.Replicas
	dir    string
	calls  atomic.Int64
	stopAt int64              // number of the call before which the context ends; 0 for none
	cancel context.CancelFunc // ends it
}

func hook(t *testing.T, k kind, perf engine.Performance) *hookedTrainer {
	h := &hookedTrainer{kind: k, dir: t.TempDir()}
	perf.Checkpoint = engine.Checkpoint{Dir: h.dir, Every: 5}
	h.Replicas = trainer(t, k.model, k.data, k.plan, perf)
	h.BeforeCalls(func() {
		if h.calls.Add(1) == h.stopAt {
			h.cancel()
			feederEnds(t)
		}
	})
	return h
}

// feederEnds returns when no goroutine draws steps anymore. It is then as far ahead as it gets.
func feederEnds(t *testing.T) {
	stacks := make([]byte, 1<<20)
	for range 20_000 {
		if n := runtime.Stack(stacks, true); !strings.Contains(string(stacks[:n]), ".feeder[...].steps") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("steps are still drawn after the context has ended")
}

// to runs until before a call, or to the end if it is 0.
func (h *hookedTrainer) to(t *testing.T, stopAt int) (*engine.Results, error) {
	var ctx context.Context
	ctx, h.cancel = context.WithCancel(t.Context())
	defer h.cancel()
	h.calls.Store(0)
	h.stopAt = int64(stopAt)
	if h.own != nil {
		return h.RunOwn(ctx, streams.Fixed("every stop"), h.own)
	}
	return h.Run(ctx, streams.Fixed("every stop"))
}

// firstStop returns the first call to stop before: any, or in short tests those of about the last
// two steps. No checkpoint is due between these.
func firstStop(calls int) int {
	if testing.Short() {
		return calls - calls/4
	}
	return 1
}

// After a stop before any call, a run ends with the same weights, averages, slots, probes, counts
// and numbers of own steps. Checkpoints are due after step 5 and at the end: other stops write one
// between.
func TestStopBeforeEveryCall(t *testing.T) {
	for name, k := range kinds(t) {
		if testing.Short() && compilesSlowly() && k.plan.Replicas[0].Noise == nil {
			continue
		}
		for _, microbatch := range []int{64, 8} {
			t.Run(fmt.Sprintf("%s, microbatches of %d", name, microbatch), func(t *testing.T) {
				h := hook(t, k, engine.Performance{ReplicasPerCall: 2, Goroutines: 1, Microbatch: microbatch})
				want := must(h.to(t, 0))(t)
				calls := int(h.calls.Load())
				stopped := 0
				for at := firstStop(calls); at <= calls; at++ {
					empty(t, h.dir)
					_, err := h.to(t, at)
					if err == nil {
						continue // before the last call there is nothing to stop
					}
					if !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					stopped++
					got := must(h.to(t, 0))(t)
					what := fmt.Sprintf("stopped before call %d of %d", at, calls)
					same(t, what, got, want)
					if fmt.Sprint(got.State) != fmt.Sprint(want.State) {
						t.Errorf("%s: own numbers %v, want %v", what, got.State, want.State)
					}
				}
				if stopped < min(calls, stopSteps)-firstStop(stopSteps) {
					t.Errorf("%d of %d calls stopped the run, want nearly all", stopped, calls)
				}
			})
		}
	}
}

// loud is a run whose noise is σ = 1e12 times the clip norm 1, and whose weights move by the noisy
// sums: n_t is their difference, up to 1e-11 of its size.
func loud(t *testing.T, s dpsgd.Sampling, noise *dpsgd.CorrelatedNoise) kind {
	c := private()
	c.Steps, c.Sampling, c.Noise = stopSteps, s, noise
	c.ClipNorm, c.NoiseMultiplier, c.LearningRate, c.ExpectedBatchSize = 1, 1e12, 1, 1
	return kind{model: mlp(t, 6, 5, 3), data: blobs(40, 6, 3), plan: c.Plan()}
}

// noiseOf runs until before a call, and then to the end. It returns the noise of all steps, [T][P],
// in units of σ.
func (h *hookedTrainer) noiseOf(t *testing.T, stopAt int) [][]float64 {
	t.Helper()
	weights := make([][]float64, stopSteps+1)
	weights[0] = make([]float64, h.model.Size()) // the first weights are below 1e-11 of the noise
	h.Observe(func(step, _ int, w []float64) { weights[step+1] = slices.Clone(w) })
	empty(t, h.dir)
	if stopAt > 0 {
		if _, err := h.to(t, stopAt); err == nil {
			return nil
		}
	}
	must(h.to(t, 0))(t)
	noise := make([][]float64, stopSteps)
	for s := range noise {
		for i, w := range weights[s] {
			noise[s] = append(noise[s], (w-weights[s+1][i])/1e12)
		}
	}
	return noise
}

// The noise n that is added satisfies C n = z, in a run that is stopped before any call and in one
// that is not: z is the noise of a run of independent noise from the same root, and C the matrix
// that is priced. C is computed from n and z, row by row: c_t n_0 = z_t - Σ_(j<t) c_j n_(t-j). Its
// first column is that of the config, or the inverse of it. With a scheme that samples, the
// price is that of one release at σ. Otherwise it is that at σ/s, where s is the norm of the sum of
// the columns of C that an example joins (Denisov et al., 2022, Theorem 2.1).
func TestNoiseThatWasAddedIsThatOfThePrice(t *testing.T) {
	const tolerance = 1e-9
	for name, of := range map[string]struct {
		sampling dpsgd.Sampling
		period   int // of the batches of an example; 0 if they are sampled
		noise    *dpsgd.CorrelatedNoise
	}{
		"banded":  {dpsgd.FixedBatches{Period: 4}, 4, must(dpsgd.OptimalNoise(stopSteps, 3))(t)},
		"rising":  {dpsgd.FixedBatches{Period: 3}, 3, &dpsgd.CorrelatedNoise{Coefficients: []float64{0.6, 0.64, 0.48}}},
		"inverse": {dpsgd.FixedBatches{Period: 4}, 4, must(dpsgd.InverseRootNoise(6))(t)},
		"sampled": {dpsgd.CyclicPoisson{Period: 3, Rate: 0.8}, 0, must(dpsgd.OptimalNoise(stopSteps, 3))(t)},
	} {
		perf := engine.Performance{Microbatch: 4, Precision: engine.Float64, StepsPerCall: stepsPerCall(1)}
		z := hook(t, loud(t, of.sampling, nil), perf).noiseOf(t, 0)
		k := loud(t, of.sampling, of.noise)
		h := hook(t, k, perf)
		whole := h.noiseOf(t, 0)
		calls := int(h.calls.Load())
		var column []float64
		for s := range whole {
			rest := slices.Clone(z[s])
			for j, c := range column {
				addScaled(rest, -c, whole[s-j])
			}
			up := 0.0
			for i, v := range whole[0] {
				up += rest[i] * v
			}
			column = append(column, up/(length(whole[0])*length(whole[0])))
		}
		product := make([]float64, stopSteps) // of the config's bands with the column of C, or with 1
		for s := range product {
			if !of.noise.Inverse {
				if product[s] = column[s]; s < len(of.noise.Coefficients) {
					product[s] -= of.noise.Coefficients[s]
				}
				continue
			}
			for j := 0; j <= s && j < len(of.noise.Coefficients); j++ {
				product[s] += of.noise.Coefficients[j] * column[s-j]
			}
			if s == 0 {
				product[s]--
			}
		}
		if length(product) > tolerance {
			t.Errorf("%s: the first column of C in the run is %v, which is not that of the config: off by %v", name, column, product)
		}
		sum := slices.Clone(column) // of the columns of the steps that an example joins
		for first := of.period; 0 < first && first < stopSteps; first += of.period {
			addScaled(sum[first:], 1, column[:stopSteps-first])
		}
		sigma := k.plan.Replicas[0].NoiseMultiplier / length(sum)
		var event accounting.Event = accounting.ClippedSum{NoiseMultiplier: k.plan.Replicas[0].NoiseMultiplier}
		if of.period > 0 {
			event = k.plan.Replicas[0].Event()
		}
		if priced := event.(accounting.ClippedSum).NoiseMultiplier; math.Abs(priced/sigma-1) > tolerance {
			t.Errorf("%s: priced at noise multiplier %g, where C in the run has %g", name, priced, sigma)
		}
		first := firstStop(calls)
		for at := first - 1; at <= calls; at++ { // the first one is not stopped
			n := whole
			if at >= first {
				n = h.noiseOf(t, at)
			}
			for s := range n {
				got := make([]float64, len(n[s]))
				for j := range s + 1 {
					addScaled(got, column[j], n[s-j])
				}
				if off := distance(got, z[s]); !(off <= tolerance*length(z[s])) {
					t.Errorf("%s, stopped before call %d of %d: C times the noise at step %d is off from the independent normals by %.3g of their norm", name, at, calls, s, off/length(z[s]))
					break
				}
			}
		}
	}
}
