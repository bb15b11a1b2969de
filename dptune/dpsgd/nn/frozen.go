package nn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Frozen returns a layer with given weights that are not trained, such as a part of a public model.
// values are the layer's weights one after the other, row-major, as in dpsgd.Parameters. The frozen
// layer has no parameters, and its gradients are not formed.
//
// The values are not protected: they must not come from the data.
func Frozen(layer Layer, values []float64) Layer { return frozen{layer, values} }

type frozen struct {
	layer  Layer
	values []float64
}

func (l frozen) String() string { return fmt.Sprintf("Frozen(%v)", l.layer) }

func (l frozen) OutputShape(input []int) ([]int, error) {
	if l.layer == nil {
		return nil, fmt.Errorf("Frozen: layer is nil: must be a layer")
	}
	out, err := l.layer.OutputShape(input)
	if err != nil {
		return nil, fmt.Errorf("Frozen: %w", err)
	}
	if coinsOf(l.layer, input) > 0 {
		return nil, fmt.Errorf("%v: draws coins: must not, since a frozen layer runs as in evaluation", l)
	}
	size := 0
	for _, w := range l.layer.Weights(input) {
		size += kernel.SizeOf(w.Shape)
	}
	if len(l.values) != size {
		return nil, fmt.Errorf("%v: %d values: must be %d, the number of the layer's weights", l, len(l.values), size)
	}
	if err := validateFinite("values", l.values); err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	return out, nil
}

// Fingerprint implements [Fingerprinter].
func (l frozen) Fingerprint() []byte { return bytesOf(l.values) }

func (l frozen) Weights([]int) []Weight { return nil }

func (l frozen) Scratch(input []int) int { return sequence{l.layer}.scratch(input) }

func (l frozen) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	var weights []*graph.Node
	at := 0
	for _, w := range l.layer.Weights(in.Values.Shape().Dimensions[2:]) {
		size := kernel.SizeOf(w.Shape)
		value := graph.ConstTensor(in.Values.Graph(), tensors.FromFlatDataAndDimensions(l.values[at:at+size], append([]int{1}, w.Shape...)...))
		at += size
		weights = append(weights, kernel.RepeatShared(graph.ConvertDType(value, in.Values.DType()), in.Values.Shape().Dim(0)))
	}
	out, backward := l.layer.Forward(weights, in)
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		atInput, _ := backward(g, true)
		return atInput, nil
	}
}
