package dpsgd_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/streams"
)

// A batch of several microbatches comes in a random order: each of the 24 orders of four examples as often as
// chance has it, at every step anew. χ² of 23 degrees is above 88.5 with chance 1e-9. A batch of one microbatch
// stays in the order of its rows.
func TestOrderOfABatchIsRandom(t *testing.T) {
	const steps = 24000
	for name, c := range map[string]dpsgd.Config{"Poisson": private(), "full": fixed(1)} {
		if c.SamplingRate > 0 {
			c.SamplingRate = 1
		}
		c.Steps = steps
		tr := trainer(t, mlp(t, 6, 3), blobs(4, 6, 3), c.Plan(), dpsgd.Performance{Microbatch: 3})
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
		one := trainer(t, mlp(t, 6, 3), blobs(4, 6, 3), c.Plan(), dpsgd.Performance{Microbatch: 4})
		if got := one.Batch(root, 0); !slices.IsSorted(got) || len(got) != 4 {
			t.Errorf("%s: one microbatch has the order %v", name, got)
		}
	}
}

// The lemma of shuffle, by enumeration: every order of five examples comes from one order of the other four and one
// place of the fifth alone, and differs from it in two microbatches at most, whatever their size.
func TestOneExampleMoreChangesTwoMicrobatches(t *testing.T) {
	const n, x = 4, int32(4)
	seen := map[string]bool{}
	for _, order := range orders(n) {
		for j := range n + 1 {
			with := append(slices.Clone(order), x)
			with[j], with[n] = with[n], with[j]
			seen[fmt.Sprint(with)] = true
			for size := 1; size <= n+1; size++ {
				a, b := slices.Collect(slices.Chunk(order, size)), slices.Collect(slices.Chunk(with, size))
				changed := len(b) - len(a)
				for i := range a {
					if !slices.Equal(a[i], b[i]) {
						changed++
					}
				}
				if changed > 2 {
					t.Errorf("microbatches of %d: %v and %v differ in %d", size, order, with, changed)
				}
			}
		}
	}
	if len(seen) != 120 {
		t.Errorf("%d orders of five, want all 120", len(seen))
	}
}

// orders returns all orders of 0 to n-1.
func orders(n int) [][]int32 {
	if n == 0 {
		return [][]int32{nil}
	}
	var all [][]int32
	for _, short := range orders(n - 1) {
		for j := range n {
			all = append(all, slices.Insert(slices.Clone(short), j, int32(n-1)))
		}
	}
	return all
}
