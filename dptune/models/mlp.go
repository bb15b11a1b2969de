package models

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// MLP returns the perceptron with the given widths, first that of an example and last the
// number of classes, and tanh between them: MLP(784, 120, 120, 10) has 109,930 weights.
func MLP(widths ...int) (nn.Model, error) {
	return MLPWith(nn.Tanh(), widths...)
}

// MLPWith is MLP with another activation between the layers.
func MLPWith(activation nn.Layer, widths ...int) (nn.Model, error) {
	if len(widths) < 2 {
		return nn.Model{}, errors.New("models: MLP widths: must be at least two, of an example and of the classes")
	}
	if activation == nil {
		return nn.Model{}, errors.New("models: MLP activation is nil: must be a layer")
	}
	name, layers := "MLP", []nn.Layer{}
	for i, width := range widths {
		name += fmt.Sprintf("-%d", width)
		if i == 0 {
			continue
		}
		if i > 1 {
			layers = append(layers, activation)
		}
		layers = append(layers, nn.Dense(widths[i-1], width))
	}
	return Sequential(name, widths[:1], layers...)
}
