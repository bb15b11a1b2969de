package dpsgdtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/dpsgdtest"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// notes keeps what a check says.
type notes struct {
	testing.TB
	said []string
}

func (*notes) Helper() {}

func (n *notes) Errorf(format string, args ...any) {
	n.said = append(n.said, fmt.Sprintf(format, args...))
}

// cubes is a layer x -> w x³, with faults that a trial in small batches does not see.
type cubes struct {
	slope     float64 // 3 if it is right
	atWeights float64 // 1 if it is right
	largest   int     // examples in a batch; in larger ones it mixes
}

var right = cubes{3, 1, 1000}

func (cubes) String() string { return "Cubes" }

func (cubes) OutputShape(input []int) ([]int, error) { return input, nil }

func (cubes) Weights(input []int) []nn.Weight {
	return []nn.Weight{{Name: "factors", Shape: input}}
}

func (l cubes) Forward(weights []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	w, x := graph.InsertAxes(weights[0], 1), in.Values
	if x.Shape().Dim(1) > l.largest {
		x = graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, 1))
	}
	square := graph.Square(x)
	cube := graph.Mul(square, x)
	backward := func(g *graph.Node, _ bool) (*graph.Node, nn.Gradients) {
		atInput := graph.MulScalar(graph.Mul(g, graph.Mul(w, square)), l.slope)
		return atInput, nn.PerSample(graph.MulScalar(graph.Mul(g, cube), l.atWeights))
	}
	return nn.Activations{Values: graph.Mul(w, cube)}, backward
}

// half is a loss whose gradient is half of what it must be.
type half struct{ nn.Loss }

func (half) String() string { return "half" }

func (l half) Gradient(z, labels *graph.Node) *graph.Node {
	return graph.MulScalar(l.Loss.Gradient(z, labels), 0.5)
}

// loud is a loss whose values overflow where outputs are large.
type loud struct{ nn.Loss }

func (loud) String() string { return "loud" }

func (l loud) Values(z, labels *graph.Node) *graph.Node {
	sum := graph.Log(graph.ReduceSum(graph.Exp(z), -1))
	return graph.Sub(sum, graph.ReduceSum(graph.Mul(z, graph.OneHot(labels, z.Shape().Dim(-1), z.DType())), -1))
}

// lost is a loss that predicts a class that there is not.
type lost struct{ nn.Loss }

func (lost) String() string { return "lost" }

func (l lost) Classes(z *graph.Node) *graph.Node { return graph.AddScalar(l.Loss.Classes(z), 1) }

// Each fault is found, and said in words; what is right passes.
func TestFaultsAreFound(t *testing.T) {
	layer := func(change func(*cubes)) func(testing.TB) {
		l := right
		change(&l)
		return func(t testing.TB) { dpsgdtest.Layer(t, l, 2, 3) }
	}
	loss := func(l nn.Loss) func(testing.TB) { return func(t testing.TB) { dpsgdtest.Loss(t, l, 3) } }
	for name, c := range map[string]struct {
		check func(testing.TB)
		want  string
	}{
		"right":             {layer(func(*cubes) {}), ""},
		"wrong at weights":  {layer(func(l *cubes) { l.atWeights = 1.01 }), `model "first": the gradient of example 0 at "0 Cubes factors" is`},
		"wrong at inputs":   {layer(func(l *cubes) { l.slope = 2 }), `model "between": the gradient of example 0 at "0 Auto(scale [2 3]) factors" is`},
		"mixes many":        {layer(func(l *cubes) { l.largest = 21 }), `model "first": a batch of 20 examples adds a sum that is`},
		"mixes few":         {layer(func(l *cubes) { l.largest = 5 }), "in Float64, dpsgd: Cubes: tried on a random batch: an example's"},
		"one shape":         {func(t testing.TB) { dpsgdtest.Layer(t, nn.Dense(3, 2), 4) }, "input of shape [4] has 4 values: must have 3"},
		"nil":               {func(t testing.TB) { dpsgdtest.Layer(t, nil, 4) }, "layer is nil"},
		"right loss":        {loss(nn.SoftmaxCrossEntropy()), ""},
		"half the gradient": {loss(half{nn.SoftmaxCrossEntropy()}), `model "half": the gradient of example 0`},
		"overflow":          {loss(loud{nn.SoftmaxCrossEntropy()}), "loud, with outputs of 1e4"},
		"class":             {loss(lost{nn.SoftmaxCrossEntropy()}), "of class 3: must be in [0, 3)"},
		"nil loss":          {loss(nil), "loss is nil"},
	} {
		n := &notes{TB: t}
		c.check(n)
		said := strings.Join(n.said, "\n")
		if c.want == "" && said != "" || !strings.Contains(said, c.want) {
			t.Errorf("%s: said %q, want %q", name, said, c.want)
		}
	}
}
