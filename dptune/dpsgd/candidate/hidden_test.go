package candidate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// The number of runs is secret: progress is that of one, however many there are.
func TestProgressHidesTheNumberOfRuns(t *testing.T) {
	for _, runs := range []int{1, 3} {
		c, most, calls := small(t), 0.0, 0
		c.Progress = func(p dpsgd.Progress) {
			calls++
			if p.Replicas != 1 || p.Steps != 10 {
				t.Errorf("%d runs: progress %+v, want that of one run", runs, p)
			}
			most = max(most, p.ExamplesPerSecond*p.Elapsed.Seconds())
		}
		var roots []streams.Root
		for i := range runs {
			roots = append(roots, streams.Fixed("progress").Child(string(rune('a'+i))))
		}
		if _, err := c.RunAll(t.Context(), make([]float64, 0, runs), nil); err != nil || calls > 0 {
			t.Errorf("no runs: %d calls, error %v", calls, err)
		}
		if _, err := c.RunAll(t.Context(), []float64{1, 1, 1}[:runs], roots); err != nil {
			t.Fatal(err)
		}
		// 10 steps of a tenth of the data are all of it, once.
		if n := float64(c.Train.Len()); calls == 0 || most < 0.99*n || most > 1.01*n {
			t.Errorf("%d runs: %d calls of progress, at most %g examples, want %g of one run", runs, calls, most, n)
		}
	}
}

// A warning of progress, which names a file by the runs that it is of, hides them too.
func TestWarningsHideTheNumberOfRuns(t *testing.T) {
	c, cause := small(t), errors.New("replicas-0-to-6-after-step-10.checkpoint: no space left on device")
	var told []error
	c.Progress = func(p dpsgd.Progress) { told = append(told, p.Warning) }
	tell := c.progressOfOne(7)
	tell(dpsgd.Progress{})
	tell(dpsgd.Progress{Warning: cause})
	if told[0] != nil || told[1] == nil || strings.Contains(told[1].Error(), "replicas") || dptune.UnsafeCause(told[1]) != cause {
		t.Errorf("told %v: want nothing, and then a warning that hides %q", told, cause)
	}
}

// No error reveals the number of runs or their hyper-parameters: K = 7 and the learning rate 0.625
// are in no text.
func TestErrorsHideTheRuns(t *testing.T) {
	hs, roots := make([]float64, 7), make([]streams.Root, 7)
	for i := range hs {
		hs[i], roots[i] = 0.625, streams.Fixed("hide").Child(string(rune('a'+i)))
	}
	check := func(what string, c DPSGD[float64], ctx context.Context, cause error) {
		t.Helper()
		_, err := c.RunAll(ctx, hs, roots)
		if err == nil || cause != nil && !errors.Is(err, cause) {
			t.Fatalf("%s: error %v, want one that is %v", what, err, cause)
		}
		if text := err.Error(); strings.Contains(text, "7 replicas") || strings.Contains(text, "replicas-") || strings.Contains(text, "0.625") {
			t.Errorf("%s: error %q tells of the runs", what, text)
		}
		if dptune.UnsafeCause(err) == err {
			t.Errorf("%s: error %v hides nothing", what, err)
		}
	}
	tight := small(t)
	need := must(engine.EstimateMemory(tight.Model, tight.Train.Len(), tight.Configure(0.625).Plan()))
	tight.Performance.MemoryLimit = need.Total() + need.Total()/4
	check("memory", tight, t.Context(), engine.ErrMemory)

	kept := small(t)
	kept.Performance.Checkpoint.Dir, kept.Performance.ReplicasPerCall = t.TempDir(), 4
	if _, err := kept.RunAll(t.Context(), hs, roots); err != nil {
		t.Fatal(err)
	}
	kept.Validation, kept.Train = kept.Train, kept.Validation // which is other data
	check("checkpoint of another run", kept, t.Context(), nil)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check("stopped", small(t), ctx, context.Canceled)
}
