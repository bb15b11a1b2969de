package nn_test

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// perToken is your own layer W x_t + b at each token t.
type perToken struct {
	inputs, outputs int
	gradients       func(x, g *graph.Node) nn.Gradients
}

func (l perToken) String() string { return fmt.Sprintf("PerToken(%d, %d)", l.inputs, l.outputs) }

func (l perToken) OutputShape(in []int) ([]int, error) { return []int{in[0], l.outputs}, nil }

func (l perToken) Weights([]int) []nn.Weight {
	return []nn.Weight{{Name: "weights", Shape: []int{l.outputs, l.inputs}}, {Name: "bias", Shape: []int{l.outputs}}}
}

func (l perToken) Forward(w []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	dims := append([]int{w[0].Shape().Dim(0)}, in.Values.Shape().Dimensions[1:]...)
	x := graph.BroadcastToDims(in.Values, dims...) // [R, B, T, inputs]
	backward := func(g *graph.Node, wantInput bool) (atInput *graph.Node, atWeights nn.Gradients) {
		if wantInput {
			atInput = graph.Einsum("rbto,roi->rbti", g, w[0])
		}
		return atInput, l.gradients(x, g)
	}
	z := graph.Add(graph.Einsum("rbti,roi->rbto", x, w[0]), graph.InsertAxes(w[1], 1, 1))
	return nn.Activations{Values: z, Present: in.Present}, backward
}

// Your own layer with weights that each token of a text uses.
func ExampleProducts() {
	l := perToken{8, 4, func(x, g *graph.Node) nn.Gradients {
		return nn.Joint(nn.Products(x, g), nn.PerSample(graph.ReduceSum(g, 2))) // of W and b
	}}
	fmt.Println(engine.CheckLayer(l, []int{5, 8}))
	// Output:
	// <nil>
}

// A transformer on images of digits. The rows of an image are its tokens.
func ExampleAttention() {
	const side, width, heads = 8, 16, 2
	block := []nn.Layer{
		nn.Residual([]nn.Layer{nn.LayerNorm(width), nn.Attention(width, heads, false)}),
		nn.Residual([]nn.Layer{nn.LayerNorm(width), nn.PerPlace(nn.Dense(width, 2*width), nn.GELU(), nn.Dense(2*width, width))}),
	}
	layers := []nn.Layer{nn.PerPlace(nn.Dense(side, width)), nn.Positions(side, width)}
	layers = append(layers, block...)
	layers = append(layers, nn.LayerNorm(width), nn.MeanPlaces(), nn.Dense(width, 10))
	model, err := models.Sequential("transformer", []int{side, side}, layers...)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 30, ExpectedBatchSize: 144,
		LearningRate: 0.03, Optimizer: dpsgd.Adam{},
	}
	train, test, err := digits.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	trainer, err := engine.NewTrainer(model, train, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := trainer.Run(context.Background(), streams.Fixed("transformer")) // streams.Secret for a release
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy, err := result.Accuracy(context.Background(), test)
	fmt.Println(model.Size(), "weights, better than 6 in 10:", accuracy > 0.6, err)
	// Output:
	// 2698 weights, better than 6 in 10: true <nil>
}

// A classifier of texts of at most 128 tokens. Places of nn.TokenPadding are left out.
func ExampleEmbedding() {
	const width = 32
	model, err := models.Sequential("texts", []int{128},
		nn.Embedding(1000, width), nn.SinusoidalPositions(),
		nn.Residual([]nn.Layer{nn.RMSNorm(width), nn.Attention(width, 4, false)}),
		nn.PerPlace(nn.Dense(width, 16), nn.SiLU()), nn.MeanPlaces(), nn.Dense(16, 2))
	fmt.Println(model.Size(), err)
	model, err = models.Sequential("sensors", []int{99, 6}, // 99 times, 6 sensors
		nn.PerPlace(nn.Dense(6, width)), nn.Positions(100, width), nn.Attention(width, 4, true), nn.LastPlace(), nn.Dense(width, 2))
	fmt.Println(model.Size(), err)
	// Output:
	// 36818 <nil>
	// 7714 <nil>
}

// A convolution with standardized kernels, before group normalization.
func ExampleWeightStandardized() {
	model, err := models.Sequential("images", []int{32, 32, 3},
		nn.WeightStandardized(3, 16, nn.Square(3, 2, 1)), nn.GroupNorm(4, 16), nn.ReLU(), nn.GlobalAvgPool(), nn.Dense(16, 10))
	fmt.Println(model.Size(), err)
	// Output:
	// 650 <nil>
}

// Recurrent networks on lists of tokens and on a signal.
func ExampleGRU() {
	texts, err := models.Sequential("texts", []int{64},
		nn.Embedding(500, 32), nn.GRU(32, 64), nn.LastPlace(), nn.Dense(64, 2))
	fmt.Println(texts.Size(), err)
	signal, err := models.Sequential("signal", []int{100, 3},
		nn.Conv1D(3, 16, 5, 2, 2), nn.ReLU(), nn.LSTM(16, 32), nn.MeanPlaces(), nn.Dense(32, 2))
	fmt.Println(signal.Size(), err)
	// Output:
	// 34946 <nil>
	// 6722 <nil>
}

// A dense layer of a public model, with a trained product of rank 16.
func ExampleLoRA() {
	public := make([]float64, 32*32+32) // in place of the weights and biases of the model
	model, err := models.Sequential("tuned", []int{32}, nn.LoRA(32, 32, 16, 16, public), nn.Tanh(), nn.Dense(32, 2))
	fmt.Println(model.Size(), err)
	// Output:
	// 1090 <nil>
}
