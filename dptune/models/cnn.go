package models

import (
	"errors"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// MNISTCNN returns the convolutional network of Opacus's MNIST example, with 26,010 weights: 16
// kernels of 8x8, 32 of 4x4, both with stride 2 and an overlapping 2x2 max-pooling, and 512-32-10.
// The activation is ReLU in Opacus and a tempered sigmoid in koskela2023.
//
// The activation comes after the pooling. For any non-decreasing activation that gives the same
// values and is cheaper.
func MNISTCNN(activation nn.Layer) (nn.Model, error) {
	if activation == nil {
		return nn.Model{}, errors.New("models: MNISTCNN activation is nil: must be a layer")
	}
	pool := nn.MaxPool(nn.Square(2, 1, 0))
	return Sequential("MNIST-CNN", []int{28, 28, 1},
		nn.Conv2D(1, 16, nn.Square(8, 2, 3)), pool, activation,
		nn.Conv2D(16, 32, nn.Square(4, 2, 0)), pool, activation,
		nn.Flatten(), nn.Dense(512, 32), activation, nn.Dense(32, 10))
}

// ConvNet returns the LeNet-like network (LeCun et al., 1989) that cebere2024 audits on CIFAR-10,
// with 62,006 weights. It has 6 and 16 kernels of 5x5, each followed by a 2x2 max-pooling and ReLU,
// and 400-120-84-10. As in MNISTCNN, pooling comes before ReLU.
func ConvNet() (nn.Model, error) {
	pool := nn.MaxPool(nn.Square(2, 2, 0))
	return Sequential("ConvNet", []int{32, 32, 3},
		nn.Conv2D(3, 6, nn.Square(5, 1, 0)), pool, nn.ReLU(),
		nn.Conv2D(6, 16, nn.Square(5, 1, 0)), pool, nn.ReLU(),
		nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(), nn.Dense(84, 10))
}

// AllConv returns an all-convolutional network for MNIST with the feature maps of papernot2022: 32,
// 32, 64, 64, 64 by 3x3 kernels. The paper does not print strides, padding, activation and the
// layers after the maps. Here every second map and the last has stride 2, padding keeps the sides,
// and the activation is ReLU. 1x1 kernels for the classes are averaged over the image, as in
// Springenberg et al. (2015), arXiv:1412.6806v3. That gives 102,570 weights.
func AllConv() (nn.Model, error) {
	channels, strides := []int{1, 32, 32, 64, 64, 64}, []int{1, 2, 1, 2, 2}
	var layers []nn.Layer
	for i, stride := range strides {
		layers = append(layers, nn.Conv2D(channels[i], channels[i+1], nn.Square(3, stride, 1)), nn.ReLU())
	}
	layers = append(layers, nn.Conv2D(64, 10, nn.Square(1, 1, 0)), nn.GlobalAvgPool())
	return Sequential("all-conv", []int{28, 28, 1}, layers...)
}
