package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// The form of XLA on the processor agrees with the plain one, up to rounding, for one and for
// several replicas.
func TestGroupNormByChannelsAgrees(t *testing.T) {
	backend, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(0, 2))
	normal := func(dims ...int) *tensors.Tensor {
		values := make([]float64, kernel.SizeOf(dims))
		for i := range values {
			values[i] = 1 + rng.NormFloat64()
		}
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	const groups, channels = 2, 6
	l := groupNorm{groups, channels}
	for _, replicas := range []int{1, 3} {
		exec, err := graph.NewExec(backend, func(x, scale, shift, g *graph.Node) []*graph.Node {
			var all []*graph.Node
			weights := []*graph.Node{scale, shift}
			for _, forward := range []func([]*graph.Node, Activations) (Activations, Backward){l.Forward, l.forwardByChannels} {
				y, backward := forward(weights, Activations{Values: x})
				at, atWeights := backward(g, true)
				all = append(append(all, y.Values, at), atWeights.Each()...)
			}
			return all
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(normal(1, 2, 3, 4, channels), normal(replicas, channels), normal(replicas, channels), normal(replicas, 2, 3, 4, channels))
		if err != nil {
			t.Fatal(err)
		}
		for i, what := range []string{"outputs", "gradient at the inputs", "gradient of the scale", "gradient of the shift"} {
			want, got := out[i], out[i+len(out)/2]
			if !want.Shape().Equal(got.Shape()) {
				t.Fatalf("%d replicas: %s are %v, want %v", replicas, what, got.Shape(), want.Shape())
			}
			wanted, err := tensors.CopyFlatData[float64](want)
			if err != nil {
				t.Fatal(err)
			}
			values, err := tensors.CopyFlatData[float64](got)
			if err != nil {
				t.Fatal(err)
			}
			for j := range wanted {
				if !(math.Abs(values[j]-wanted[j]) < 1e-12) {
					t.Fatalf("%d replicas: %s: value %d is %g, want %g", replicas, what, j, values[j], wanted[j])
				}
			}
		}
	}
}
