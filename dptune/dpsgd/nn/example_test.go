package nn_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// A small convolutional network, with group normalization and a block that is skipped.
func ExampleResidual() {
	window := nn.Square(3, 1, 1)
	model, err := models.Sequential("small", []int{28, 28, 1},
		nn.Conv2D(1, 8, window), nn.MaxPool(nn.Square(2, 2, 0)), nn.GroupNorm(2, 8), nn.ReLU(),
		nn.Residual([]nn.Layer{nn.Conv2D(8, 8, window), nn.Tanh(), nn.Conv2D(8, 8, window)}),
		nn.GlobalAvgPool(), nn.Dense(8, 10))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Size(), "weights")
	_, err = models.Sequential("wrong", []int{28, 28, 1}, nn.Conv2D(3, 8, window))
	fmt.Println(err)
	// Output:
	// 1354 weights
	// models: nn: model "wrong": layer 0: Conv2D(3, 8, 3x3 padding 1x1): input of shape [28 28 1] has 1 channels: must have 3
}

// A layer x -> s x with one scale for each feature, by automatic differentiation. The scales start
// at 1: without Init they would start at 0.
func ExampleAuto() {
	ones := func(_ *rand.Rand, values []float64) {
		for i := range values {
			values[i] = 1
		}
	}
	weights := []nn.Weight{{Name: "scale", Shape: []int{4}, Init: ones}}
	same := func(input []int) ([]int, error) { return input, nil }
	scale := nn.Auto("scale", weights, same, func(w []*graph.Node, x *graph.Node) *graph.Node {
		return graph.Mul(w[0], x) // [n, 4] each: one copy of the weights for each example
	})
	model, err := models.Sequential("scaled", []int{4}, scale, nn.Dense(4, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model, model.Size())
	// Output:
	// scaled: Auto(scale), Dense(4, 2), softmax cross-entropy 14
}

// gain is your own layer y = s w ∘ x, with one factor for each value and a public constant s.
type gain struct{ scale []float64 }

func (gain) String() string { return "Gain" }

func (gain) OutputShape(input []int) ([]int, error) { return input, nil }

func (gain) Weights(input []int) []nn.Weight {
	return []nn.Weight{{Name: "factors", Shape: input}}
}

func (l gain) Forward(weights []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	w, x := graph.InsertAxes(weights[0], 1), in.Values // [R, 1, n], [R or 1, B, n]
	x = graph.Mul(x, graph.ConvertDType(graph.Const(x.Graph(), [][][]float64{{l.scale}}), x.DType()))
	backward := func(g *graph.Node, wantInput bool) (atInput *graph.Node, atWeights nn.Gradients) {
		if wantInput {
			scale := graph.ConvertDType(graph.Const(g.Graph(), [][][]float64{{l.scale}}), g.DType())
			atInput = graph.Mul(g, graph.Mul(w, scale))
		}
		return atInput, nn.PerSample(graph.Mul(g, x))
	}
	return nn.Activations{Values: graph.Mul(w, x)}, backward
}

// Scratch counts s x, for estimates of memory.
func (gain) Scratch(input []int) int { return input[0] }

// Fingerprint is s, which String leaves out: checkpoints of another s are refused.
func (l gain) Fingerprint() []byte { return fmt.Append(nil, l.scale) }

// Your own layer. Its gradients at the factors are one product for each example. NewTrainer makes
// the same check as CheckLayer here.
func ExampleLayer() {
	layer := gain{scale: []float64{1, 2, 3, 4}}
	model, err := models.Sequential("gained", []int{4}, layer, nn.Dense(4, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model, model.Size())
	fmt.Println(engine.CheckLayer(layer, []int{4}))
	// Output:
	// gained: Gain, Dense(4, 2), softmax cross-entropy 14
	// <nil>
}

// squaredHinge is your own loss for two classes, max(0, 1 - s z)² with s = ±1.
type squaredHinge struct{}

func (squaredHinge) String() string { return "squared hinge" }

func (squaredHinge) Outputs(int) int { return 1 }

// margin returns max(0, 1 - s z) and s, [R, B, 1].
func (squaredHinge) margin(z, labels *graph.Node) (margin, sign *graph.Node) {
	sign = graph.AddScalar(graph.MulScalar(graph.InsertAxes(graph.ConvertDType(labels, z.DType()), -1), 2), -1)
	return graph.MaxScalar(graph.OneMinus(graph.Mul(sign, z)), 0), sign
}

func (l squaredHinge) Values(z, labels *graph.Node) *graph.Node {
	margin, _ := l.margin(z, labels)
	return graph.Squeeze(graph.Square(margin), -1)
}

func (l squaredHinge) Gradient(z, labels *graph.Node) *graph.Node {
	margin, sign := l.margin(z, labels)
	return graph.MulScalar(graph.Mul(margin, sign), -2)
}

func (squaredHinge) Classes(z *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.GreaterThan(graph.Squeeze(z, -1), graph.ScalarZero(z.Graph(), z.DType())), dtypes.Int32)
}

// Your own loss, and the check that NewTrainer makes of it.
func ExampleLoss() {
	model := nn.Model{Name: "margins", Input: []int{4}, Layers: []nn.Layer{nn.Dense(4, 1)}, Loss: squaredHinge{}}
	fmt.Println(model.ValidateFor([]int{4}, 2))
	fmt.Println(engine.CheckLoss(squaredHinge{}, 2))
	// Output:
	// <nil>
	// <nil>
}

// A LeNet-like network with means instead of maxima and the tempered sigmoid of private training,
// with three losses.
func ExampleTemperedSigmoid() {
	layers := []nn.Layer{
		nn.Conv2D(1, 6, nn.Window{Kernel: [2]int{5, 3}, Stride: [2]int{1, 1}}), nn.TemperedSigmoid(1.58, 3, 0.71),
		nn.AvgPool(nn.Square(2, 2, 0)), nn.Flatten(), nn.Dense(6*12*13, 16), nn.Sigmoid(),
	}
	for _, head := range []struct {
		outputs int
		loss    nn.Loss
	}{{10, nn.SoftmaxCrossEntropy()}, {10, nn.BinaryCrossEntropyEach()}, {1, nn.Hinge()}} {
		model, err := models.Sequential("means", []int{28, 28, 1}, append(layers[:6:6], nn.Dense(16, head.outputs))...)
		if err != nil {
			fmt.Println(err)
			return
		}
		model.Loss = head.loss
		fmt.Println(model.Size(), model.Loss, model.Validate())
	}
	// Output:
	// 15258 softmax cross-entropy <nil>
	// 15258 binary cross-entropy of each class <nil>
	// 15105 hinge <nil>
}
