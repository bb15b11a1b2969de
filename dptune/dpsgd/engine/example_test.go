package engine_test

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// Three candidates with different learning rates train as one program. They share what
// privacy depends on.
func ExampleReplicas_Run() {
	ctx, train, test := context.Background(), blobs(600, 16, 3), blobs(300, 16, 3)
	model, err := models.MLP(16, 12, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 1.5, Sampling: dpsgd.Poisson{Rate: 0.2}, Steps: 40,
		ExpectedBatchSize: 0.2 * 600,
	}
	var plan dpsgd.Plan
	for _, rate := range []float64{0.5, 1, 2} {
		config.LearningRate = rate
		plan.Replicas = append(plan.Replicas, config)
	}
	trainer, err := engine.NewReplicas(model, train, plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	results, err := trainer.Run(ctx, streams.Fixed("example")) // streams.Secret for a release
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy, err := results.Accuracy(ctx, test)
	if err != nil {
		fmt.Println(err)
		return
	}
	for r, a := range accuracy {
		fmt.Printf("learning rate %g: better than 9 in 10: %v\n", plan.Replicas[r].LearningRate, a > 0.9)
	}
	fmt.Println(config.Event())
	// Output:
	// learning rate 0.5: better than 9 in 10: true
	// learning rate 1: better than 9 in 10: true
	// learning rate 2: better than 9 in 10: true
	// 40 x PoissonSampled(q=0.2, ClippedSum(σ=1.5))
}

// A learning curve on public examples. It does not change the trained model.
func ExampleReplicas_Run_learningCurve() {
	train, public := apart(600, 300, 16, 3) // two data sets: parts of one would be refused
	model, err := models.MLP(16, 12, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 1.5, Sampling: dpsgd.Poisson{Rate: 0.2}, Steps: 40,
		ExpectedBatchSize: 120, LearningRate: 1,
	}
	plan := config.Plan()
	plan.Evaluate = &dpsgd.Evaluation{Data: public, Every: 10}
	trainer, err := engine.NewReplicas(model, train, plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	results, err := trainer.Run(context.Background(), streams.Fixed("example")) // streams.Secret for a release
	if err != nil {
		fmt.Println(err)
		return
	}
	curve := results.Model(0).Curve
	fmt.Println(curve.Steps)
	fmt.Println("better than 9 in 10 at the end:", curve.Accuracy[0][3] > 0.9)
	// Output:
	// [10 20 30 40]
	// better than 9 in 10 at the end: true
}
