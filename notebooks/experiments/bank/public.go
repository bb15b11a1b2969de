package bank

import (
	"context"
	"fmt"
	"sync"

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

	mu    sync.Mutex
	known map[publicKey]network // trained by this process
}

// publicKey is what a trained network depends on.
type publicKey struct {
	data        string
	performance engine.Performance
}

// network is a trained public network.
type network struct {
	model      dpsgd.Model
	parameters dpsgd.Parameters
	right      float64 // share of public test examples that it gets right
}

// The public networks of koskela2023's task on CIFAR-10. The paper's ResNet20 was trained on
// CIFAR-100's 50,000 images. These see the 5,000 that LoadSubset100 reads.
var (
	publicResNet20 = &public{load: cifar.LoadSubset100, build: models.ResNet20, steps: 4000, rate: 0.02}
	publicConvNet  = &public{load: cifar.LoadSubset100, build: convNet, steps: 1500, rate: 0.02}
	publicDigits   = &public{load: highDigits, build: func(int) (dpsgd.Model, error) { return models.MLP(64, 32, digits.Classes) }, steps: 300, rate: 0.05}
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

// extract replaces examples by their features. It returns the share of public test examples that
// the network gets right.
func (p *public) extract(ctx context.Context, env experiments.Env, parts ...*data.Dataset) (right float64, err error) {
	n, err := p.network(ctx, env)
	for _, part := range parts {
		if err == nil {
			*part, err = engine.Features(ctx, n.model, n.parameters, len(n.model.Layers)-1, *part, env.Performance)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("bank: public features: %w", err)
	}
	return n.right, nil
}

// ConvNetFeatures returns the features of images by the public ConvNet.
func ConvNetFeatures(ctx context.Context, images data.Dataset, env experiments.Env) (data.Dataset, error) {
	_, err := publicConvNet.extract(ctx, env, &images)
	return images, err
}

// network returns the network that this process trained before, or trains it from a fixed root. All
// jobs that name it share it. The result is the same on one backend and one kind of processor.
// Others round differently, and so end with another network: see Bank.MostPublic.
func (p *public) network(ctx context.Context, env experiments.Env) (network, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := publicKey{env.Data, env.Performance}
	if n, ok := p.known[key]; ok {
		return n, nil
	}
	n, err := p.train(ctx, env)
	if err != nil {
		return network{}, err
	}
	if p.known == nil {
		p.known = map[publicKey]network{}
	}
	p.known[key] = n
	return n, nil
}

func (p *public) train(ctx context.Context, env experiments.Env) (network, error) {
	examples, held, err := p.load(env.Data)
	if err != nil {
		return network{}, err
	}
	model, err := p.build(examples.Classes)
	if err != nil {
		return network{}, err
	}
	config := dpsgd.Config{
		NonPrivate: true, Steps: p.steps, Sampling: dpsgd.Poisson{Rate: 64 / float64(examples.Len())}, ExpectedBatchSize: 64, LearningRate: p.rate, Optimizer: dpsgd.SGD{Momentum: 0.9},
	}
	plan := config.Plan()
	plan.Progress = func(now dpsgd.Progress) { env.Report(now.Step, now.Steps, "public network, "+now.Detail()) }
	trainer, err := engine.NewReplicas(model, examples, plan, env.Performance)
	if err != nil {
		return network{}, err
	}
	results, err := trainer.Run(ctx, streams.Fixed("public features"))
	if err != nil {
		return network{}, err
	}
	result := results.Model(0)
	right, err := result.Accuracy(ctx, held)
	return network{model, result.Parameters, right}, err
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
