package nn_test

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// lossAtZero returns the loss of one example with targets, by a model whose outputs are 0.
func lossAtZero(loss nn.Loss, classes int, targets ...float32) float64 {
	one := data.Dataset{
		Name: "one", Shape: []int{1}, Features: []float32{1}, Labels: []int32{0}, Classes: classes,
		Targets: targets, TargetShape: []int{len(targets)},
	}
	m := dpsgd.Model{Name: "zeros", Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, loss.Outputs(classes))}, Loss: loss}
	zeros := dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{make([]float64, m.Size())}}
	losses, err := engine.Losses(context.Background(), m, zeros, one, engine.Performance{Precision: engine.Float64})
	if err != nil {
		fmt.Println(err)
		return 0
	}
	return losses[0][0]
}

func ExampleVectorSquaredError() {
	fmt.Println(lossAtZero(nn.VectorSquaredError(3), 1, 1, -2, 0.5)) // (1 + 4 + 1/4)/2
	// Output: 2.625
}

func ExampleTokenCrossEntropy() {
	fmt.Printf("%.4f\n", lossAtZero(nn.TokenCrossEntropy(3, 4), 1, 2, 0, nn.TokenPadding)) // ln 4, at both places that count
	// Output: 1.3863
}

func ExampleDistillation() {
	fmt.Printf("%.4f\n", lossAtZero(nn.Distillation(3), 2, 0.75, 0.25)) // 9 ln 2
	// Output: 6.2383
}

func ExampleWeighted() {
	fmt.Printf("%.4f\n", lossAtZero(nn.Weighted(nn.SoftmaxCrossEntropy()), 10, 0.5)) // ln(10)/2
	// Output: 1.1513
}
