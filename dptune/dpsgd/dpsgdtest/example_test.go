package dpsgdtest_test

import (
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/dpsgdtest"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// gain is a layer y = w ∘ x with one factor for each value, and perhaps a mistake.
type gain struct{ mistake bool }

func (gain) String() string { return "Gain" }

func (gain) OutputShape(input []int) ([]int, error) { return input, nil }

func (gain) Weights(input []int) []nn.Weight {
	return []nn.Weight{{Name: "factors", Shape: input}}
}

func (l gain) Forward(weights []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	w, x := graph.InsertAxes(weights[0], 1), in.Values // [R, 1, shape...], [R or 1, B, shape...]
	backward := func(g *graph.Node, wantInput bool) (atInput *graph.Node, atWeights nn.Gradients) {
		if wantInput {
			atInput = graph.Mul(g, w)
		}
		return atInput, nn.PerSample(graph.Mul(g, x))
	}
	if l.mistake { // as batch normalization would
		x = graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, 1))
	}
	return nn.Activations{Values: graph.Mul(w, x)}, backward
}

// printer replaces a *testing.T.
type printer struct{ testing.TB }

func (printer) Helper() {}

func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// A test of your own layer, and the message for a mistake.
func ExampleLayer() {
	var t printer // in a test, its argument
	dpsgdtest.Layer(t, gain{}, 2, 3)
	fmt.Println("nothing was said of the first")
	dpsgdtest.Layer(t, gain{mistake: true}, 2, 3)
	// Output:
	// nothing was said of the first
	// in Float64, engine: Gain: tried on a random batch: an example's squared norm, of size 7.06, moves by 22.9 when example 0 of the batch is replaced by another: rows must not mix: results for one example must depend on that example only
}
