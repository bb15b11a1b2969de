package models

import (
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// ResNet18 returns the residual network of 18 layers for 32x32 images that cebere2024
// audits on CIFAR-10, with 11,173,962 weights: a 3x3 convolution to 64 channels, four
// stages of two blocks with 64, 128, 256 and 512 channels, and the mean of each channel.
// Group normalisation in groups of 16 channels stands where He et al. (2016),
// arXiv:1512.03385v1, have batch normalisation, which mixes examples; it has as many
// weights.
func ResNet18() (nn.Model, error) {
	layers := append([]nn.Layer{conv(3, 64, 3, 1)}, normed(64)...)
	channels := 64
	for stage, width := range []int{64, 128, 256, 512} {
		for block := range 2 {
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			layers = append(layers, residual(channels, width, stride), nn.ReLU())
			channels = width
		}
	}
	layers = append(layers, nn.GlobalAvgPool(), nn.Dense(512, 10))
	return Sequential("ResNet18", []int{32, 32, 3}, layers...)
}

// residual is a block of two 3x3 convolutions, with a 1x1 convolution to skip them where
// they change the shape.
func residual(in, out, stride int) nn.Layer {
	block := append([]nn.Layer{conv(in, out, 3, stride)}, normed(out)...)
	block = append(block, conv(out, out, 3, 1), norm(out))
	if in == out && stride == 1 {
		return nn.Residual(block)
	}
	return nn.Residual(block, conv(in, out, 1, stride), norm(out))
}

func conv(in, out, kernel, stride int) nn.Layer {
	return nn.Conv2DNoBias(in, out, nn.Square(kernel, stride, kernel/2))
}

func norm(channels int) nn.Layer { return nn.GroupNorm(channels/16, channels) }

func normed(channels int) []nn.Layer { return []nn.Layer{norm(channels), nn.ReLU()} }
