package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// oneNoisyStep is a run of one step on all of the data, of much noise, from weights of zero: its
// weights are -η times the noisy sum.
func oneNoisyStep(size int) dpsgd.Plan {
	c := dpsgd.Config{ClipNorm: 0.5, NoiseMultiplier: 2000, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1}
	c.Sampling = dpsgd.FullBatch{}
	p := c.Plan()
	p.Initial = &dpsgd.Parameters{Values: [][]float64{make([]float64, size)}}
	return p
}

// noisySum returns the noisy sum of a run of oneNoisyStep.
func noisySum(t *testing.T, m dpsgd.Model, d data.Dataset, p dpsgd.Plan, perf engine.Performance, root streams.Root) []float64 {
	t.Helper()
	perf.Precision = engine.Float64
	sum := slices.Clone(must(trainer(t, m, d, p, perf).Run(t.Context(), root))(t).Parameters.Values[0])
	for i := range sum {
		sum[i] /= -p.Replicas[0].LearningRate
	}
	return sum
}

// Two runs from one secret root that differ in one example, or in a number of the plan, have
// independent noise: their difference is as long as that of two noises. From a fixed root the noise
// is the same, and the difference is the example's clipped gradient: what an attack would find.
func TestOneRootTwoRunsHaveTwoNoises(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	more := blobs(41, 6, 3)
	plan := oneNoisyStep(m.Size())
	root := must(streams.SecretFile(filepath.Join(t.TempDir(), "root")))(t)
	first := noisySum(t, m, d, plan, engine.Performance{}, root)
	if again := noisySum(t, m, d, plan, engine.Performance{Goroutines: 1, MemoryLimit: -1}, root); !slices.Equal(again, first) {
		t.Error("the same run from the same secret root has other weights")
	}
	kept := engine.Performance{Checkpoint: engine.Checkpoint{Dir: t.TempDir()}}
	if again := noisySum(t, m, d, plan, kept, root); !slices.Equal(again, first) {
		t.Error("a folder of checkpoints changes the weights")
	}
	known := distance(noisySum(t, m, d, plan, engine.Performance{}, streams.Fixed("x")), noisySum(t, m, more, plan, engine.Performance{}, streams.Fixed("x")))
	if math.Abs(known-0.5) > 1e-6 {
		t.Fatalf("from a fixed root, one example more moves the noisy sum by %g: want the ClipNorm 0.5, or this test shows nothing", known)
	}
	changed := func(change func(p *dpsgd.Plan)) dpsgd.Plan {
		p := oneNoisyStep(m.Size())
		change(&p)
		return p
	}
	other := blobs(40, 6, 3)
	other.Features[17] += 1e-3
	label := blobs(40, 6, 3)
	label.Labels[3] = (label.Labels[3] + 1) % 3
	for name, sum := range map[string][]float64{
		"one example more": noisySum(t, m, more, plan, engine.Performance{}, root),
		"another feature":  noisySum(t, m, other, plan, engine.Performance{}, root),
		"another label":    noisySum(t, m, label, plan, engine.Performance{}, root),
		"learning rate":    noisySum(t, m, d, changed(func(p *dpsgd.Plan) { p.Replicas[0].LearningRate = 2 }), engine.Performance{}, root),
		"schedule":         noisySum(t, m, d, changed(func(p *dpsgd.Plan) { p.Schedule = func(int) float64 { return 1 + 1e-12 } }), engine.Performance{}, root),
		"initial weights":  noisySum(t, m, d, changed(func(p *dpsgd.Plan) { p.Initial.Values[0][0] = 1e-9 }), engine.Performance{}, root),
		"another program":  noisySum(t, m, d, changed(func(p *dpsgd.Plan) { p.ClipMethod = dpsgd.Materialized }), engine.Performance{}, root),
		"other microbatch": noisySum(t, m, d, plan, engine.Performance{Microbatch: 8}, root),
		"one replica more": noisySum(t, m, d, changed(func(p *dpsgd.Plan) { p.Replicas = append(p.Replicas, p.Replicas[0]) }), engine.Performance{}, root),
	} {
		got := distance(sum, first)
		// σC √(2P) = 1000 √(2·53) on average. Its square has the law of χ² with 53 degrees, and is
		// below x = 1/16 of its mean with a chance of e^(-53/2 (x-1-ln x)) = 8e-22 at most.
		if want := 1000 * math.Sqrt(2*float64(m.Size())); got < want/4 {
			t.Errorf("%s: the noisy sums are %g apart: want about %g, as of two noises", name, got, want)
		}
	}
}

// scaledBy returns a layer of the caller's own code that multiplies by a number that its name does
// not show.
func scaledBy(by float64) nn.Layer {
	return nn.Auto("scaled", nil, func(in []int) ([]int, error) { return in, nil },
		func(_ []*graph.Node, x *graph.Node) *graph.Node { return graph.MulScalar(x, by) })
}

// mine is a layer of the caller's own type.
type mine struct{ nn.Layer }

