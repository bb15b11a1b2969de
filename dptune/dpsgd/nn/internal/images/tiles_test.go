package images

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Tiles give the convolution and the gradient at its inputs, up to rounding: for any padding, sides
// that differ, several replicas, and images that they share.
func TestTilesAgreeWithUnfoldedRows(t *testing.T) {
	backend, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(0, 1))
	normal := func(dims ...int) *tensors.Tensor {
		values := make([]float64, kernel.SizeOf(dims))
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	for _, c := range []struct{ replicas, shared, rows, columns, inputs, outputs, padding int }{
		{1, 1, 4, 6, 3, 5, 1}, {2, 2, 6, 4, 2, 3, 0}, {3, 1, 2, 8, 1, 2, 2}, {2, 1, 4, 4, 4, 1, 1},
	} {
		const batch = 2
		l := Convolution{Inputs: c.inputs, Outputs: c.outputs, Window: Window{
			Kernel: [2]int{tileKernel, tileKernel}, Stride: [2]int{1, 1}, Padding: [2]int{c.padding, c.padding}}}
		places := l.Window.Places([]int{c.rows, c.columns, c.inputs})
		x := normal(c.shared, batch, c.rows, c.columns, c.inputs)
		w := normal(c.replicas, c.outputs, tileKernel, tileKernel, c.inputs)
		g := normal(c.replicas, batch, places[0], places[1], c.outputs)
		exec, err := graph.NewExec(backend, func(x, w, g *graph.Node) []*graph.Node {
			y, backward := l.Forward([]*graph.Node{w}, x, true)
			at, _ := backward(g, true)
			return []*graph.Node{y, l.tiledForward(w, kernel.RepeatShared(x, c.replicas)), at, l.tiledAtInput(w, g)}
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(x, w, g)
		if err != nil {
			t.Fatal(err)
		}
		for i, what := range []string{"outputs", "gradient at the inputs"} {
			want, err := tensors.CopyFlatData[float64](out[2*i])
			if err != nil {
				t.Fatal(err)
			}
			got, err := tensors.CopyFlatData[float64](out[2*i+1])
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(want) {
				t.Fatalf("%+v: %s by tiles have %d values, want %d", c, what, len(got), len(want))
			}
			for j := range want {
				if !(math.Abs(got[j]-want[j]) < 1e-12) {
					t.Fatalf("%+v: %s by tiles: value %d is %g, want %g as by unfolded rows", c, what, j, got[j], want[j])
				}
			}
		}
	}
}
