package sampling_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd/internal/sampling"
)

// The parts of a batch hold it in order, the rest is padding, and an empty batch has a part.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		batch []int32
		want  [][]int32
	}{
		{nil, [][]int32{{-1, -1, -1}}},
		{[]int32{5}, [][]int32{{5, -1, -1}}},
		{[]int32{5, 6, 7}, [][]int32{{5, 6, 7}}},
		{[]int32{5, 6, 7, 8}, [][]int32{{5, 6, 7}, {8, -1, -1}}},
	} {
		if n := sampling.Count(len(c.batch), 3); n != len(c.want) {
			t.Errorf("batch %v: %d parts, want %d", c.batch, n, len(c.want))
		}
		for part, want := range c.want {
			entries, padding := make([]int32, 3), 0
			for _, e := range want {
				if e == sampling.Padding {
					padding++
				}
			}
			if n := sampling.Cut(c.batch, part, entries); n != 3-padding || !slices.Equal(entries, want) {
				t.Errorf("batch %v, part %d: %v with %d examples, want %v", c.batch, part, entries, n, want)
			}
		}
		beyond := make([]int32, 3)
		if n := sampling.Cut(c.batch, 9, beyond); n != 0 || !slices.Equal(beyond, []int32{-1, -1, -1}) {
			t.Errorf("batch %v, part 9: %v with %d examples, want padding", c.batch, beyond, n)
		}
	}
}

func ExampleCut() {
	batch, entries := []int32{3, 14, 15, 92, 65}, make([]int32, 4)
	for part := range sampling.Count(len(batch), len(entries)) {
		examples := sampling.Cut(batch, part, entries)
		fmt.Println(entries, examples)
	}
	// Output:
	// [3 14 15 92] 4
	// [65 -1 -1 -1] 1
}
