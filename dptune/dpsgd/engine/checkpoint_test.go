package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// long is a plan with all that a checkpoint must keep: two slots, an average, probes, exclusions, a
// canary, replicas of different numbers, one of them with places that last for a period of 7 steps.
func long(t testing.TB) (dpsgd.Model, data.Dataset, dpsgd.Plan) {
	t.Helper()
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	plan := dpsgd.Plan{Schedule: dpsgd.Cosine(40), Average: 0.9, KeepSlots: true, Canary: &dpsgd.Canary{Example: odd(), In: []bool{true, false, true}}}
	for i := range 3 {
		c := private()
		c.Steps, c.NoiseMultiplier, c.Optimizer = 30, 1+float64(i), dpsgd.Adam{}
		if i == 2 {
			c.Sampling = dpsgd.RandomAllocation{Period: 7}
		}
		plan.Replicas = append(plan.Replicas, c)
	}
	for i := range 2 {
		direction := make([]float64, m.Size())
		direction[i] = 1
		plan.Probes = append(plan.Probes, direction)
	}
	return m, d, plan
}

// saving returns settings that write to a folder.
func saving(dir string, every int) engine.Performance {
	return engine.Performance{ReplicasPerCall: 2, Microbatch: 8, Goroutines: 2, Checkpoint: engine.Checkpoint{Dir: dir, Every: every}}
}

// same fails unless two results agree to the last bit.
func same(t *testing.T, what string, got, want *engine.Results) {
	t.Helper()
	if !reflect.DeepEqual(got.Parameters.Values, want.Parameters.Values) {
		t.Errorf("%s: weights differ", what)
	}
	if !reflect.DeepEqual(got.Averaged.Values, want.Averaged.Values) || !reflect.DeepEqual(got.Slots, want.Slots) {
		t.Errorf("%s: averages or slots differ", what)
	}
	if !reflect.DeepEqual(got.Probes, want.Probes) {
		t.Errorf("%s: probes differ", what)
	}
	if !slices.Equal(got.Excluded, want.Excluded) {
		t.Errorf("%s: excluded %v, want %v", what, got.Excluded, want.Excluded)
	}
}

// stoppable is a run that can be stopped and taken up again. On backends that compile slowly all
// its runs share a trainer, and elsewhere each has its own, as a new process would.
type stoppable struct {
	model   dpsgd.Model
	data    data.Dataset
	plan    dpsgd.Plan
	perf    engine.Performance
	trainer *engine.Replicas
	weights func(step, replica int) // called after every step; nil for none
	gate    func(step int)          // called before a step is drawn, by each group; nil for none
}

func newStoppable(t *testing.T, perf engine.Performance) *stoppable {
	s := &stoppable{perf: perf}
	s.model, s.data, s.plan = long(t)
	schedule := s.plan.Schedule
	s.plan.Schedule = func(step int) float64 {
		if s.gate != nil {
			s.gate(step)
		}
		return schedule(step)
	}
	s.plan.Weights = func(step, replica int, _ []float64) {
		if s.weights != nil {
			s.weights(step, replica)
		}
	}
	return s
}

// run runs to the end, or until the context ends.
func (s *stoppable) run(t *testing.T, ctx context.Context) (*engine.Results, error) {
	t.Helper()
	if s.trainer == nil || !compilesSlowly() {
		s.trainer = trainer(t, s.model, s.data, s.plan, s.perf)
	}
	return s.trainer.Run(ctx, streams.Fixed("resumed"))
}

// whole runs to the end.
func (s *stoppable) whole(t *testing.T) *engine.Results {
	t.Helper()
	return must(s.run(t, t.Context()))(t)
}

// stopAfter runs until some replicas have taken a step, and wants the context's error. A group
// that is ahead waits for the others, which may still be compiled.
func (s *stoppable) stopAfter(t *testing.T, step int, replicas ...int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var trains atomic.Bool
	s.weights = func(at, replica int) {
		trains.Store(true)
		if at >= step {
			replicas = slices.DeleteFunc(replicas, func(r int) bool { return r == replica })
		}
		if len(replicas) == 0 {
			cancel()
		}
	}
	s.gate = func(at int) {
		if at > step+1 && trains.Load() {
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Second): // it began beyond that step, and the others wait for it
			}
		}
	}
	defer func() { s.weights, s.gate = nil, nil }()
	if _, err := s.run(t, ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
}

