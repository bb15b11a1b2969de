package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// A file that is cut off, changed in one bit, empty or foreign is passed over with a
// warning, and the one before it taken; with no good one the run starts anew.
func TestDamagedCheckpointsArePassedOver(t *testing.T) {
	dir := t.TempDir()
	run := newStoppable(t, saving(dir, 3))
	want := run.whole(t)
	empty(t, dir)
	run.stopAfter(t, 16, 0, 2)
	names, files := checkpointNames(t, dir), map[string][]byte{}
	if len(names) != 4 { // the last two of two groups
		t.Fatalf("files %q, want two of each group", names)
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
				if i%2 == 1 || both { // sorted by group and then by step
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
		change func(p *dpsgd.Plan, perf *engine.Performance)
		model  dpsgd.Model
		data   data.Dataset
		root   string
		want   string
	}{
		"noise":     {func(p *dpsgd.Plan, _ *engine.Performance) { p.Replicas[0].NoiseMultiplier *= 2 }, m, d, "resumed", "must have the same plan "},
		"schedule":  {func(p *dpsgd.Plan, _ *engine.Performance) { p.Schedule = nil }, m, d, "resumed", "must have the same plan "},
		"canary":    {func(p *dpsgd.Plan, _ *engine.Performance) { p.Canary.Example.Label = 1 }, m, d, "resumed", "must have the same data, plan "},
		"canary in": {func(p *dpsgd.Plan, _ *engine.Performance) { p.Canary.In = []bool{false, false, true} }, m, d, "resumed", "must have the same plan "},
		"precision": {func(_ *dpsgd.Plan, f *engine.Performance) { f.Precision = engine.Float64 }, m, d, "resumed", "must have the same performance settings "},
		"group":     {func(_ *dpsgd.Plan, f *engine.Performance) { f.ReplicasPerCall = 1 }, m, d, "resumed", "set Performance.ReplicasPerCall to 2"},
		"data":      {nil, m, other, "resumed", "must have the same data "},
		"generator": {func(p *dpsgd.Plan, _ *engine.Performance) { p.Generator = dpsgd.ChaCha20 }, m, d, "resumed", "must have the same generator of noise "},
		"root":      {nil, m, d, "another", "must have the same root "},
		"model":     {func(p *dpsgd.Plan, _ *engine.Performance) { p.Probes = nil }, deep, d, "resumed", "must have the same model, plan "},
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
	_, err := engine.NewReplicas(m, d, plan, engine.Performance{Checkpoint: engine.Checkpoint{Every: -1}})
	checkError(t, err, []string{"Performance.Checkpoint.Every -1"})
	_, err = engine.NewReplicas(m, d, plan, engine.Performance{Checkpoint: engine.Checkpoint{Every: 3}})
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
