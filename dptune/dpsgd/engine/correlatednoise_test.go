package engine_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// correlations are one matrix of each kind. Small runs use all of their bands.
func correlations(t testing.TB, steps int) map[string]*dpsgd.CorrelatedNoise {
	t.Helper()
	return map[string]*dpsgd.CorrelatedNoise{
		"optimal": must(dpsgd.OptimalNoise(steps, 4))(t),
		"rising":  {Coefficients: []float64{0.6, 0.64, -0.48}},
		"inverse": must(dpsgd.InverseRootNoise(6))(t),
		"one":     {Coefficients: []float64{1}},
	}
}

// covariance returns σ²C⁻¹C⁻ᵀ, [T][T], from C⁻¹ by forward substitution.
func covariance(n *dpsgd.CorrelatedNoise, steps int) [][]float64 {
	inverse := make([]float64, steps) // first column of C⁻¹
	copy(inverse, n.Coefficients)
	if !n.Inverse {
		for t := range inverse {
			sum := 0.0
			if t == 0 {
				sum = 1
			}
			for j := 1; j < len(n.Coefficients) && j <= t; j++ {
				sum -= n.Coefficients[j] * inverse[t-j]
			}
			inverse[t] = sum / n.Coefficients[0]
		}
	}
	out := make([][]float64, steps)
	for t := range out {
		out[t] = make([]float64, steps)
		for s := range out {
			for i := range min(s, t) + 1 {
				out[t][s] += inverse[t-i] * inverse[s-i]
			}
		}
	}
	return out
}

// offCovariance describes an entry of the covariance of samples [N][T] that is further from the
// wanted one than 6 standard errors, √((S_tt S_ss + S_ts²)/N). It is "" if there is none. For each
// of 78 entries the chance of that is 2e-9.
func offCovariance(samples [][]float64, want [][]float64) string {
	n := float64(len(samples))
	for t := range want {
		for s := range t + 1 {
			sum := 0.0
			for _, x := range samples {
				sum += x[t] * x[s]
			}
			error := math.Sqrt((want[t][t]*want[s][s] + want[t][s]*want[t][s]) / n)
			if got := sum / n; !(math.Abs(got-want[t][s]) <= 6*error) {
				return fmt.Sprintf("steps %d and %d: covariance %.4f, want %.4f within %.4f", t, s, got, want[t][s], 6*error)
			}
		}
	}
	return ""
}

// The released sums have noise of covariance σ²C⁻¹C⁻ᵀ. The gradients are at most a thousandth of
// it. Two mistakes are found in the same samples: noise that is used twice, and another c_0.
func TestCovarianceOfCorrelatedNoise(t *testing.T) {
	const steps, replicas = 12, 24
	m, d := mlp(t, 20, 9), blobs(4, 20, 9)
	for name, noise := range correlations(t, steps) {
		plan := dpsgd.Plan{}
		for range replicas {
			c := private()
			c.Steps, c.Sampling, c.Noise, c.ClipNorm, c.NoiseMultiplier, c.LearningRate = steps, dpsgd.FixedBatches{Period: 4}, noise, 1, 1000, 1e-9
			plan.Replicas = append(plan.Replicas, c)
		}
		for i := range m.Size() {
			unit := make([]float64, m.Size())
			unit[i] = 1
			plan.Probes = append(plan.Probes, unit)
		}
		result := train(t, m, d, plan, engine.Performance{ReplicasPerCall: 9, StepsPerCall: stepsPerCall(5)}, "covariance "+name)
		var samples [][]float64
		for r := range replicas {
			for i := range m.Size() {
				column := make([]float64, steps)
				for s := range column {
					column[s] = result.Probes[r][s][i] / 1000
				}
				samples = append(samples, column)
			}
		}
		want := covariance(noise, steps)
		if off := offCovariance(samples, want); off != "" {
			t.Errorf("%s: %s", name, off)
		}
		half := covariance(&dpsgd.CorrelatedNoise{Coefficients: append([]float64{2 * noise.Coefficients[0]}, noise.Coefficients[1:]...), Inverse: noise.Inverse}, steps)
		if offCovariance(samples, half) == "" {
			t.Errorf("%s: the covariance of another c_0 is not told from the right one", name)
		}
		for _, x := range samples {
			x[11] = x[10] // as if step 11 had the noise of step 10
		}
		if offCovariance(samples, want) == "" {
			t.Errorf("%s: noise that is used twice is not found", name)
		}
	}
	if independent := covariance(&dpsgd.CorrelatedNoise{Coefficients: []float64{1}}, 3); independent[2][1] != 0 || independent[2][2] != 1 {
		t.Errorf("covariance %v, want that of independent noise", independent)
	}
}

// stepsPerCall returns a number of steps where the backend can run several in a call.
func stepsPerCall(n int) int {
	if compilesSlowly() {
		return n
	}
	return 0
}

// A run that is stopped again and again continues with the noise of its earlier steps. It ends with
// the bits of a run that was not stopped.
func TestResumedRunKeepsItsCorrelatedNoise(t *testing.T) {
	for name, noise := range correlations(t, 30) {
		for _, precision := range []engine.Precision{engine.Float32, engine.Float64} {
			if compilesSlowly() && (precision == engine.Float64 || name == "one" || name == "rising") {
				continue
			}
			several := resumed(t, name, noise, engine.Performance{Precision: precision, StepsPerCall: stepsPerCall(4)})
			if !compilesSlowly() {
				continue
			}
			// A device that runs single steps keeps each vector by itself.
			single := resumed(t, name+", single steps", noise, engine.Performance{Precision: precision, StepsPerCall: 1})
			for r, values := range single.Parameters.Values {
				checkClose(t, name+": single steps and several in a call", values, several.Parameters.Values[r], 1e-4)
			}
		}
	}
}

