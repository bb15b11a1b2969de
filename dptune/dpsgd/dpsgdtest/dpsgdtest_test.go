package dpsgdtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/dpsgdtest"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// notes keeps the messages of a check.
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

// perToken is a dense layer for each token of a text. Its squared norms are Σ (a aᵀ) ∘ (g gᵀ) over
// pairs of tokens, raised by the most that a number of roundings of their terms can take.
type perToken struct {
	in, out   int
	roundings float64 // or byProducts
}

// byProducts is for norms by the library's algebra.
const byProducts = -1

func (l perToken) String() string { return fmt.Sprintf("PerToken(%d, %d)", l.in, l.out) }

func (l perToken) OutputShape(in []int) ([]int, error) { return []int{in[0], l.out}, nil }

func (l perToken) Weights([]int) []nn.Weight {
	return []nn.Weight{{Name: "weights", Shape: []int{l.out, l.in}}}
}

func (l perToken) Forward(w []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	dims := append([]int{w[0].Shape().Dim(0)}, in.Values.Shape().Dimensions[1:]...)
	a := graph.BroadcastToDims(in.Values, dims...) // of replicas that share it
	return nn.Activations{Values: graph.Einsum("rbti,roi->rbto", a, w[0])}, func(g *graph.Node, _ bool) (*graph.Node, nn.Gradients) {
		atInput := graph.Einsum("rbto,roi->rbti", g, w[0])
		if l.roundings == byProducts {
			return atInput, nn.Joint(nn.Products(in.Values, g))
		}
		return atInput, tokenGradients{a, g, l.roundings}
	}
}

type tokenGradients struct {
	a, g      *graph.Node // [R, B, tokens, n]
	roundings float64
}

func (h tokenGradients) SquaredNorms() *graph.Node {
	gram := func(x *graph.Node) *graph.Node {
		return graph.DotGeneral(x, []int{3}, []int{0, 1}, x, []int{3}, []int{0, 1})
	}
	lengths := func(x *graph.Node) *graph.Node { return graph.Sqrt(graph.ReduceSum(graph.Square(x), 3)) }
	most := graph.Square(graph.ReduceSum(graph.Mul(lengths(h.a), lengths(h.g)), 2))
	unit := 0x1p-24
	if h.a.DType() == dtypes.Float64 {
		unit = 0x1p-53
	}
	return graph.Add(graph.ReduceSum(graph.Mul(gram(h.a), gram(h.g)), 2, 3), graph.MulScalar(most, h.roundings*unit))
}

func (h tokenGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	kept := func(x *graph.Node) *graph.Node { // of factor 0 nothing is, NaN neither
		zero := graph.BroadcastToDims(graph.InsertAxes(graph.Equal(factors, graph.ZerosLike(factors)), -1, -1), x.Shape().Dimensions...)
		return graph.Where(zero, graph.ZerosLike(x), x)
	}
	return []*graph.Node{graph.Einsum("rbto,rbti->roi", graph.Mul(kept(h.g), graph.InsertAxes(factors, -1, -1)), kept(h.a))}
}

