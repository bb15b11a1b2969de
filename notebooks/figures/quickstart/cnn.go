package quickstart

import (
	"errors"
	"fmt"
	"os"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/data/mnist"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/notebooks/figures"
)

// Task is a network, its data and how it is trained, save for the noise.
type Task struct {
	Name        string // of the data
	Train, Test data.Dataset
	Model       dpsgd.Model
	Config      dpsgd.Config
}

// ConvNet returns a convolutional network for so many passes over MNIST, if the folder that
// DPLAB_DATA names is given, else a smaller one for the embedded digits.
func ConvNet(epochs int) (Task, error) {
	if epochs < 1 {
		return Task{}, fmt.Errorf("quickstart: epochs %d: must be >= 1", epochs)
	}
	train, test, err := mnist.Load("")
	switch {
	case err == nil:
		return mnistTask(train, test, epochs)
	case errors.Is(err, data.ErrNotFound) && os.Getenv(data.DirVariable) == "":
		return digitsTask()
	default: // a folder was named: a fault in it must not lead to other data
		return Task{}, err
	}
}

// mnistTask is Opacus's MNIST network with tanh, which suits clipped gradients better than
// ReLU (Papernot et al., 2021, arXiv:2007.14191v1).
func mnistTask(train, test data.Dataset, epochs int) (Task, error) {
	const batch, size = 512, 60_000 // the size of MNIST's training set is public
	model, err := models.MNISTCNN(nn.Tanh())
	return Task{Name: "MNIST", Train: train, Test: test, Model: model, Config: dpsgd.Config{
		ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: float64(batch) / size}, ExpectedBatchSize: batch,
		Steps: epochs * size / batch, LearningRate: 1, Optimizer: dpsgd.SGD{Momentum: 0.9},
	}}, err
}

// digitsTask is a network of 6,090 weights for 8x8 images.
func digitsTask() (Task, error) {
	train, test, err := digits.Load()
	if err != nil {
		return Task{}, err
	}
	model, err := models.Sequential("digits-CNN", train.Shape,
		nn.Conv2D(1, 16, nn.Square(3, 1, 1)), nn.MaxPool(nn.Square(2, 2, 0)), nn.Tanh(),
		nn.Conv2D(16, 32, nn.Square(3, 1, 1)), nn.MaxPool(nn.Square(2, 2, 0)), nn.Tanh(),
		nn.Flatten(), nn.Dense(128, train.Classes))
	return Task{Name: "digits", Train: train, Test: test, Model: model, Config: dpsgd.Config{
		ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, ExpectedBatchSize: 144, Steps: 100, LearningRate: 2,
	}}, err
}

// CNN is one private training of a convolutional network.
type CNN struct {
	Task         Task // with the noise in its Config
	Guarantee    accounting.Guarantee
	TestAccuracy float64 // for research: not covered by the guarantee
}

// Table lists what was trained and what came out.
func (r CNN) Table() figures.Table {
	run := r.Task.Config
	return figures.Table{
		Name: "quickstart-cnn", Title: "A convolutional network, trained once",
		Columns: []string{"quantity", "value"},
		Rows: [][]string{
			{"data", r.Task.Name},
			{"model", fmt.Sprintf("%s, %d weights", r.Task.Model.Name, r.Task.Model.Size())},
			{"sampling rate q, steps T", fmt.Sprintf("%.6g, %d", run.Sampling.Share(), run.Steps)},
			{"noise multiplier σ", fmt.Sprintf("%.6f", run.NoiseMultiplier)},
			{"ε at most", fmt.Sprintf("%s at δ = %s", accounting.FormatUpper(r.Guarantee.Epsilon.Upper), chart.Scientific(r.Guarantee.Delta))},
			{"test accuracy", accuracyText(r.TestAccuracy, r.Task.Test.Len())},
		},
		Notes: []string{"ε does not cover the choice of the learning rate."},
	}
}
