package dpsgd_test

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
)

// A small convolutional network, with group normalisation and a block that is skipped.
func ExampleResidual() {
	window := dpsgd.Square(3, 1, 1)
	model, err := models.Sequential("small", []int{28, 28, 1},
		dpsgd.Conv2D(1, 8, window), dpsgd.MaxPool(dpsgd.Square(2, 2, 0)), dpsgd.GroupNorm(2, 8), dpsgd.ReLU(),
		dpsgd.Residual([]dpsgd.Layer{dpsgd.Conv2D(8, 8, window), dpsgd.Tanh(), dpsgd.Conv2D(8, 8, window)}),
		dpsgd.GlobalAvgPool(), dpsgd.Dense(8, 10))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Size(), "weights")
	_, err = models.Sequential("wrong", []int{28, 28, 1}, dpsgd.Conv2D(3, 8, window))
	fmt.Println(err)
	// Output:
	// 1354 weights
	// models: dpsgd: model "wrong": layer 0: Conv2D(3, 8, 3x3 padding 1x1): input of shape [28 28 1] has 1 channels: must have 3
}

// A layer x -> s x with one scale for each feature, by automatic differentiation.
func ExampleAuto() {
	weights := []dpsgd.Weight{{Name: "scale", Shape: []int{4}}}
	same := func(input []int) ([]int, error) { return input, nil }
	scale := dpsgd.Auto("scale", weights, same, func(w []*graph.Node, x *graph.Node) *graph.Node {
		return graph.Mul(w[0], x) // [n, 4] each: one copy of the weights for each example
	})
	model, err := models.Sequential("scaled", []int{4}, scale, dpsgd.Dense(4, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model, model.Size())
	// Output:
	// scaled: Auto(scale), Dense(4, 2), softmax cross-entropy 14
}

// gain is a layer y = w ∘ x of one's own, with one factor for each value.
type gain struct{}

func (gain) String() string { return "Gain" }

func (gain) OutputShape(input []int) ([]int, error) { return input, nil }

func (gain) Weights(input []int) []dpsgd.Weight {
	return []dpsgd.Weight{{Name: "factors", Shape: input}}
}

func (gain) Forward(weights []*graph.Node, in dpsgd.Activations) (dpsgd.Activations, dpsgd.Backward) {
	w, x := graph.InsertAxes(weights[0], 1), in.Values // [R, 1, shape...], [R or 1, B, shape...]
	backward := func(g *graph.Node, wantInput bool) (atInput *graph.Node, atWeights dpsgd.Gradients) {
		if wantInput {
			atInput = graph.Mul(g, w)
		}
		return atInput, dpsgd.PerSample(graph.Mul(g, x))
	}
	return dpsgd.Activations{Values: graph.Mul(w, x)}, backward
}

// A layer of one's own: its gradients at the factors are one product for each example.
func ExamplePerSample() {
	model, err := models.Sequential("gained", []int{4}, gain{}, dpsgd.Dense(4, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model, model.Size())
	fmt.Println(dpsgd.CheckLayer(gain{}, []int{4}, dpsgd.Performance{}))
	// Output:
	// gained: Gain, Dense(4, 2), softmax cross-entropy 14
	// <nil>
}
