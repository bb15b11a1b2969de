package hidden

import (
	"context"
	"fmt"
	"maps"
	"slices"

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

// networks are those that can be audited, with their names for readers.
var networks = map[string]struct {
	name  string
	build func() (dpsgd.Model, error)
}{
	"fcnn":          {"FCNN, 68 weights", func() (dpsgd.Model, error) { return models.MLPWith(nn.ReLU(), 8, 6, 2) }},
	"convnet":       {"ConvNet, 62,006 weights", models.ConvNet},
	"resnet18":      {"ResNet18, 11,173,962 weights", models.ResNet18},
	"narrow-resnet": {"ResNet18 cut to 16 channels, 38,586 weights", func() (dpsgd.Model, error) { return models.ResNet18Narrow(16, digits.Side, digits.Side, 1) }},
	"small-convnet": {"small ConvNet, 1,636 weights", smallConvNet},
	"last-layer":    {"last layer, 850 weights", func() (dpsgd.Model, error) { return models.MLP(84, digits.Classes) }},
	"linear-digits": {"linear, 650 weights", func() (dpsgd.Model, error) {
		return models.Sequential("linear", []int{digits.Side, digits.Side, 1}, nn.Flatten(), nn.Dense(digits.Side*digits.Side, digits.Classes))
	}},
}

// dataset is what models are trained on.
type dataset struct {
	name string // for readers
	rows int    // of each training file of CIFAR-10, or of other data in all
	load func(dir string, files int) (data.Dataset, error)
}

var datasets = map[string]dataset{
	"housing":       {"California housing", housing.Count, func(dir string, _ int) (data.Dataset, error) { return housing.Load(dir) }},
	"digit-columns": {"8 columns of the digits", digits.Count, func(string, int) (data.Dataset, error) { return digitColumns() }},
	"digits":        {"embedded digits", digits.Count, func(string, int) (data.Dataset, error) { return digits.All() }},
	"cifar-10":      {"CIFAR-10", 10_000, cifar.LoadTrain},
	"features":      {"CIFAR-10, features of a ConvNet trained on public images", 10_000, cifar.LoadTrain},
}

// onCIFAR reports whether the config reads training files.
func (c Config) onCIFAR() bool { return c.Data == "cifar-10" || c.Data == "features" }

// names quotes the keys of a map.
func names[V any](of map[string]V) string {
	return fmt.Sprintf("must be one of %q", slices.Sorted(maps.Keys(of)))
}

// smallConvNet is a network for the embedded digits that trains in seconds: two convolutions as of
// the ConvNet, 1,636 weights.
func smallConvNet() (dpsgd.Model, error) {
	pool := nn.MaxPool(nn.Square(2, 2, 0))
	return models.Sequential("small ConvNet", []int{digits.Side, digits.Side, 1},
		nn.Conv2D(1, 4, nn.Square(3, 1, 1)), pool, nn.ReLU(), nn.Conv2D(4, 8, nn.Square(3, 1, 1)), pool, nn.ReLU(),
		nn.Flatten(), nn.Dense(32, 30), nn.ReLU(), nn.Dense(30, digits.Classes))
}

// rows returns as many rows as the batches take, in an order drawn from the root: the rows of
// housing are sorted by place. Features are those of a ConvNet that was trained on public images,
// the small part of CIFAR-100. The paper has an AlexNet that was trained on ImageNet, which we do
// not have.
func (c Config) rows(ctx context.Context, root streams.Root, env experiments.Env) (data.Dataset, error) {
	all, err := datasets[c.Data].load(env.Data, c.Files)
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
