package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Layers that draw pass on which places are padding, with views and without. So a rate at which
// nothing is dropped gives the losses of evaluation.
func TestCoinsKeepPadding(t *testing.T) {
	backend, err := gobackend.New("")
	if err != nil {
		t.Fatal(err)
	}
	const none = 1e-30 // below all coins
	layers := func(drawn ...nn.Layer) []nn.Layer {
		return slices.Concat([]nn.Layer{nn.Embedding(5, 4)}, drawn, []nn.Layer{nn.Attention(4, 2, false), nn.GRU(4, 3), nn.MeanPlaces(), nn.Dense(3, 2)})
	}
	for _, m := range []nn.Model{
		{Name: "dropout", Layers: layers(nn.Dropout(none))},
		{Name: "stochastic depth", Layers: layers(nn.StochasticDepth(none), nn.Tanh())},
		{Name: "in a block", Layers: layers(nn.Residual([]nn.Layer{nn.Dropout(none), nn.Attention(4, 1, true)}))},
		{Name: "views", Views: 3, Layers: layers(nn.LayerNorm(4), nn.Dropout(none))},
		{Name: "drawn in a block, views", Views: 2, Layers: layers(nn.Residual([]nn.Layer{nn.PerPlace(nn.Dense(4, 4), nn.Dropout(none)), nn.Attention(4, 1, true)}))},
		{Name: "drawn last, views", Views: 2, Layers: append(layers(nn.Positions(4, 4)), nn.Dropout(none))},
	} {
		m.Input, m.Loss = []int{4}, nn.SoftmaxCrossEntropy()
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		exec, err := graph.NewExec(backend, func(in []*graph.Node) []*graph.Node {
			drawn := m.LossDrawn(in[0], nn.Batch{Rows: in[1], Labels: in[2], Coins: in[3]})
			return []*graph.Node{drawn, m.LossOf(m.Outputs(in[0], in[1]), in[2], nil)}
		})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		weights, coins := m.Init(rng), make([]float64, 2*m.Coins())
		for i := range coins {
			coins[i] = 0.5
		}
		out, err := exec.Call(tensors.FromFlatDataAndDimensions(weights, 1, len(weights)), tensors.FromFlatDataAndDimensions([]float64{1, 3, -1, -1, 2, 0, 4, -1}, 1, 2, 4),
			tensors.FromFlatDataAndDimensions([]int32{0, 1}, 1, 2), tensors.FromFlatDataAndDimensions(coins, 1, 2, m.Coins()))
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		losses := make([][]float64, 2)
		for i := range losses {
			if err := tensors.ConstFlatData(out[i], func(flat []float64) { losses[i] = slices.Clone(flat) }); err != nil {
				t.Fatal(err)
			}
		}
		for b := range losses[0] {
			if math.Abs(losses[0][b]-losses[1][b]) > 1e-12 {
				t.Errorf("%s: loss %g in training, %g in evaluation", m.Name, losses[0][b], losses[1][b])
			}
		}
	}
}

// layersOverPlaces map [T, 4] to [T', 4]. Those of behind fit only padding behind the text: they
// number places, or take every second one.
func layersOverPlaces() (any, behind []nn.Layer) {
	each := nn.Auto("each place", []nn.Weight{{Name: "w", Shape: []int{4}}}, func(in []int) ([]int, error) { return in, nil },
		func(w []*graph.Node, x *graph.Node) *graph.Node {
			return graph.AddScalar(graph.Mul(x, graph.BroadcastToDims(graph.InsertAxes(w[0], 1), x.Shape().Dimensions...)), 0.5)
		})
	any = []nn.Layer{
		nn.Conv1D(4, 4, 3, 1, 1), nn.Conv1D(4, 4, 3, 1, 0), nn.Conv1D(4, 4, 2, 1, 0), nn.Conv1D(4, 4, 1, 1, 0), nn.Conv1D(4, 4, 3, 1, 2), nn.Conv1D(4, 4, 2, 1, 1),
		nn.PerPlace(nn.Dense(4, 4), nn.Tanh(), nn.LayerNorm(4)), nn.PerPlace(nn.LoRA(4, 4, 2, 1.5, normals(20)), nn.Sigmoid()), nn.LayerNorm(4), nn.RMSNorm(4),
		nn.GELU(), nn.SiLU(), nn.ReLU(), nn.Attention(4, 2, false), nn.Attention(4, 1, true), nn.GRU(4, 4), nn.LSTM(4, 4), nn.Dropout(0.5), nn.StochasticDepth(0.5), each,
		nn.Frozen(nn.Conv1D(4, 4, 3, 1, 1), normals(52)), nn.Residual([]nn.Layer{nn.LayerNorm(4), nn.Attention(4, 2, false), nn.Dropout(0.5)}),
		nn.Residual([]nn.Layer{nn.GELU(), nn.Conv1D(4, 4, 3, 1, 1)}), nn.Residual([]nn.Layer{nn.Conv1D(4, 4, 3, 1, 0), nn.Conv1D(4, 4, 3, 1, 2)}),
	}
	behind = []nn.Layer{nn.Positions(20, 4), nn.SinusoidalPositions(), nn.Conv1D(4, 4, 3, 2, 1), nn.Conv1D(4, 4, 2, 2, 0), nn.Conv1D(4, 4, 2, 2, 1), nn.Conv1D(4, 4, 4, 3, 3),
		nn.Residual([]nn.Layer{nn.Conv1D(4, 4, 3, 2, 1)}, nn.Conv1D(4, 4, 1, 2, 0))}
	return any, behind
}

