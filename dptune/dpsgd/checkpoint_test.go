package dpsgd_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
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
	"github.com/dplab/dplab/dptune/streams"
)

// long is a plan with all that a checkpoint must keep: two slots, probes, exclusions, a
// canary, replicas of different numbers.
func long(t testing.TB) (dpsgd.Model, data.Dataset, dpsgd.Plan) {
	t.Helper()
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	plan := dpsgd.Plan{Schedule: dpsgd.Cosine(40), Canary: &dpsgd.Canary{Example: odd(), In: []bool{true, false, true}}}
	for i := range 3 {
		c := private()
		c.Steps, c.NoiseMultiplier, c.Optimizer = 30, 1+float64(i), dpsgd.Adam{}
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
func saving(dir string, every int) dpsgd.Performance {
	return dpsgd.Performance{Chunk: 2, Microbatch: 8, Goroutines: 2, Checkpoint: dpsgd.Checkpoint{Dir: dir, Every: every}}
}

// same fails unless two results agree to the last bit.
func same(t *testing.T, what string, got, want *dpsgd.Result) {
	t.Helper()
	if !reflect.DeepEqual(got.Parameters.Values, want.Parameters.Values) {
		t.Errorf("%s: weights differ", what)
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
	perf    dpsgd.Performance
	trainer *dpsgd.Trainer
	weights func(step, replica int) // called after every step; nil for none
	gate    func(step int)          // called before a step is drawn, by each chunk; nil for none
}

func newStoppable(t *testing.T, perf dpsgd.Performance) *stoppable {
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
func (s *stoppable) run(t *testing.T, ctx context.Context) (*dpsgd.Result, error) {
	t.Helper()
	if s.trainer == nil || !compilesSlowly() {
		s.trainer = trainer(t, s.model, s.data, s.plan, s.perf)
	}
	return s.trainer.Run(ctx, streams.Fixed("resumed"))
}

// whole runs to the end.
func (s *stoppable) whole(t *testing.T) *dpsgd.Result {
	t.Helper()
	return must(s.run(t, t.Context()))(t)
}

// stopAfter runs until some replicas have taken a step, and wants the context's error. A chunk
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
			<-ctx.Done()
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
	for _, precision := range []dpsgd.Precision{dpsgd.Float32, dpsgd.Float64} {
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
		perf.Checkpoint = dpsgd.Checkpoint{}
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

func resultBytes(r *dpsgd.Result) []byte {
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

// A file that is cut off, changed in one bit, empty or foreign is passed over with a
// warning, and the one before it taken; with no good one the run starts anew.
func TestDamagedCheckpointsArePassedOver(t *testing.T) {
	dir := t.TempDir()
	run := newStoppable(t, saving(dir, 3))
	want := run.whole(t)
	empty(t, dir)
	run.stopAfter(t, 16, 0, 2)
	names, files := checkpointNames(t, dir), map[string][]byte{}
	if len(names) != 4 { // the last two of two chunks
		t.Fatalf("files %q, want two of each chunk", names)
	}
	for _, name := range names {
		files[name] = must(os.ReadFile(filepath.Join(dir, name)))(t)
	}
	for name, damage := range map[string]func(file []byte) []byte{
		"cut off": func(file []byte) []byte { return file[:len(file)-1] },
		"half":    func(file []byte) []byte { return file[:len(file)/2] },
		"one bit": func(file []byte) []byte { file[len(file)/2] ^= 4; return file },
		"header":  func(file []byte) []byte { file[strings.Index(string(file), "plan")+9] ^= 1; return file },
		"empty":   func([]byte) []byte { return nil },
		"foreign": func([]byte) []byte { return []byte(strings.Repeat("not a checkpoint\n", 100)) },
	} {
		for _, both := range []bool{false, true} {
			empty(t, dir)
			damaged := 0
			for i, file := range names {
				text := slices.Clone(files[file])
				if i%2 == 1 || both { // sorted by chunk and then by step
					text = damage(text)
					damaged++
				}
				if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := run.whole(t)
			same(t, name, got, want)
			if warnings := len(got.Warnings) - len(want.Warnings); warnings != damaged {
				t.Errorf("%s, both %v: %d warnings, want %d: %v", name, both, warnings, damaged, got.Warnings)
			}
		}
	}
}

// A checkpoint of another run is refused before any step, with what differs.
func TestCheckpointOfAnotherRunIsRefused(t *testing.T) {
	dir := t.TempDir()
	newStoppable(t, saving(dir, 3)).stopAfter(t, 10, 0, 2)
	m, d, _ := long(t)
	other := blobs(40, 6, 3)
	other.Features[17]++
	deep := mlp(t, 6, 5, 5, 3)
	for name, c := range map[string]struct {
		change func(p *dpsgd.Plan, perf *dpsgd.Performance)
		model  dpsgd.Model
		data   data.Dataset
		root   string
		want   string
	}{
		"noise":     {func(p *dpsgd.Plan, _ *dpsgd.Performance) { p.Replicas[0].NoiseMultiplier *= 2 }, m, d, "resumed", "must have the same plan "},
		"schedule":  {func(p *dpsgd.Plan, _ *dpsgd.Performance) { p.Schedule = nil }, m, d, "resumed", "must have the same plan "},
		"canary":    {func(p *dpsgd.Plan, _ *dpsgd.Performance) { p.Canary.Example.Label = 1 }, m, d, "resumed", "must have the same data, plan "},
		"canary in": {func(p *dpsgd.Plan, _ *dpsgd.Performance) { p.Canary.In = []bool{false, false, true} }, m, d, "resumed", "must have the same plan "},
		"precision": {func(_ *dpsgd.Plan, f *dpsgd.Performance) { f.Precision = dpsgd.Float64 }, m, d, "resumed", "must have the same performance settings "},
		"chunk":     {func(_ *dpsgd.Plan, f *dpsgd.Performance) { f.Chunk = 1 }, m, d, "resumed", "set Performance.Chunk to 2"},
		"data":      {nil, m, other, "resumed", "must have the same data "},
		"generator": {func(p *dpsgd.Plan, _ *dpsgd.Performance) { p.Generator = dpsgd.ChaCha20 }, m, d, "resumed", "must have the same generator of noise "},
		"root":      {nil, m, d, "another", "must have the same root "},
		"model":     {func(p *dpsgd.Plan, _ *dpsgd.Performance) { p.Probes = nil }, deep, d, "resumed", "must have the same model, plan "},
	} {
		_, _, p := long(t)
		perf := saving(dir, 3)
		if c.change != nil {
			c.change(&p, &perf)
		}
		p.Weights = func(int, int, []float64) { t.Errorf("%s: a step was taken", name) }
		_, err := trainer(t, c.model, c.data, p, perf).Run(t.Context(), streams.Fixed(c.root))
		checkError(t, err, []string{dir, c.want})
	}
	if len(checkpointNames(t, dir)) != 4 {
		t.Error("a refused checkpoint was removed")
	}
}

// A run of ChaCha20 is taken up by one of ChaCha20, and by no other.
func TestCheckpointNamesItsGenerator(t *testing.T) {
	run := newStoppable(t, saving(t.TempDir(), 3))
	run.plan.Generator = dpsgd.ChaCha20
	want := run.whole(t)
	run.perf.Checkpoint.Dir = t.TempDir()
	run.trainer = nil
	run.stopAfter(t, 10, 0, 2)
	got := run.whole(t)
	same(t, "resumed", got, want)
	if got.Generator != dpsgd.ChaCha20 || len(got.Warnings) > 0 {
		t.Errorf("generator %v, warnings %v: want ChaCha20 and none", got.Generator, got.Warnings)
	}
	run.plan.Generator, run.trainer = dpsgd.AES256, nil
	_, err := run.run(t, t.Context())
	checkError(t, err, []string{"must have the same generator of noise "})
}

func TestCheckpointIsValidated(t *testing.T) {
	m, d, plan := long(t)
	_, err := dpsgd.NewTrainer(m, d, plan, dpsgd.Performance{Checkpoint: dpsgd.Checkpoint{Every: -1}})
	checkError(t, err, []string{"Performance.Checkpoint.Every -1"})
	_, err = dpsgd.NewTrainer(m, d, plan, dpsgd.Performance{Checkpoint: dpsgd.Checkpoint{Every: 3}})
	checkError(t, err, []string{`Performance.Checkpoint.Dir ""`})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = trainer(t, m, d, plan, saving(file, 3)).Run(t.Context(), streams.Fixed("x"))
	checkError(t, err, []string{"Performance.Checkpoint.Dir", file})
}

// Files hold no root: neither the name of a fixed one nor the key of a secret one, and
// nobody but their owner can read them.
func TestCheckpointsHoldNoRoot(t *testing.T) {
	m, d, plan := long(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "root")
	root := must(streams.SecretFile(path))(t)
	kept := filepath.Join(dir, "kept")
	tr := trainer(t, m, d, plan, saving(kept, 10))
	must(tr.Run(t.Context(), root))(t)
	key := strings.Fields(string(must(os.ReadFile(path))(t)))
	for _, name := range checkpointNames(t, kept) {
		text := string(must(os.ReadFile(filepath.Join(kept, name)))(t))
		for n := range 24 { // any 8 of its 32 bytes, as text or as they are
			part := key[len(key)-1][2*n : 2*n+16]
			var raw []byte
			fmt.Sscanf(part, "%x", &raw)
			if strings.Contains(text, part) || strings.Contains(text, string(raw)) {
				t.Errorf("%s holds bytes %d to %d of the root", name, n, n+7)
			}
		}
		info := must(os.Stat(filepath.Join(kept, name)))(t)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	again := trainer(t, m, d, plan, saving(kept, 10))
	must(again.Run(t.Context(), must(streams.SecretFile(path))(t)))(t)
	other := must(streams.Secret())(t)
	_, err := again.Run(t.Context(), other)
	checkError(t, err, []string{"must have the same root "})
}
