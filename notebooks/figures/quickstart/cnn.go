package quickstart

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/data/mnist"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/notebooks/figures"
)

// CNN is one private training of a convolutional network.
type CNN struct {
	Data         string // of what
	Model        dpsgd.Model
	Run          dpsgd.Config
	Guarantee    accounting.Guarantee
	TestAccuracy float64 // for research: not covered by the guarantee
	TestExamples int     // behind TestAccuracy
}

// cnnTask is a network, its data and how it is trained; the noise is calibrated.
type cnnTask struct {
	name        string
	train, test data.Dataset
	model       dpsgd.Model
	run         dpsgd.Config
}

// TrainCNN trains a convolutional network at the config's ε: on MNIST if the folder that
// DPLAB_DATA names is given, else a smaller one on the embedded digits. progress is called
// now and then with the steps done and to do, and with the ε so far and the speed in words.
// Nil for none.
func TrainCNN(ctx context.Context, c Config, progress func(done, of int, detail string)) (CNN, error) {
	if err := c.Validate(); err != nil {
		return CNN{}, err
	}
	task, err := c.cnnTask()
	if err != nil {
		return CNN{}, err
	}
	task.run.NoiseMultiplier, err = accounting.CalibrateNoiseMultiplier(accountant, func(sigma float64) accounting.Event {
		run := task.run
		run.NoiseMultiplier = sigma
		return run.Event()
	}, c.Epsilon, c.Delta)
	if err != nil {
		return CNN{}, err
	}
	r := CNN{Data: task.name, Model: task.model, Run: task.run}
	if r.Guarantee, err = accountant.EpsilonAt(task.run.Event(), c.Delta); err != nil {
		return CNN{}, err
	}
	plan := task.run.Plan()
	if progress != nil {
		plan.EpsilonUpper = dpsgd.EpsilonUpperAt(accountant, c.Delta)
		plan.Progress = func(p dpsgd.Progress) { progress(p.Step, p.Steps, p.Detail()) }
	}
	trainer, err := dpsgd.NewTrainer(task.model, task.train, plan, dpsgd.Performance{})
	if err != nil {
		return CNN{}, err
	}
	result, err := trainer.Run(ctx, c.root().Child("convolutional network"))
	if err != nil {
		return CNN{}, err
	}
	accuracy, err := result.Accuracy(ctx, task.test)
	if err != nil {
		return CNN{}, err
	}
	r.TestAccuracy, r.TestExamples = accuracy[0], task.test.Len()
	return r, nil
}

// cnnTask chooses by what data there are.
func (c Config) cnnTask() (cnnTask, error) {
	train, test, err := mnist.Load("")
	switch {
	case err == nil:
		return c.mnistTask(train, test)
	case errors.Is(err, data.ErrNotFound) && os.Getenv(data.DirVariable) == "":
		return c.digitsTask()
	default: // a folder was named: what is wrong with it is no reason for other data
		return cnnTask{}, err
	}
}

// mnistTask is Opacus's MNIST network with tanh, which suits clipped gradients better than
// ReLU (Papernot et al., 2021, arXiv:2007.14191v1).
func (c Config) mnistTask(train, test data.Dataset) (cnnTask, error) {
	const batch, size = 512, 60_000 // the size of MNIST's training set is public
	model, err := models.MNISTCNN(dpsgd.Tanh())
	return cnnTask{name: "MNIST", train: train, test: test, model: model, run: dpsgd.Config{
		ClipNorm: 1, SamplingRate: float64(batch) / size, ExpectedBatchSize: batch,
		Steps: c.CNNEpochs * size / batch, LearningRate: 1, Momentum: 0.9,
	}}, err
}

// digitsTask is a network of 6,090 weights for 8x8 images.
func (c Config) digitsTask() (cnnTask, error) {
	train, test, err := digits.Load()
	if err != nil {
		return cnnTask{}, err
	}
	model, err := models.Sequential("digits-CNN", train.Shape,
		dpsgd.Conv2D(1, 16, dpsgd.Square(3, 1, 1)), dpsgd.MaxPool(dpsgd.Square(2, 2, 0)), dpsgd.Tanh(),
		dpsgd.Conv2D(16, 32, dpsgd.Square(3, 1, 1)), dpsgd.MaxPool(dpsgd.Square(2, 2, 0)), dpsgd.Tanh(),
		dpsgd.Flatten(), dpsgd.Dense(128, train.Classes))
	run := c.run(0, Hyperparameters{LearningRate: 2, ClipNorm: 1})
	run.ExpectedBatchSize = c.SamplingRate * c.PublicSize / (1 - c.ValidationShare) // all examples train here
	return cnnTask{name: "digits", train: train, test: test, model: model, run: run}, err
}

// Table lists what was trained and what came out.
func (r CNN) Table() figures.Table {
	return figures.Table{
		Name: "quickstart-cnn", Title: "A convolutional network, trained once",
		Columns: []string{"quantity", "value"},
		Rows: [][]string{
			{"data", r.Data},
			{"model", fmt.Sprintf("%s, %d weights", r.Model.Name, r.Model.Size())},
			{"sampling rate q, steps T", fmt.Sprintf("%.6g, %d", r.Run.SamplingRate, r.Run.Steps)},
			{"noise multiplier σ", fmt.Sprintf("%.6f", r.Run.NoiseMultiplier)},
			{"ε at most", fmt.Sprintf("%s at δ = %s", accounting.FormatUpper(r.Guarantee.Epsilon.Upper), figures.Scientific(r.Guarantee.Delta))},
			{"test accuracy", fmt.Sprintf("%.1f %%", 100*r.TestAccuracy)},
		},
	}
}

// Findings says how good the network is, and what its ε leaves out.
func (r CNN) Findings() []string {
	return []string{fmt.Sprintf("%s on %s reaches %s at ε <= %s, which does not cover the choice of the learning rate.", r.Model.Name, r.Data,
		accuracyText(r.TestAccuracy, r.TestExamples), accounting.FormatUpper(r.Guarantee.Epsilon.Upper))}
}
