package dptune_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// counted is a search of eight runs that keeps them in a folder. The score and output of a run come
// from its root; every run from the one of that number on is an error.
func counted(dir string, ran *atomic.Int32, failFrom int32) dptune.Search[float64, []float64] {
	return dptune.Search[float64, []float64]{
		Law: law.Fixed{Count: 8}, Prior: dptune.Grid[float64]{1, 2, 3}, Delta: 1e-5, Unit: "one record", Identity: []byte("counted"), KeepUnsafeDiagnostics: true,
		Candidate: dptune.CachedCandidate(dir, accounting.Gaussian{NoiseMultiplier: 5}, func(_ context.Context, h float64, root streams.Root) (dptune.Outcome[[]float64], error) {
			if n := ran.Add(1); n >= failFrom {
				return dptune.Outcome[[]float64]{}, errors.New("the lights went out")
			}
			rng := root.Rand("run")
			score := rng.NormFloat64()
			if rng.IntN(2) == 0 {
				score = math.NaN()
			}
			return dptune.Outcome[[]float64]{Output: []float64{h, rng.Float64(), 1. / 3}, Score: score}, nil
		}),
	}
}

// A search that was stopped runs the runs that had not finished, and no others; its release is that
// of a search which was not stopped.
func TestCachedCandidateIsTakenUp(t *testing.T) {
	dir, ctx := filepath.Join(t.TempDir(), "runs"), t.Context()
	root, err := streams.SecretFile(filepath.Join(t.TempDir(), "root"))
	if err != nil {
		t.Fatal(err)
	}
	var ran atomic.Int32
	if _, err := counted(dir, &ran, 5).Run(ctx, root); err == nil || !strings.Contains(err.Error(), "the lights went out") {
		t.Fatalf("error %v", err)
	}
	ran.Store(0)
	second, err := counted(dir, &ran, 100).Run(ctx, root)
	if err != nil || ran.Load() != 4 {
		t.Errorf("taken up, %d runs took place, want 4 of 8, error %v", ran.Load(), err)
	}
	ran.Store(0)
	whole, err := counted(filepath.Join(t.TempDir(), "other"), &ran, 100).Run(ctx, root)
	if err != nil || ran.Load() != 8 {
		t.Errorf("%d runs took place, want 8, error %v", ran.Load(), err)
	}
	// NaN is not equal to itself, so scores are compared by their bits.
	bits := func(r dptune.Release[float64, []float64, dptune.NoDetails]) (list []uint64) {
		d, _ := r.UnsafeDiagnostics()
		for _, score := range d.Scores {
			list = append(list, math.Float64bits(score))
		}
		return list
	}
	if !reflect.DeepEqual(second.Output, whole.Output) || !reflect.DeepEqual(bits(second), bits(whole)) || second.Hyperparameters != whole.Hyperparameters {
		t.Errorf("taken up %v, at once %v", second, whole)
	}
	ran.Store(0)
	other, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := counted(dir, &ran, 100).Run(ctx, other); err != nil || ran.Load() != 8 {
		t.Errorf("of another root, %d runs took place, want 8, error %v", ran.Load(), err)
	}
}

// Searches of one root, folder and Identity share no run if their laws differ. If the runs of a
// search of 3 were those of a search of 6 too, both prices together would not cover them.
func TestCachedCandidateSharesNoRunOfAnotherLaw(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	root, err := streams.SecretFile(filepath.Join(t.TempDir(), "root"))
	if err != nil {
		t.Fatal(err)
	}
	var ran atomic.Int32
	for _, k := range []int32{3, 6, 2} {
		for _, want := range []int32{k, 0} { // the second time all runs are taken from the folder
			search := counted(dir, &ran, 100)
			search.Law = law.Fixed{Count: int(k)}
			ran.Store(0)
			if _, err := search.Run(ctx, root); err != nil || ran.Load() != want {
				t.Errorf("a search of %d runs: %d took place, want %d, error %v", k, ran.Load(), want, err)
			}
		}
	}
}

// Files that are damaged, or of other hyper-parameters, are not taken.
func TestCachedCandidateBelievesNoOtherFile(t *testing.T) {
	dir, ctx, root := t.TempDir(), t.Context(), streams.Fixed("kept")
	var ran atomic.Int32
	if _, err := counted(dir, &ran, 100).Run(ctx, root); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 8 {
		t.Fatalf("%d files, error %v, want 8", len(files), err)
	}
	path := filepath.Join(dir, files[3].Name())
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string][]byte{"cut off": content[:20], "changed": append(content[:len(content)-1:len(content)-1], 'x'), "empty": {}} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		ran.Store(0)
		if _, err := counted(dir, &ran, 100).Run(ctx, root); err != nil || ran.Load() != 1 {
			t.Errorf("a file that is %s: %d runs took place, want 1, error %v", what, ran.Load(), err)
		}
		if again, err := os.ReadFile(path); err != nil || !reflect.DeepEqual(again, content) {
			t.Errorf("a file that was %s is not what it was, error %v", what, err)
		}
	}
	ran.Store(0)
	search := counted(dir, &ran, 100)
	search.Prior = dptune.Grid[float64]{7}
	if _, err := search.Run(ctx, root); err != nil || ran.Load() != 8 {
		t.Errorf("of another grid, %d runs took place, want 8, error %v", ran.Load(), err)
	}
}

// half has a field that package json does not write.
type half struct{ Seen, unseen float64 }

