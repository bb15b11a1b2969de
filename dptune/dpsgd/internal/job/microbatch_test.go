package job

import (
	"slices"
	"testing"
)

// The microbatches of a batch hold it in order, the rest is padding, and an empty batch has one.
func TestCutMicrobatch(t *testing.T) {
	for _, c := range []struct {
		batch []int32
		want  [][]int32
	}{
		{nil, [][]int32{{-1, -1, -1}}},
		{[]int32{5}, [][]int32{{5, -1, -1}}},
		{[]int32{5, 6, 7}, [][]int32{{5, 6, 7}}},
		{[]int32{5, 6, 7, 8}, [][]int32{{5, 6, 7}, {8, -1, -1}}},
	} {
		if n := countMicrobatches(len(c.batch), 3); n != len(c.want) {
			t.Errorf("batch %v: %d microbatches, want %d", c.batch, n, len(c.want))
		}
		for i, want := range c.want {
			entries, padded := make([]int32, 3), 0
			for _, e := range want {
				if e == padding {
					padded++
				}
			}
			if n := cutMicrobatch(c.batch, i, entries); n != 3-padded || !slices.Equal(entries, want) {
				t.Errorf("batch %v, microbatch %d: %v with %d examples, want %v", c.batch, i, entries, n, want)
			}
		}
		beyond := make([]int32, 3)
		if n := cutMicrobatch(c.batch, 9, beyond); n != 0 || !slices.Equal(beyond, []int32{-1, -1, -1}) {
			t.Errorf("batch %v, microbatch 9: %v with %d examples, want padding", c.batch, beyond, n)
		}
	}
}