// Outputs, norms, gradients and clipped sums of texts do not depend on how far they are filled up:
// behind, before if no layer counts places, and anywhere if none reads neighbors. The wanted
// numbers are those of the same texts with the least padding. Weights and biases are drawn.
func TestPaddingChangesNothing(t *testing.T) {
	any, behind := layersOverPlaces()
	all := append(any, behind...)
	some := 3 // of so many pairs
	if testing.Short() {
		some = 97
	}
	var stacks [][]nn.Layer
	for i, first := range all {
		stacks = append(stacks, []nn.Layer{first})
		for k, second := range all {
			if (7*i+k)%some == 0 {
				stacks = append(stacks, []nn.Layer{first, second})
			}
		}
	}
	stacks = append(stacks, []nn.Layer{nn.Conv1D(4, 4, 3, 1, 1), nn.Tanh(), nn.Conv1D(4, 4, 3, 1, 1)}, []nn.Layer{nn.GRU(4, 4), nn.Conv1D(4, 4, 3, 1, 0), nn.Conv1D(4, 4, 2, 2, 1)})
	for i, layers := range stacks {
		for k, last := range []nn.Layer{nn.MeanPlaces(), nn.LastPlace()} {
			if len(layers) == 2 && (i+k)%2 == 0 {
				continue
			}
			model := slices.Concat([]nn.Layer{nn.Embedding(5, 4)}, layers, []nn.Layer{last, nn.Dense(4, 2)})
			want, length := resultsOf(t, model, func(text []float64) []float64 { return pad(text, 0, 7-len(text)) }), 7
			check := func(how string, place func(text []float64) []float64) {
				for what, list := range resultsOf(t, model, place) {
					for j, got := range list {
						if math.Abs(got-want[what][j]) > 1e-11*(1+math.Abs(want[what][j])) {
							t.Errorf("%v, %s: %s %d is %.12g, with the texts at %d places %.12g", model, how, what, j, got, length, want[what][j])
							return
						}
					}
				}
			}
			check("5 places more", func(text []float64) []float64 { return pad(text, 0, 12-len(text)) })
			if !slices.ContainsFunc(layers, func(l nn.Layer) bool {
				return slices.ContainsFunc(behind, func(b nn.Layer) bool { return b.String() == l.String() })
			}) {
				check("3 places before", func(text []float64) []float64 { return pad(text, 3, 11-len(text)) })
			}
			if !strings.Contains(fmt.Sprint(layers), "Conv1D") && !slices.ContainsFunc(layers, func(l nn.Layer) bool { return strings.Contains(l.String(), "Positions") }) {
				check("a gap behind each token", func(text []float64) []float64 {
					var spread []float64
					for _, token := range text {
						spread = append(spread, token, nn.TokenPadding)
					}
					return pad(spread, 0, 14-len(spread))
				})
			}
		}
	}
}

// pad returns a text with places of padding before and behind, so many in all.
func pad(text []float64, before, all int) []float64 {
	padding := func(n int) []float64 { return slices.Repeat([]float64{nn.TokenPadding}, n) }
	return slices.Concat(padding(before), text, padding(all-before))
}

// resultsOf returns results for texts of 0 to 7 tokens, each with its places.
func resultsOf(t *testing.T, layers []nn.Layer, place func(text []float64) []float64) map[string][]float64 {
	t.Helper()
	var rows []float64
	for n := range 8 {
		text := []float64{3, 1, 4, 1, 0, 2, 2}[:n]
		rows = append(rows, place(text)...)
	}
	m := nn.Model{Name: "text", Input: []int{len(rows) / 8}, Layers: layers, Loss: nn.SoftmaxCrossEntropy()}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	out := compute(t, func(in []*graph.Node) []*graph.Node {
		var each, squares []*graph.Node
		gradients := m.Backpropagate(in[0], nn.Batch{Rows: in[1], Labels: in[2]})
		for _, l := range gradients {
			for _, g := range l.Each() {
				each = append(each, graph.Reshape(g, 1, 8, g.Shape().Size()/8))
			}
			squares = append(squares, l.SquaredNorms())
		}
		norms := sum(squares)
		factors := graph.MinScalar(graph.Div(graph.Scalar(norms.Graph(), norms.DType(), 0.3), graph.Sqrt(norms)), 1)
		var sums []*graph.Node
		for _, l := range gradients {
			for _, w := range l.WeightedSum(factors) {
				sums = append(sums, graph.Reshape(w, 1, w.Shape().Size()))
			}
		}
		return []*graph.Node{m.Outputs(in[0], in[1]), graph.Concatenate(each, -1), norms, graph.Concatenate(sums, -1)}
	}, tensors.FromFlatDataAndDimensions(normals(m.Size()), 1, m.Size()), tensors.FromFlatDataAndDimensions(rows, 1, 8, len(rows)/8),
		tensors.FromFlatDataAndDimensions([]int32{0, 1, 0, 1, 0, 1, 0, 1}, 1, 8))
	return map[string][]float64{"output": out[0], "gradient": out[1], "squared norm": out[2], "clipped sum": out[3]}
}
