package bank

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/cifar"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
)

// public is a network that is trained on public examples without privacy. Its values before the
// last layer, on other examples, are the features of a task. A private training then trains one
// layer on them.
type public struct {
	load  func(dir string) (train, test data.Dataset, err error)
	build func(classes int) (dpsgd.Model, error)
	steps int // of 64 examples
	rate  float64
}

// The public networks of koskela2023's task on CIFAR-10. The paper's ResNet20 was trained on
// CIFAR-100's 50,000 images. These see the 5,000 that LoadSubset100 reads.
var (
	publicResNet20 = &public{cifar.LoadSubset100, models.ResNet20, 4000, 0.02}
	publicConvNet  = &public{cifar.LoadSubset100, convNet, 1500, 0.02}
	publicDigits   = &public{highDigits, func(int) (dpsgd.Model, error) { return models.MLP(64, 32, digits.Classes) }, 300, 0.05}
)

// convNet returns cebere2024's ConvNet for the given number of classes.
func convNet(classes int) (dpsgd.Model, error) {
	ten, err := models.ConvNet()
	if err != nil {
		return dpsgd.Model{}, err
	}
	layers := append(ten.Layers[:len(ten.Layers)-1:len(ten.Layers)-1], nn.Dense(84, classes))
	return models.Sequential("public ConvNet", ten.Input, layers...)
}

// features are the values before the last layer of a public network.
type features struct {
	train, test data.Dataset
	right       float64 // share of public test examples that the network gets right
}

// features returns the features of both parts. It trains the network from a fixed root. The result
// is the same on one backend and one kind of processor. Others round differently, and so end with
// another network: see Bank.Public.
func (p *public) features(ctx context.Context, train, test data.Dataset, env experiments.Env) (features, error) {
	fail := func(err error) (features, error) {
		return features{}, fmt.Errorf("bank: public features: %w", err)
	}
	examples, held, err := p.load(env.Data)
	if err != nil {
		return fail(err)
	}
	model, err := p.build(examples.Classes)
	if err != nil {
		return fail(err)
	}
	config := dpsgd.Config{
		NonPrivate: true, Steps: p.steps, Sampling: dpsgd.Poisson{Rate: 64 / float64(examples.Len())}, ExpectedBatchSize: 64, LearningRate: p.rate, Optimizer: dpsgd.SGD{Momentum: 0.9},
	}
	plan := config.Plan()
	plan.Progress = func(now dpsgd.Progress) { env.Report(now.Step, now.Steps, "public network, "+now.Detail()) }
	trainer, err := engine.NewReplicas(model, examples, plan, env.Performance)
	if err != nil {
		return fail(err)
	}
	results, err := trainer.Run(ctx, streams.Fixed("public features"))
	if err != nil {
		return fail(err)
	}
	result := results.Model(0)
	right, err := result.Accuracy(ctx, held)
	if err != nil {
		return fail(err)
	}
	for _, part := range []*data.Dataset{&train, &test} {
		if *part, err = engine.Features(ctx, model, result.Parameters, len(model.Layers)-1, *part, env.Performance); err != nil {
			return fail(err)
		}
	}
	return features{train, test, right}, nil
}

// lowDigits returns the embedded digits 0 to 4. A network that was trained on 5 to 9 has not seen
// them.
func lowDigits(string) (train, test data.Dataset, err error) { return someDigits(0, 4) }

func highDigits(string) (train, test data.Dataset, err error) { return someDigits(5, 9) }

func someDigits(low, high int32) (train, test data.Dataset, err error) {
	train, test, err = digits.Load()
	for _, part := range []*data.Dataset{&train, &test} {
		var chosen []int
		for i, label := range part.Labels {
			if low <= label && label <= high {
				chosen = append(chosen, i)
			}
		}
		*part = part.Subset(fmt.Sprintf("%s, %d to %d", part.Name, low, high), chosen)
	}
	return train, test, err
}
