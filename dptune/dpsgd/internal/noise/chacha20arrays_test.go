package noise

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/streams"
)

// Both forms on arrays make the words of RFC 8439, and those of the host for any length.
func TestChaCha20OnArrays(t *testing.T) {
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	for _, unrolled := range []bool{false, true} {
		words := func(n int, keys []uint32) []uint32 {
			t.Helper()
			exec, err := graph.NewExec(backend, func(keys *graph.Node) *graph.Node {
				return chachaOnArrays(graph.Reshape(keys, -1, KeyWords, 1), n, unrolled)
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Call(tensors.FromFlatDataAndDimensions(keys, len(keys)/KeyWords, KeyWords))
			if err != nil {
				t.Fatal(err)
			}
			flat, err := tensors.CopyFlatData[uint32](out[0])
			if err != nil {
				t.Fatal(err)
			}
			return flat
		}
		var keys []uint32
		for _, v := range vectors {
			key := keyWords(v.key)
			keys = append(keys, key[:]...)
		}
		if err := checkVectors(words(vectorBlocks*blockWords, keys)); err != nil {
			t.Errorf("unrolled %v: %v", unrolled, err)
		}
		first, second := From(streams.Fixed("a")), From(streams.Fixed("b"))
		for _, n := range []int{1, 15, 16, 17, 35, 1000} {
			want := make([]uint32, 2*n)
			first.ChaCha20(3, want[:n])
			second.ChaCha20(4, want[n:])
			one, two := first.Key(3), second.Key(4)
			if got := words(n, slices.Concat(one[:], two[:])); !slices.Equal(got, want) {
				t.Errorf("unrolled %v, %d words: not those of the host", unrolled, n)
			}
		}
	}
}