func TestCachedCandidateRefuses(t *testing.T) {
	event := accounting.Gaussian{NoiseMultiplier: 1}
	roots := []streams.Root{streams.Fixed("refused")}
	run := func(c dptune.Candidate[float64, float64], h float64) error {
		_, err := c.RunAll(t.Context(), []float64{h}, roots)
		return err
	}
	good := func(context.Context, float64, streams.Root) (dptune.Outcome[float64], error) {
		return dptune.Outcome[float64]{Output: 1}, nil
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	infinite := func(context.Context, float64, streams.Root) (dptune.Outcome[float64], error) {
		return dptune.Outcome[float64]{Output: math.Inf(1)}, nil
	}
	for want, err := range map[string]error{
		"CandidateFunc: run is nil: must be a function":              run(dptune.CachedCandidate[float64, float64](t.TempDir(), event, nil), 1),
		"CachedCandidate: dir is empty: must be a folder":            run(dptune.CachedCandidate("", event, good), 1),
		"CachedCandidate: mkdir":                                     run(dptune.CachedCandidate(file, event, good), 1),
		"CachedCandidate: hyper-parameters: json: unsupported value": run(dptune.CachedCandidate(t.TempDir(), event, good), math.NaN()),
		"CachedCandidate: output: json: unsupported value: +Inf":     run(dptune.CachedCandidate(t.TempDir(), event, infinite), 1),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	lost := dptune.CachedCandidate(t.TempDir(), event, func(context.Context, float64, streams.Root) (dptune.Outcome[half], error) {
		return dptune.Outcome[half]{Output: half{Seen: 1, unseen: 1}}, nil
	})
	const want = "CachedCandidate: output is a dptune_test.half: must come back from package json as it was"
	if _, err := lost.RunAll(t.Context(), []float64{1}, roots); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an output of which a part is lost: error %v, want one that says %q", err, want)
	}
}

// The text of a run's own error is in the error of the search, which adds nothing about the runs.
func TestAnErrorOfARunIsQuoted(t *testing.T) {
	var ran atomic.Int32
	_, err := counted(t.TempDir(), &ran, 1).Run(t.Context(), streams.Fixed("quoted"))
	if err == nil || err.Error() != "dptune: a run failed: the lights went out" {
		t.Errorf("error %v, want the run's own words and no others about the runs", err)
	}
}

// A run that panics ends the search with an error that holds its hyper-parameters and its stack,
// but does not print them. The finished runs are kept. The program continues.
func TestARunPanics(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	root, err := streams.SecretFile(filepath.Join(t.TempDir(), "root"))
	if err != nil {
		t.Fatal(err)
	}
	var ran atomic.Int32
	broken, cause := true, errors.New("index 7 of 3")
	search := dptune.Search[float64, float64]{
		Law: law.Fixed{Count: 8}, Prior: dptune.Grid[float64]{1234.5}, Delta: 1e-5, Unit: "one record", Identity: []byte("panics"),
		Candidate: dptune.CachedCandidate(dir, accounting.Gaussian{NoiseMultiplier: 5}, func(_ context.Context, h float64, root streams.Root) (dptune.Outcome[float64], error) {
			if ran.Add(1) == 5 && broken {
				panic(cause)
			}
			return dptune.Outcome[float64]{Output: h, Score: root.Rand("run").NormFloat64()}, nil
		}),
	}
	_, err = search.Run(t.Context(), root)
	var panicked *dptune.RunPanic
	if !errors.As(err, &panicked) || !errors.Is(err, cause) || panicked.Hyperparameters != 1234.5 || !strings.Contains(string(panicked.Stack), "TestARunPanics") {
		t.Fatalf("error %v, %+v, want a RunPanic with hyper-parameters 1234.5 and a stack", err, panicked)
	}
	if text := err.Error(); !strings.Contains(text, "a run failed: panic: index 7 of 3") || strings.Contains(text, "1234.5") || strings.Contains(text, ".go") {
		t.Errorf("error %q, want what the panic said, and neither hyper-parameters nor a stack", text)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.run"))
	if err != nil || len(files) < 4 {
		t.Errorf("%d runs are kept, %v, want those that were done, at least 4", len(files), err)
	}
	broken = false
	ran.Store(0)
	if _, err := search.Run(t.Context(), root); err != nil || int(ran.Load()) != 8-len(files) {
		t.Errorf("taken up, %d runs took place, %v, want %d", ran.Load(), err, 8-len(files))
	}
}

// A run that ends its goroutine has no outcome, and ends the others, which wait for it here.
func TestARunEndsItsGoroutine(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // reached if they are not ended
	defer cancel()
	var ended atomic.Bool
	search := dptune.Search[float64, float64]{
		Law: law.Fixed{Count: 3}, Prior: dptune.Grid[float64]{1}, Delta: 1e-5, Unit: "one record",
		Candidate: dptune.CandidateFunc(accounting.Gaussian{NoiseMultiplier: 5}, func(ctx context.Context, _ float64, _ streams.Root) (dptune.Outcome[float64], error) {
			if ended.CompareAndSwap(false, true) {
				runtime.Goexit()
			}
			<-ctx.Done()
			return dptune.Outcome[float64]{}, ctx.Err()
		}),
	}
	if out, err := search.Run(ctx, streams.Fixed("ends")); err == nil || !strings.Contains(err.Error(), "ended its goroutine") || ctx.Err() != nil {
		t.Errorf("released %v, %v, want an error; the test's limit: %v", out, err, ctx.Err())
	}
}
