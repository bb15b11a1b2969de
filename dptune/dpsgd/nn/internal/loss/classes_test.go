package loss

import (
	"math"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// The code for two classes has the bits of the code for any number, and NaN at the same places.
func TestTwoExponentialsEqualAny(t *testing.T) {
	backend, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	pairs := [][2]float32{{1, 2}, {2, 1}, {3, 3}, {-500, 0.25}, {1e-8, -1e-8}, {88, -88}, {inf, 1}, {1, inf}, {-inf, 1}, {inf, inf}, {-inf, -inf}, {nan, 1}, {1, nan}}
	z := make([]float32, 2*len(pairs))
	for i, pair := range pairs {
		z[i], z[len(pairs)+i] = pair[0], pair[1]
	}
	exec, err := graph.NewExec(backend, func(z *graph.Node) []*graph.Node {
		e, sum := twoExponentials(z)
		plain := graph.Exp(graph.Sub(z, graph.ReduceAndKeep(z, graph.ReduceMax, 1)))
		return []*graph.Node{graph.Div(e, kernel.ExpandLike(sum, e)), graph.Div(plain, graph.ReduceAndKeep(plain, graph.ReduceSum, 1))}
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(z, 1, 2, len(pairs)))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := tensors.CopyFlatData[float32](out[0])
	want, err := tensors.CopyFlatData[float32](out[1])
	if err != nil {
		t.Fatal(err)
	}
	for i, pair := range pairs {
		for _, at := range []int{i, len(pairs) + i} {
			same := math.Float32bits(got[at]) == math.Float32bits(want[at]) || got[at] != got[at] && want[at] != want[at]
			if !same {
				t.Errorf("softmax of %g: %g, want %g", pair, got[at], want[at])
			}
		}
	}
}
