package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Named is a model of a paper, with its data set there.
type Named struct {
	Name    string                   // for ByName and command lines
	About   string                   // one line
	Size    int                      // number of parameters
	Input   []int                    // shape of one example
	Classes int                      // labels are in [0, Classes)
	Tokens  int                      // number of tokens if an example is a list of token ids, otherwise 0
	Build   func() (nn.Model, error) // makes the model
}

// named lists the models in the order of a table: small networks, then images, then text.
var named = []Named{
	{
		Name: "mlp", About: "784-120-120-10, tanh: Fashion-MNIST in koskela2023", Size: 109930, Input: []int{784}, Classes: 10,
		Build: func() (nn.Model, error) { return MLP(784, 120, 120, 10) },
	},
	{
		Name: "fcnn", About: "8-6-2, ReLU: Housing in cebere2024", Size: 68, Input: []int{8}, Classes: 2,
		Build: func() (nn.Model, error) { return MLPWith(nn.ReLU(), 8, 6, 2) },
	},
	{
		Name: "mnist-cnn", About: "two convolutions, 512-32-10, ReLU: Opacus's example for MNIST, koskela2023", Size: 26010, Input: []int{28, 28, 1}, Classes: 10,
		Build: func() (nn.Model, error) { return MNISTCNN(nn.ReLU()) },
	},
	{
		Name: "convnet", About: "two convolutions, 400-120-84-10, ReLU: CIFAR-10 in cebere2024", Size: 62006, Input: []int{32, 32, 3}, Classes: 10,
		Build: ConvNet,
	},
	{
		Name: "all-conv", About: "convolutions of 32, 32, 64, 64, 64 maps, ReLU: MNIST in papernot2022", Size: 102570, Input: []int{28, 28, 1}, Classes: 10,
		Build: AllConv,
	},
	{
		Name: "last-layer", About: "64-10, linear: CIFAR-10 on features of a public network, koskela2023", Size: 650, Input: []int{64}, Classes: 10,
		Build: func() (nn.Model, error) { return MLP(64, 10) },
	},
	{
		Name: "resnet18", About: "ResNet18 with group normalization: CIFAR-10 in cebere2024", Size: 11173962, Input: []int{32, 32, 3}, Classes: 10,
		Build: ResNet18,
	},
	{
		Name: "imdb", About: "mean of embeddings, 16-16-2, ReLU: Opacus's example for IMDB, koskela2023", Size: 464242, Input: []int{IMDBLength}, Classes: 2, Tokens: imdbTokens,
		Build: func() (nn.Model, error) { return IMDB(IMDBLength) },
	},
}

// ByName returns the model of that name among All, or an error that lists the names.
func ByName(name string) (Named, error) {
	names := make([]string, len(named))
	for i, n := range named {
		if n.Name == name {
			return n, nil
		}
		names[i] = n.Name
	}
	return Named{}, fmt.Errorf("models: no model is named %q: must be one of %s", name, strings.Join(names, ", "))
}

// All returns the models of the papers.
func All() []Named { return slices.Clone(named) }
