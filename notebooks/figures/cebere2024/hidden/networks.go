package hidden

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/cifar"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/data/housing"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/experiments/bank"
)

// networks are those that can be audited. The paper's are fcnn, of 68 weights, and convnet, of
// 62,006.
var networks = map[string]func() (dpsgd.Model, error){
	"fcnn":          func() (dpsgd.Model, error) { return models.MLPWith(nn.ReLU(), 8, 6, 2) },
	"convnet":       models.ConvNet,
	"resnet18":      models.ResNet18,
	"narrow-resnet": func() (dpsgd.Model, error) { return models.ResNet18Narrow(16, digits.Side, digits.Side, 1) },
	"small-convnet": smallConvNet,
	"last-layer":    func() (dpsgd.Model, error) { return models.MLP(84, digits.Classes) },
	"linear-digits": func() (dpsgd.Model, error) {
		return models.Sequential("linear", []int{digits.Side, digits.Side, 1}, nn.Flatten(), nn.Dense(digits.Side*digits.Side, digits.Classes))
	},
}

// smallConvNet is a network for the embedded digits that trains in seconds: two convolutions as of
// the ConvNet, 1,636 weights.
func smallConvNet() (dpsgd.Model, error) {
	pool := nn.MaxPool(nn.Square(2, 2, 0))
	return models.Sequential("small ConvNet", []int{digits.Side, digits.Side, 1},
		nn.Conv2D(1, 4, nn.Square(3, 1, 1)), pool, nn.ReLU(), nn.Conv2D(4, 8, nn.Square(3, 1, 1)), pool, nn.ReLU(),
		nn.Flatten(), nn.Dense(32, 30), nn.ReLU(), nn.Dense(30, digits.Classes))
}

// rowCount returns how many rows there are.
func (c Config) rowCount() (int, bool) {
	count, known := map[string]int{
		"housing": housing.Count, "digit-columns": digits.Count, "digits": digits.Count, "cifar-10": 10_000 * c.Files, "features": 10_000 * c.Files,
	}[c.Data]
	return count, known
}

// rows returns as many rows as the batches take, in an order drawn from the root: the rows of
// housing are sorted by place. Features are those of a ConvNet that was trained on public images, the
// small part of CIFAR-100. The paper has an AlexNet that was trained on ImageNet, which we do not
// have.
func (c Config) rows(ctx context.Context, root streams.Root, env experiments.Env) (data.Dataset, error) {
	var all data.Dataset
	var err error
	switch c.Data {
	case "housing":
		all, err = housing.Load(env.Data)
	case "cifar-10", "features":
		all, err = cifar.LoadTrain(env.Data, c.Files)
	case "digits":
		all, err = digits.All()
	case "digit-columns":
		all, err = digitColumns()
	}
	if err != nil {
		return data.Dataset{}, fmt.Errorf("hidden: %w", err)
	}
	order := root.Rand("order of the rows").Perm(all.Len())
	rows := all.Subset(all.Name, order[:c.BatchSize*c.Batches])
	if c.Data == "features" {
		return bank.ConvNetFeatures(ctx, rows, env)
	}
	return rows, nil
}

// digitColumns replaces housing in quick runs and has as many features and classes. Features are
// the means of the columns of the embedded digits. The class is whether the digit is at least 5.
func digitColumns() (data.Dataset, error) {
	images, err := digits.All()
	if err != nil {
		return data.Dataset{}, err
	}
	const width = digits.Side
	d := data.Dataset{Name: "digit columns", Shape: []int{width}, Classes: 2}
	for i := range images.Len() {
		var columns [width]float32
		for pixel, x := range images.Row(i) {
			columns[pixel%width] += x / digits.Side
		}
		d.Features = append(d.Features, columns[:]...)
		d.Labels = append(d.Labels, images.Labels[i]/(digits.Classes/2))
	}
	return d, nil
}
