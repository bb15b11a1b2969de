package dpsgdtest

import (
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/internal/layercheck"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// classes is the number of classes of the models that a layer is tested in.
const classes = 3

// Layer fails the test unless a layer keeps the contract for inputs of a shape. It must pass
// [engine.CheckLayer] in both precisions, with 500 examples with terms that cancel. It must also
// pass [Model] as the first layer of a model and, unless it is a [nn.InputLayer], between two other
// trained layers.
func Layer(t testing.TB, layer nn.Layer, input ...int) {
	t.Helper()
	for _, precision := range []engine.Precision{engine.Float64, engine.Float32} {
		if err := engine.CheckLayer(layer, input, engine.Performance{Precision: precision}); err != nil {
			t.Errorf("in %s, %v", names[precision], err)
			return
		}
		if err := checkCancelling(layer, input, precision); err != nil {
			t.Errorf("in %s, %v", names[precision], err)
			return
		}
	}
	output, err := layer.OutputShape(input)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	size := 1
	for _, side := range output {
		size *= side
	}
	first := dpsgd.Model{Name: "first", Input: input, Layers: []nn.Layer{layer, nn.Dense(size, classes)}, Loss: nn.SoftmaxCrossEntropy()}
	Model(t, first, classes)
	between := first
	between.Name, between.Layers = "between", append([]nn.Layer{scale(input)}, first.Layers...)
	if between.Validate() == nil { // an InputLayer must be the first
		Model(t, between, classes)
	}
}

// checkCancelling checks a layer that has passed [engine.CheckLayer] with more examples.
func checkCancelling(layer nn.Layer, input []int, precision engine.Precision) error {
	const examples = 500
	opened, err := backend.Open(backend.Named(""))
	if err != nil {
		return err
	}
	part := layercheck.Subject{Foreign: nn.Foreign{Layer: layer, Input: input, Use: nn.Use{Backward: true}}, Cancelling: examples}
	if err := layercheck.All(opened, precision == engine.Float64, []layercheck.Subject{part}, 1, false); err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	return nil
}

var names = map[engine.Precision]string{engine.Float32: "Float32", engine.Float64: "Float64"}

// scale returns a layer with a factor for each value. Before another layer, it makes that layer
// compute gradients at its inputs.
func scale(input []int) nn.Layer {
	weights := []nn.Weight{{Name: "factors", Shape: input}}
	return nn.Auto(fmt.Sprintf("scale %v", input), weights, func(in []int) ([]int, error) { return in, nil },
		func(w []*graph.Node, x *graph.Node) *graph.Node { return graph.Mul(w[0], x) })
}