// resumed returns a run that is not stopped, and checks that one that is stopped again and again
// ends with its bits.
func resumed(t *testing.T, name string, noise *dpsgd.CorrelatedNoise, given engine.Performance) *engine.Results {
	t.Helper()
	perf := saving(t.TempDir(), 0)
	perf.Precision, perf.StepsPerCall = given.Precision, given.StepsPerCall
	run := newStoppable(t, perf)
	for r := range run.plan.Replicas {
		run.plan.Replicas[r].Noise, run.plan.Replicas[r].Sampling = noise, dpsgd.FixedBatches{Period: 6}
	}
	want := run.whole(t)
	empty(t, perf.Checkpoint.Dir)
	for _, step := range []int{0, 2, 7, 7, 20, 27} {
		run.stopAfter(t, step, 0)
	}
	same(t, name, run.whole(t), want)
	return want
}

// Replicas of one plan have their own coefficients, and each gives the bits of the run by itself.
func TestReplicasHaveTheirOwnCorrelation(t *testing.T) {
	const steps = 8
	m, d := mlp(t, 6, 5, 3), blobs(24, 6, 3)
	plan := dpsgd.Plan{}
	roots := []streams.Root{streams.Fixed("a"), streams.Fixed("b"), streams.Fixed("c")}
	for r, c := range [][]float64{{0.8, 0.6, 0}, {1, 0, 0}, {0.6, 0.48, 0.64}} {
		config := private()
		config.Steps, config.Sampling = steps, dpsgd.CyclicPoisson{Period: 3 + r, Rate: 0.7}
		config.Noise = &dpsgd.CorrelatedNoise{Coefficients: c}
		plan.Replicas = append(plan.Replicas, config)
	}
	perf := engine.Performance{Microbatch: 8, Precision: engine.Float64}
	all := must(trainer(t, m, d, plan, perf).RunEach(t.Context(), roots))(t)
	for r, config := range plan.Replicas {
		one := must(trainer(t, m, d, config.Plan(), perf).RunEach(t.Context(), roots[r:r+1]))(t)
		checkClose(t, fmt.Sprintf("replica %d", r), all.Parameters.Values[r], one.Parameters.Values[0], 1e-12)
	}
	independent := plan.Replicas[1]
	independent.Noise = nil
	one := must(trainer(t, m, d, independent.Plan(), perf).RunEach(t.Context(), roots[1:2]))(t)
	checkClose(t, "coefficients 1, 0, 0 and no coefficients", all.Parameters.Values[1], one.Parameters.Values[0], 1e-12)
}

// A checkpoint of one matrix is not for another.
func TestCheckpointsAreOfOneMatrix(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(24, 6, 3)
	perf := engine.Performance{Checkpoint: engine.Checkpoint{Dir: t.TempDir()}}
	config := private()
	config.Sampling, config.Noise = dpsgd.FullBatch{}, &dpsgd.CorrelatedNoise{Coefficients: []float64{0.8, 0.6}}
	train(t, m, d, config.Plan(), perf, "matrix")
	config.Noise = &dpsgd.CorrelatedNoise{Coefficients: []float64{0.6, 0.8}}
	_, err := trainer(t, m, d, config.Plan(), perf).Run(context.Background(), streams.Fixed("matrix"))
	checkError(t, err, []string{"must have the same plan"})
}

// BenchmarkCorrelatedNoise runs steps of independent noise and of 16 bands in turn. "ratio" is the
// processor time of a step with bands over that of one without, the least of all rounds for each.
// Run it with -benchtime 5x, with GOEXPERIMENT=simd and GODEBUG=asyncpreemptoff=1, and on
// DPLAB_TEST_BACKEND=xla:cpu with -tags xla.
func BenchmarkCorrelatedNoise(b *testing.B) {
	for _, of := range []struct {
		model string
		batch int
	}{{"mlp", 256}, {"mnist-cnn", 256}, {"convnet", 128}} {
		b.Run(of.model, func(b *testing.B) {
			named := must(models.ByName(of.model))(b)
			m := must(named.Build())(b)
			d := data.Dataset{Name: "synthetic", Shape: named.Input, Classes: named.Classes, Labels: make([]int32, of.batch)}
			d.Features = make([]float32, of.batch*d.Width())
			for i := range d.Features {
				d.Features[i] = float32(math.Sin(float64(i)))
			}
			c := private()
			c.Sampling, c.Steps, c.ExpectedBatchSize = dpsgd.FullBatch{}, 40, float64(of.batch)
			with := c
			with.Noise = must(dpsgd.OptimalNoise(c.Steps, 16))(b)
			trainers := []*engine.Replicas{trainer(b, m, d, c.Plan(), engine.Performance{}), trainer(b, m, d, with.Plan(), engine.Performance{})}
			for _, t := range trainers { // compiles
				must(t.Run(b.Context(), streams.Fixed("bands")))(b)
			}
			least := []time.Duration{math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				for i, t := range trainers {
					start := cpuTime()
					must(t.Run(b.Context(), streams.Fixed("bands")))(b)
					least[i] = min(least[i], cpuTime()-start)
				}
			}
			b.ReportMetric(float64(least[1])/float64(least[0]), "ratio")
			b.ReportMetric(float64(least[0])/float64(c.Steps)/1e6, "cpu-ms/step")
		})
	}
}
