package weights_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/dptune/weights"
)

// Weights of a network that was trained elsewhere, and is public, are where private training starts, and what comes out goes back. Here
// the file is our own.
func Example() {
	dir, err := os.MkdirTemp("", "weights")
	check(err)
	defer os.RemoveAll(dir)
	train, test, err := digits.Load()
	check(err)
	model, err := models.MLP(64, 16, 10)
	check(err)
	start := dpsgd.Parameters{Values: [][]float64{model.Init(streams.Fixed("elsewhere").Rand("weights"))}}
	check(weights.Write(filepath.Join(dir, "public.safetensors"), model, start, nil))

	start, err = weights.Read(filepath.Join(dir, "public.safetensors"), model)
	check(err)
	plan := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 60, ExpectedBatchSize: 144, LearningRate: 1}.Plan()
	plan.Initial, plan.InitialFrom = &start, dpsgd.Provenance{Public: true}
	trainer, err := engine.NewReplicas(model, train, plan)
	check(err)
	result, err := trainer.Run(context.Background(), streams.Fixed("example"))
	check(err)
	tuned := filepath.Join(dir, "tuned.safetensors")
	check(weights.Write(tuned, model, result.Parameters, map[string]string{"trained": "with differential privacy"}))

	back, err := weights.Read(tuned, model)
	check(err)
	accuracy, err := engine.Accuracy(context.Background(), model, back, test)
	check(err)
	fmt.Println("more than half are right:", accuracy[0] > 0.5)
	// Output:
	// more than half are right: true
}

// A file whose network is part of a larger module has its names with a prefix.
func ExampleNames() {
	model, err := models.MLP(64, 16, 10)
	check(err)
	fmt.Println(weights.Names(model, "net."))
	// Output:
	// [net.0.weight net.0.bias net.2.weight net.2.bias]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
