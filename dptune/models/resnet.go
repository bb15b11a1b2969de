package models

import (
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// ResNet18 returns the residual network of 18 layers for 32x32 images that cebere2024 audits on
// CIFAR-10, with 11,173,962 weights. It has a 3x3 convolution to 64 channels, four stages of two
// blocks with 64, 128, 256 and 512 channels, and the mean of each channel. He et al. (2016),
// arXiv:1512.03385v1, have batch normalization, which mixes examples. Here it is group
// normalization in groups of 16 channels, with as many weights.
func ResNet18() (nn.Model, error) {
	return resNet18("ResNet18", []int{32, 32, 3}, [4]int{64, 128, 256, 512})
}

// ResNet18Narrow is ResNet18 with the given number of channels in all stages, for images of the
// given shape and 10 classes. It is for tests and demonstrations. channels must be a multiple of
// 16.
func ResNet18Narrow(channels int, shape ...int) (nn.Model, error) {
	if channels < 16 || channels%16 != 0 {
		return nn.Model{}, fmt.Errorf("models: channels %d: must be a multiple of 16, at least 16", channels)
	}
	if len(shape) != 3 {
		return nn.Model{}, fmt.Errorf("models: shape %v: must be height, width and channels", shape)
	}
	return resNet18(fmt.Sprintf("ResNet18 of %d channels", channels), shape, [4]int{channels, channels, channels, channels})
}

func resNet18(name string, shape []int, widths [4]int) (nn.Model, error) {
	channels := widths[0]
	layers := append([]nn.Layer{conv(shape[2], channels, 3, 1)}, normed(channels)...)
	for stage, width := range widths {
		for block := range 2 {
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			layers = append(layers, residual(channels, width, stride), nn.ReLU())
			channels = width
		}
	}
	layers = append(layers, nn.GlobalAvgPool(), nn.Dense(channels, 10))
	return Sequential(name, shape, layers...)
}

// ResNet20 returns the residual network of 20 layers for 32x32 images. koskela2023 trains its last
// layer on CIFAR-10; the layers before it have 271,824 weights. It has a 3x3 convolution to 16
// channels, three stages of three blocks with 16, 32 and 64 channels, the mean of each channel, and
// a layer to the classes. He et al. (2016), arXiv:1512.03385v1, Section 4.2, have batch
// normalization; here it is group normalization. 1x1 convolutions skip the blocks that change the
// shape.
func ResNet20(classes int) (nn.Model, error) {
	layers := append([]nn.Layer{conv(3, 16, 3, 1)}, normed(16)...)
	channels := 16
	for stage, width := range []int{16, 32, 64} {
		for block := range 3 {
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			layers = append(layers, residual(channels, width, stride), nn.ReLU())
			channels = width
		}
	}
	layers = append(layers, nn.GlobalAvgPool(), nn.Dense(64, classes))
	return Sequential("ResNet20", []int{32, 32, 3}, layers...)
}

// residual is a block of two 3x3 convolutions. If they change the shape, a 1x1 convolution skips
// them.
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
