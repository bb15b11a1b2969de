// Package models holds models to train: those of the papers, and Sequential for your own.
//
// It promises nothing to other modules.
package models

import (
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Sequential returns the model that applies layers one after the other to examples of a
// shape, with the softmax cross-entropy loss. It is an error if the layers do not fit.
func Sequential(name string, input []int, layers ...nn.Layer) (nn.Model, error) {
	m := nn.Model{Name: name, Input: input, Layers: layers, Loss: nn.SoftmaxCrossEntropy()}
	if err := m.Validate(); err != nil {
		return nn.Model{}, fmt.Errorf("models: %w", err)
	}
	return m, nil
}