func (h tokenGradients) Each() []*graph.Node {
	return []*graph.Node{graph.Einsum("rbto,rbti->rboi", h.g, h.a)}
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
		"right":              {layer(func(*cubes) {}), ""},
		"wrong at weights":   {layer(func(l *cubes) { l.atWeights = 1.01 }), `model "first": the gradient of example 0 at "0 Cubes factors" is`},
		"wrong at inputs":    {layer(func(l *cubes) { l.slope = 2 }), `model "between": the gradient of example 0 at "0 Auto(scale [2 3]) factors" is`},
		"mixes many":         {layer(func(l *cubes) { l.largest = 21 }), `model "first": the sum of 20 examples is`},
		"mixes few":          {layer(func(l *cubes) { l.largest = 5 }), "in Float64, engine: Cubes: tried on a random batch: an example's"},
		"terms cancel":       {func(t testing.TB) { dpsgdtest.Layer(t, perToken{4, 3, 0}, 2, 4) }, "return nn.Products or nn.PerSample gradients"},
		"raised by rounding": {func(t testing.TB) { dpsgdtest.Layer(t, perToken{4, 3, 64}, 2, 4) }, ""},
		"products":           {func(t testing.TB) { dpsgdtest.Layer(t, perToken{4, 3, byProducts}, 2, 4) }, ""},
		"one shape":          {func(t testing.TB) { dpsgdtest.Layer(t, nn.Dense(3, 2), 4) }, "input of shape [4] has 4 values: must have 3"},
		"nil":                {func(t testing.TB) { dpsgdtest.Layer(t, nil, 4) }, "layer is nil"},
		"right loss":         {loss(nn.SoftmaxCrossEntropy()), ""},
		"half the gradient":  {loss(half{nn.SoftmaxCrossEntropy()}), `model "half": the gradient of example 0`},
		"overflow":           {loss(loud{nn.SoftmaxCrossEntropy()}), "loud, with outputs of 1e4"},
		"class":              {loss(lost{nn.SoftmaxCrossEntropy()}), "of class 3: must be in [0, 3)"},
		"nil loss":           {loss(nil), "loss is nil"},
	} {
		n := &notes{TB: t}
		c.check(n)
		said := strings.Join(n.said, "\n")
		if c.want == "" && said != "" || !strings.Contains(said, c.want) {
			t.Errorf("%s: said %q, want %q", name, said, c.want)
		}
	}
}

// NewReplicas refuses norms by algebra of terms that cancel, at the widths of real layers, as they
// run; raised, or by per-sample gradients, they train.
func TestNormsThatCancelDoNotTrain(t *testing.T) {
	for _, width := range []int{8, 64, 576} {
		d := data.Dataset{Name: "texts", Shape: []int{2, width}, Classes: 2, Features: make([]float32, 2*2*width), Labels: []int32{0, 1}}
		for what, c := range map[string]struct {
			roundings float64
			plan      dpsgd.Plan
			perf      engine.Performance
			refused   bool
		}{
			"alone":       {0, clipped(dpsgd.BookKeeping), engine.Performance{}, true},
			"in float64":  {0, clipped(dpsgd.BookKeeping), engine.Performance{Precision: engine.Float64}, true},
			"replicas":    {0, replicated(clipped(dpsgd.BookKeeping), false), engine.Performance{ReplicasPerCall: 2}, true},
			"same batch":  {0, replicated(clipped(dpsgd.BookKeeping), true), engine.Performance{ReplicasPerCall: 2}, true},
			"one by one":  {0, clipped(dpsgd.Materialized), engine.Performance{}, false},
			"products":    {byProducts, clipped(dpsgd.BookKeeping), engine.Performance{}, false},
			"raised":      {float64(10 * width), clipped(dpsgd.BookKeeping), engine.Performance{}, false},
			"raised, f64": {float64(10 * width), clipped(dpsgd.BookKeeping), engine.Performance{Precision: engine.Float64}, false},
		} {
			m := dpsgd.Model{Name: "texts", Input: []int{2, width}, Loss: nn.SoftmaxCrossEntropy(),
				Layers: []nn.Layer{perToken{width, 5, c.roundings}, nn.Tanh(), nn.Flatten(), nn.Dense(10, 2)}}
			_, err := engine.NewReplicas(m, d, c.plan, c.perf)
			if refused := err != nil && strings.Contains(err.Error(), "layer 0: PerToken(") && strings.Contains(err.Error(), "terms that cancel"); refused != c.refused || !refused && err != nil {
				t.Errorf("%s, width %d: error %v, want it refused: %v", what, width, err, c.refused)
			}
		}
	}
}

// clipped returns a plan that clips, without noise.
func clipped(mode dpsgd.ClipMethod) dpsgd.Plan {
	c := dpsgd.Config{ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: 1}, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1, NonPrivate: true}
	return dpsgd.Plan{Replicas: []dpsgd.Config{c}, ClipMethod: mode}
}

// replicated returns a plan of two replicas.
func replicated(p dpsgd.Plan, shared bool) dpsgd.Plan {
	p.Replicas, p.SharedBatches = append(p.Replicas, p.Replicas[0]), shared
	return p
}