// A run that is stopped again and again, at steps with and without a checkpoint, ends as
// one that was not.
func TestResumedRunGivesTheSameBits(t *testing.T) {
	for _, precision := range []engine.Precision{engine.Float32, engine.Float64} {
		perf := saving(t.TempDir(), 0)
		perf.Precision = precision
		run := newStoppable(t, perf)
		want := run.whole(t)
		empty(t, perf.Checkpoint.Dir)
		for _, step := range []int{0, 7, 7, 20, 27} {
			run.stopAfter(t, step, 0)
		}
		got := run.whole(t)
		same(t, "resumed", got, want)
		if len(got.Warnings) != len(want.Warnings) {
			t.Errorf("warnings %v, want those of a run that was not stopped, %v", got.Warnings, want.Warnings)
		}
		steps := 0
		run.weights = func(int, int) { steps++ }
		same(t, "at the end", run.whole(t), want)
		if steps != 0 {
			t.Errorf("a run that had ended took %d steps more", steps)
		}
		run.weights = nil
		perf.Checkpoint = engine.Checkpoint{}
		same(t, "without checkpoints", train(t, run.model, run.data, run.plan, perf, "resumed"), want)
	}
}

// empty removes the checkpoints of a folder.
func empty(t *testing.T, dir string) {
	t.Helper()
	for _, name := range checkpointNames(t, dir) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// Killed by force at random moments, while it trains and while it writes, a run resumes in
// a new process and ends with the bits of one that was not killed.
func TestRunSurvivesKills(t *testing.T) {
	m, d, plan := long(t)
	if dir := os.Getenv("DPLAB_TEST_KILLED"); dir != "" {
		plan.Weights = func(int, int, []float64) { time.Sleep(2 * time.Millisecond) }
		result := train(t, m, d, plan, saving(dir, 1), "killed")
		if err := os.WriteFile(filepath.Join(dir, "result"), resultBytes(result), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	want := train(t, m, d, plan, saving("", 0), "killed")
	most, patience := 4, 10*time.Second
	if compilesSlowly() {
		most, patience = 2, time.Minute
	}
	dir, rng, kills, trained := t.TempDir(), rand.New(rand.NewPCG(7, 8)), 0, 0
	for attempt := 0; ; attempt++ {
		child := exec.Command(os.Args[0], "-test.run=^TestRunSurvivesKills$")
		child.Env = append(os.Environ(), "DPLAB_TEST_KILLED="+dir)
		before := checkpointNames(t, dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- child.Wait() }()
		if kills < most && attempt < 20 {
			for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				if len(done) > 0 {
					break
				}
				if !slices.Equal(checkpointNames(t, dir), before) { // it trains
					trained++
					break
				}
			}
			time.Sleep(time.Duration(rng.IntN(15_000)) * time.Microsecond)
			_ = child.Process.Kill()
		}
		if err := <-done; err == nil {
			break
		} else if attempt > 25 {
			t.Fatalf("no attempt succeeds: %v", err)
		}
		kills++
	}
	if kills == 0 || trained == 0 {
		t.Errorf("%d processes were killed before their end, %d of all trained by then: the test says nothing", kills, trained)
	}
	got, err := os.ReadFile(filepath.Join(dir, "result"))
	if err != nil || !slices.Equal(got, resultBytes(want)) {
		t.Errorf("after %d kills the result differs from that of a run without, error %v", kills, err)
	}
}

func resultBytes(r *engine.Results) []byte {
	var out []byte
	for i, values := range r.Parameters.Values {
		out, _ = binary.Append(out, binary.LittleEndian, values)
		for _, products := range r.Probes[i] {
			out, _ = binary.Append(out, binary.LittleEndian, products)
		}
	}
	return out
}

func checkpointNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".checkpoint") {
			names = append(names, entry.Name())
		}
	}
	return names
}
