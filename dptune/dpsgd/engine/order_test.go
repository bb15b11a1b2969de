package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// A batch of several microbatches comes in a random order: each of the 24 orders of four examples as often as
// chance has it, at every step anew. χ² of 23 degrees is above 88.5 with chance 1e-9. A batch of one microbatch
// stays in the order of its rows.
func TestOrderOfABatchIsRandom(t *testing.T) {
	const steps = 24000
	all := private()
	all.Sampling = dpsgd.Poisson{Rate: 1}
	for name, c := range map[string]dpsgd.Config{"Poisson": all, "full": fixed(1)} {
		c.Steps = steps
		tr := trainer(t, mlp(t, 6, 3), blobs(4, 6, 3), c.Plan(), engine.Performance{Microbatch: 3})
		root, counts := streams.Fixed("order"), map[string]int{}
		for step := range steps {
			counts[fmt.Sprint(tr.Batch(root, step))]++
		}
		squares := 0.0
		for _, n := range counts {
			squares += math.Pow(float64(n)-steps/24, 2) / (steps / 24)
		}
		if len(counts) != 24 || squares > 88.5 {
			t.Errorf("%s: %d orders, χ² %.1f, want 24 and at most 88.5", name, len(counts), squares)
		}
		one := trainer(t, mlp(t, 6, 3), blobs(4, 6, 3), c.Plan(), engine.Performance{Microbatch: 4})
		if got := one.Batch(root, 0); !slices.IsSorted(got) || len(got) != 4 {
			t.Errorf("%s: one microbatch has the order %v", name, got)
		}
	}
}

// One row more, the last, leaves all others where they were, but for the one whose place it takes and which comes
// last: two microbatches change, whatever their size. Every place is taken.
func TestOneExampleMoreChangesTwoMicrobatches(t *testing.T) {
	const n, x = 7, int32(7)
	c := fixed(1)
	c.Steps = 300
	for size := 1; size < n; size++ {
		less := trainer(t, mlp(t, 6, 3), blobs(n, 6, 3), c.Plan(), engine.Performance{Microbatch: size})
		more := trainer(t, mlp(t, 6, 3), blobs(n+1, 6, 3), c.Plan(), engine.Performance{Microbatch: size})
		taken := map[int]bool{}
		for step := range c.Steps { // a place is never taken with chance (7/8)^300 < 1e-17
			without, with := less.Batch(streams.Fixed("order"), step), more.Batch(streams.Fixed("order"), step)
			taken[slices.Index(with, x)] = true
			a, b := slices.Collect(slices.Chunk(without, size)), slices.Collect(slices.Chunk(with, size))
			changed := len(b) - len(a)
			for i := range a {
				if !slices.Equal(a[i], b[i]) {
					changed++
				}
			}
			if changed > 2 {
				t.Fatalf("microbatches of %d: %v and %v differ in %d", size, without, with, changed)
			}
		}
		if len(taken) != n+1 {
			t.Errorf("microbatches of %d: the last row comes to %d places, want %d", size, len(taken), n+1)
		}
	}
}
