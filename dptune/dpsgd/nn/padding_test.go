package nn_test

import (
	"math"
	"math/rand/v2"
	"slices"
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
