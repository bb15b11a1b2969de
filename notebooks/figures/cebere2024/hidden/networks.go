package hidden

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/cifar"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/data/housing"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
)

// networks are those that can be audited. The paper's are fcnn, of 68 weights, and convnet, of
// 62,006.
var networks = map[string]func() (dpsgd.Model, error){
	"fcnn":          func() (dpsgd.Model, error) { return models.MLPWith(nn.ReLU(), 8, 6, 2) },
	"convnet":       models.ConvNet,
	"resnet18":      models.ResNet18,
	"narrow-resnet": func() (dpsgd.Model, error) { return models.ResNet18Narrow(16, digits.Side, digits.Side, 1) },
	"small-convnet": smallConvNet,
	"last-layer":    func() (dpsgd.Model, error) { return models.MLP(featureCount, digits.Classes) },
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
// housing are sorted by place.
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
		return publicFeatures(ctx, rows, env)
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

// featureCount is the width of the ConvNet before its last layer.
const featureCount = 84

// publicFeatures returns what a ConvNet that was trained on public images, the small part of
// CIFAR-100, makes of others before its last layer. The paper has an AlexNet that was trained on
// ImageNet, which we do not have.
func publicFeatures(ctx context.Context, images data.Dataset, env experiments.Env) (data.Dataset, error) {
	public, _, err := cifar.LoadSubset100(env.Data)
	if err != nil {
		return data.Dataset{}, fmt.Errorf("hidden: %w", err)
	}
	convNet, err := models.ConvNet()
	if err != nil {
		return data.Dataset{}, err
	}
	body := convNet.Layers[:len(convNet.Layers)-1]
	weights, err := pretrain(ctx, body, public, env.Performance)
	if err != nil {
		return data.Dataset{}, fmt.Errorf("hidden: training on public images: %w", err)
	}
	return extract(ctx, body, weights, images, env.Performance)
}

// pretrain trains layers and a last one without privacy, and returns the weights of the layers.
func pretrain(ctx context.Context, body []nn.Layer, public data.Dataset, perf engine.Performance) ([]float64, error) {
	last := nn.Dense(featureCount, public.Classes)
	model, err := models.Sequential("public ConvNet", public.Shape, append(append([]nn.Layer{}, body...), last)...)
	if err != nil {
		return nil, err
	}
	config := dpsgd.Config{
		NonPrivate: true, Steps: 1500, Sampling: dpsgd.Poisson{Rate: 64 / float64(public.Len())}, ExpectedBatchSize: 64, LearningRate: 0.02, Optimizer: dpsgd.SGD{Momentum: 0.9},
	}
	trainer, err := engine.NewTrainer(model, public, config, perf)
	if err != nil {
		return nil, err
	}
	result, err := trainer.Run(ctx, streams.Fixed("public features"))
	if err != nil {
		return nil, err
	}
	size := model.Size() - (featureCount+1)*public.Classes
	return result.Parameters.Values[0][:size], nil
}

// extract returns the outputs of layers as features. The engine gives one number for each example
// and model, its loss: model k has one more layer, which takes output k, and the loss is what that
// gives.
func extract(ctx context.Context, body []nn.Layer, weights []float64, images data.Dataset, perf engine.Performance) (data.Dataset, error) {
	layers := append(append([]nn.Layer{}, body...), nn.Dense(featureCount, 1))
	model := dpsgd.Model{Name: "features", Input: images.Shape, Layers: layers, Loss: picked{}}
	asked := images
	asked.Classes, asked.Labels = 1, make([]int32, images.Len())
	evaluator, err := engine.NewEvaluator(model, asked, perf)
	if err != nil {
		return data.Dataset{}, fmt.Errorf("hidden: features: %w", err)
	}
	models := dpsgd.Parameters{Tensors: model.Tensors()}
	for k := range featureCount {
		last := make([]float64, featureCount+1)
		last[k] = 1
		models.Values = append(models.Values, append(append([]float64{}, weights...), last...))
	}
	values, err := evaluator.Losses(ctx, models)
	if err != nil {
		return data.Dataset{}, fmt.Errorf("hidden: features: %w", err)
	}
	out := data.Dataset{Name: images.Name + "/features", Shape: []int{featureCount}, Classes: images.Classes, Labels: images.Labels}
	for i := range images.Len() {
		for k := range featureCount {
			out.Features = append(out.Features, float32(values[k][i]))
		}
	}
	return out, nil
}

// picked is the loss that is the output of the label's number.
type picked struct{}

func (picked) String() string { return "picked output" }

func (picked) Outputs(classes int) int { return classes }

func (picked) Values(z, labels *graph.Node) *graph.Node {
	return graph.ReduceSum(graph.Mul(z, picked{}.Gradient(z, labels)), -1)
}

func (picked) Gradient(z, labels *graph.Node) *graph.Node {
	return graph.OneHot(labels, z.Shape().Dim(-1), z.DType())
}

func (picked) Classes(z *graph.Node) *graph.Node { return nn.SoftmaxCrossEntropy().Classes(z) }
