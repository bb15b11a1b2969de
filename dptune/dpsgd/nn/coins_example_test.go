package nn_test

import (
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// A residual network whose steps average four views of each example: crops, flips and dropout.
func ExampleCrops() {
	window := nn.Square(3, 1, 1)
	m := nn.Model{
		Name: "views", Input: []int{32, 32, 3}, Views: 4, Loss: nn.SoftmaxCrossEntropy(),
		Layers: []nn.Layer{
			nn.Crops(4, true), nn.Conv2D(3, 8, window), nn.ReLU(),
			nn.Residual([]nn.Layer{nn.Conv2D(8, 8, window), nn.GroupNorm(2, 8), nn.StochasticDepth(0.1)}),
			nn.GlobalAvgPool(), nn.Dropout(0.2), nn.Dense(8, 10),
		},
	}
	fmt.Println(m.Validate(), m.Size(), "weights,", m.Coins(), "coins for an example in a step")
	m.Layers[5] = nn.Dropout(1)
	fmt.Println(m.Validate())
	// Output:
	// <nil> 914 weights, 48 coins for an example in a step
	// nn: model "views": layer 5: Dropout(1): rate must be in [0, 1)
}