// Code of the caller cannot be told apart: each run of it from a secret root draws anew, unless a
// folder of checkpoints makes it the same run.
func TestRunsOfForeignCodeHaveTwoNoises(t *testing.T) {
	d := blobs(40, 6, 3)
	model := func(by float64) dpsgd.Model {
		m := mlp(t, 6, 5, 3)
		m.Layers = append([]nn.Layer{nn.Residual([]nn.Layer{scaledBy(by)})}, m.Layers...)
		return m
	}
	plan, root := oneNoisyStep(model(1).Size()), must(streams.Secret())(t)
	first := noisySum(t, model(1), d, plan, engine.Performance{}, root)
	for name, by := range map[string]float64{"the same code": 1, "other code": 2} {
		// As above.
		if got, want := distance(noisySum(t, model(by), d, plan, engine.Performance{}, root), first), 1000*math.Sqrt(2*float64(len(first))); got < want/4 {
			t.Errorf("%s: the noisy sums are %g apart: want about %g, as of two noises", name, got, want)
		}
	}
	wrapped := mlp(t, 6, 5, 3)
	wrapped.Layers = append([]nn.Layer{mine{nn.Tanh()}}, wrapped.Layers...)
	if slices.Equal(noisySum(t, wrapped, d, plan, engine.Performance{}, root), noisySum(t, wrapped, d, plan, engine.Performance{}, root)) {
		t.Error("a layer of the caller's own type: two runs have one noise")
	}
	kept := engine.Performance{Checkpoint: engine.Checkpoint{Dir: t.TempDir(), Every: 1}}
	whole := noisySum(t, model(1), d, plan, kept, root)
	empty(t, kept.Checkpoint.Dir) // as if it had been killed before its first checkpoint
	if resumed := noisySum(t, model(1), d, plan, kept, root); !slices.Equal(resumed, whole) {
		t.Error("a run of the same folder has other weights")
	}
	if err := os.Remove(filepath.Join(kept.Checkpoint.Dir, "nonce")); err != nil {
		t.Fatal(err)
	}
	_, err := trainer(t, model(1), d, plan, engine.Performance{Precision: engine.Float64, Checkpoint: kept.Checkpoint}).Run(t.Context(), root)
	checkError(t, err, []string{"must have the same nonce"})
}

// A stopped run from a secret root resumes to the bits of one that was not stopped.
func TestSecretRunResumes(t *testing.T) {
	m, d, plan := long(t)
	root := must(streams.Secret())(t)
	want := must(trainer(t, m, d, plan, saving("", 0)).Run(t.Context(), root))(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	plan.Weights = func(step, _ int, _ []float64) {
		if step == 12 {
			cancel()
		}
	}
	if _, err := trainer(t, m, d, plan, saving(dir, 3)).Run(ctx, root); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
	steps := 0
	plan.Weights = func(int, int, []float64) { steps++ }
	same(t, "resumed", must(trainer(t, m, d, plan, saving(dir, 3)).Run(t.Context(), root))(t), want)
	if all := 3 * plan.Replicas[0].Steps; steps == 0 || steps >= all {
		t.Errorf("%d model-steps after the stop: want some, and fewer than all %d", steps, all)
	}
}

// Anyone with a checkpoint but without the root cannot make another one. Changed weights with
// matching checksums are refused.
func TestForgedCheckpointIsRefused(t *testing.T) {
	m, d, plan := long(t)
	dir, root := t.TempDir(), must(streams.Secret())(t)
	perf := saving(dir, 10)
	must(trainer(t, m, d, plan, perf).Run(t.Context(), root))(t)
	names := checkpointNames(t, dir)
	for _, name := range names[1:] {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, names[0])
	good := must(os.ReadFile(path))(t)
	sum := func(file []byte) []byte { h := sha256.Sum256(file); return h[:] }
	forge := func(change func(file []byte)) {
		file := slices.Clone(good)
		change(file)
		rest := file[:len(file)-sha256.Size]
		if err := os.WriteFile(path, slices.Concat(rest, sum(rest)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := trainer(t, m, d, plan, perf).Run(t.Context(), root)
		checkError(t, err, []string{path, "was changed by someone without the root"})
	}
	forge(func(file []byte) { file[len(file)/2] ^= 1 })
	forge(func(file []byte) { file[len(file)-2*sha256.Size-9] ^= 1 })
	forge(func(file []byte) { file[len(file)-sha256.Size-1] ^= 1 })                 // the authentication itself
	forge(func(file []byte) { file[bytes.Index(file, []byte(`"Step":`))+7] = '1' }) // an earlier step
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	must(trainer(t, m, d, plan, perf).Run(t.Context(), root))(t)
}

// A checkpoint that was renamed to that of another group of the same size is refused.
func TestCheckpointOfAnotherChunkIsRefused(t *testing.T) {
	m, d, plan := long(t)
	plan.Replicas = append(plan.Replicas, plan.Replicas[0])
	plan.Canary.In = append(plan.Canary.In, false)
	dir, root := t.TempDir(), must(streams.Secret())(t)
	perf := saving(dir, 30)
	must(trainer(t, m, d, plan, perf).Run(t.Context(), root))(t)
	names := checkpointNames(t, dir)
	if len(names) != 2 {
		t.Fatalf("files %q: want one of each group", names)
	}
	for i, name := range names {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, names[1-i]+".swapped")); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(dir, name+".swapped"), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := trainer(t, m, d, plan, perf).Run(t.Context(), root)
	checkError(t, err, []string{"is of the group that begins at replica"})
}
