package nn

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// TorchTensor describes how PyTorch stores one of a model's parameters.
type TorchTensor struct {
	Name  string // in a torch.nn.Sequential of the same layers: "0.weight"
	Shape []int  // in PyTorch

	// Image is [outputs, rows, columns, channels] if PyTorch stores the same numbers as [outputs,
	// channels, rows, columns]. That is so for kernels of convolutions, and for the weights of a
	// dense layer after an image. It is nil if the order is the same, as for other dense layers,
	// which are [outputs, inputs] in both.
	Image []int
}

// TorchTensors describes how PyTorch stores each of [Model.Tensors]. It is nil if the model is not
// valid. Layer i is module i. The layers of a [Residual] are in two sequences inside it, as in
// "3.block.0.weight" and "3.projection.0.weight". Those of a [PerPlace] are in one sequence.
//
// An image is [rows, columns, channels] here and [channels, rows, columns] in PyTorch. So a dense
// layer after it has another order of columns. If an example is one list of numbers, its order is
// not known: give a model of flat images with several channels the same order in both.
func (m Model) TorchTensors() []TorchTensor {
	if m.Validate() != nil {
		return nil
	}
	return torchTensors("", m.Layers, m.Input, nil)
}

// torchTensors describes the tensors of consecutive layers. image is the shape of the image that
// was flattened into input, nil if it was not one.
func torchTensors(prefix string, layers []Layer, input, image []int) []TorchTensor {
	var list []TorchTensor
	for i, layer := range layers {
		name := fmt.Sprintf("%s%d.", prefix, i)
		if len(input) == 3 {
			image = input
		}
		if r, is := layer.(residual); is {
			list = append(list, torchTensors(name+"block.", r.block, input, image)...)
			list = append(list, torchTensors(name+"projection.", r.projection, input, image)...)
		} else if p, is := layer.(perPlace); is {
			list = append(list, torchTensors(name, p.layers, input[1:], nil)...)
		} else {
			for _, w := range layer.Weights(input) {
				list = append(list, torchTensor(name, layer, w, image))
			}
		}
		out, _ := layer.OutputShape(input) // the model is valid
		if !kept(layer) {
			image = nil
		}
		input = out
	}
	return list
}

// kept reports whether a layer maps each number of a list by itself and so keeps the order of an
// image.
func kept(layer Layer) bool {
	switch layer.(type) {
	case flatten, elementwise, relu, dropout:
		return true
	}
	return false
}

func torchTensor(prefix string, layer Layer, w Weight, image []int) TorchTensor {
	t := TorchTensor{Name: prefix + w.Name, Shape: w.Shape}
	switch w.Name {
	case "weights", "scale", "vectors":
		t.Name = prefix + "weight"
	case "bias", "shift":
		t.Name = prefix + "bias"
	}
	switch layer.(type) {
	case attention:
		t.Name = prefix + torchNames[w.Name]
	case recurrent:
		t.Name = prefix + torchNames["recurrent "+w.Name]
	case lora:
		t.Name = prefix + torchNames[w.Name]
	case conv1D:
		if w.Name == "weights" {
			t.Image = w.Shape
			t.Shape = []int{w.Shape[0], w.Shape[3], w.Shape[1]}
		}
	case conv2D, weightStandardized:
		if w.Name == "weights" {
			t.Image = w.Shape
			t.Shape = []int{w.Shape[0], w.Shape[3], w.Shape[1], w.Shape[2]}
		}
	case dense:
		if w.Name == "weights" && len(image) == 3 && kernel.SizeOf(image) == w.Shape[1] {
			t.Image = append(w.Shape[:1:1], image...)
		}
	}
	return t
}

// torchNames are the names of weights in MultiheadAttention, in GRU and LSTM, and in LoRA's code.
var torchNames = map[string]string{
	"input weights": "in_proj_weight", "input bias": "in_proj_bias", "output weights": "out_proj.weight", "output bias": "out_proj.bias",
	"recurrent input weights": "weight_ih_l0", "recurrent input bias": "bias_ih_l0",
	"recurrent state weights": "weight_hh_l0", "recurrent state bias": "bias_hh_l0",
	"inner weights": "lora_A", "outer weights": "lora_B",
}

// ToTorch returns the values of one of a model's tensors in PyTorch's order.
func (t TorchTensor) ToTorch(values []float64) []float64 { return t.rearranged(values, true) }

// FromTorch is the inverse of ToTorch.
func (t TorchTensor) FromTorch(values []float64) []float64 { return t.rearranged(values, false) }

func (t TorchTensor) rearranged(values []float64, to bool) []float64 {
	if t.Image == nil {
		return slices.Clone(values)
	}
	outputs, places, channels := t.Image[0], t.Image[1]*t.Image[2], t.Image[3]
	out := make([]float64, len(values))
	for o := range outputs {
		for p := range places {
			for c := range channels {
				here, there := (o*places+p)*channels+c, (o*channels+c)*places+p
				if to {
					out[there] = values[here]
				} else {
					out[here] = values[there]
				}
			}
		}
	}
	return out
}
