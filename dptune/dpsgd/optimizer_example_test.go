package dpsgd_test

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// rmsProp divides each coordinate by the root of the mean of its squares, with g = sum/B:
//
//	v ← β v + (1-β) g²,  w ← w - η g / (√v + ε)
type rmsProp struct {
	Decay   float64 // β in [0, 1)
	Epsilon float64 // ε > 0
}

func (o rmsProp) String() string { return fmt.Sprintf("RMSProp(β %v, ε %v)", o.Decay, o.Epsilon) }

func (o rmsProp) Validate() error {
	if !(o.Decay >= 0 && o.Decay < 1) {
		return fmt.Errorf("rmsProp.Decay %g: must be in [0, 1)", o.Decay)
	}
	if !(o.Epsilon > 0) {
		return fmt.Errorf("rmsProp.Epsilon %g: must be > 0", o.Epsilon)
	}
	return nil
}

func (rmsProp) Slots() int { return 1 } // v

func (o rmsProp) Coefficients(u dpsgd.Update) []float64 {
	return []float64{1 / u.ExpectedBatchSize, o.Decay, 1 - o.Decay, u.LearningRate, o.Epsilon}
}

func (rmsProp) Move(weights, sum *graph.Node, n, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	g := graph.Mul(sum, n[0])
	v := graph.Add(graph.Mul(slots[0], n[1]), graph.Mul(graph.Square(g), n[2]))
	step := graph.Div(graph.Mul(g, n[3]), graph.Add(graph.Sqrt(v), n[4]))
	return graph.Sub(weights, step), []*graph.Node{v}
}

// Your own optimizer: RMSProp. It has the price of SGD, since it reads only noisy sums.
func ExampleOptimizer() {
	ctx, train, test := context.Background(), blobs(600, 16, 3), blobs(300, 16, 3)
	model, err := models.MLP(16, 12, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 1.5, Sampling: dpsgd.Poisson{Rate: 0.2}, Steps: 40,
		ExpectedBatchSize: 0.2 * 600, LearningRate: 0.05, Optimizer: rmsProp{Decay: 0.9, Epsilon: 1e-3},
	}
	trainer, err := engine.NewTrainer(model, train, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := trainer.Run(ctx, streams.Fixed("example")) // streams.Secret for a release
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy, err := result.Accuracy(ctx, test)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: better than 9 in 10: %v\n", config.Optimizer, accuracy > 0.9)
	fmt.Println(config.Event())
	// Output:
	// RMSProp(β 0.9, ε 0.001): better than 9 in 10: true
	// 40 x PoissonSampled(q=0.2, ClippedSum(σ=1.5))
}
