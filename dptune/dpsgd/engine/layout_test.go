package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// rowsOnly is somebody else's layer: it hides all but the interface, and checks that it is
// given what the interface promises.
type rowsOnly struct{ nn.Layer }

func (l rowsOnly) Forward(weights []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	inputs := in.Values.Shape().Dimensions
	out, backward := l.Layer.Forward(weights, in)
	outputs := out.Values.Shape().Dimensions
	want, err := l.OutputShape(inputs[2:])
	if err != nil || fmt.Sprint(outputs[1:]) != fmt.Sprint(append([]int{inputs[1]}, want...)) {
		panic(fmt.Sprintf("%v: from %v to %v, want [R B] and %v (%v)", l, inputs, outputs, want, err))
	}
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, nn.Gradients) {
		if got := g.Shape().Dimensions; fmt.Sprint(got) != fmt.Sprint(outputs) {
			panic(fmt.Sprintf("%v: gradient %v at outputs %v", l, got, outputs))
		}
		return backward(g, wantInput)
	}
}

// plainLoss is somebody else's loss.
type plainLoss struct{ nn.Loss }

// Layers that support only rows, anywhere in a model, change a run by rounding only, on separate
// and on shared batches, in every mode.
func TestLayoutsAgree(t *testing.T) {
	const replicas = 3
	d := blobs(44, 13, 4) // no multiple of a vector's length
	build := func(wrap func(i int, l nn.Layer) nn.Layer) dpsgd.Model {
		layers := []nn.Layer{nn.Dense(13, 30), nn.Tanh(), nn.Dense(30, 6), nn.ReLU(), nn.Sigmoid(), nn.Dense(6, 4)}
		for i := range layers {
			layers[i] = wrap(i, layers[i])
		}
		return must(models.Sequential("layouts", []int{13}, layers...))(t)
	}
	same := func(_ int, l nn.Layer) nn.Layer { return l }
	wraps := map[string]func(i int, l nn.Layer) nn.Layer{
		"all rows": func(_ int, l nn.Layer) nn.Layer { return rowsOnly{l} },
		"even":     func(i int, l nn.Layer) nn.Layer { return pick(i%2 == 0, l) },
		"odd":      func(i int, l nn.Layer) nn.Layer { return pick(i%2 == 1, l) },
		"last":     func(i int, l nn.Layer) nn.Layer { return pick(i == 5, l) },
	}
	if compilesSlowly() || testing.Short() {
		delete(wraps, "even")
		delete(wraps, "last")
	}
	config := private()
	config.Steps = 3
	direction := make([]float64, build(same).Size())
	direction[7] = 0.5
	for name, p := range precisions {
		for _, shared := range []bool{false, true} {
			for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
				if compilesSlowly() {
					if mode == dpsgd.Materialized && p.perf.Precision == engine.Float64 {
						continue
					}
					p.perf.ReplicasPerCall = replicas // one shape
				}
				plan := dpsgd.Plan{
					Replicas: []dpsgd.Config{config, config, config}, SharedBatches: shared, ClipMethod: mode,
					Canary: &dpsgd.Canary{Gradient: direction, In: []bool{true, false, true}},
				}
				p.perf.Microbatch = 7 // several, with padding
				run := func(m dpsgd.Model, loss bool) [][]float64 {
					if loss {
						m.Loss = plainLoss{m.Loss}
					}
					tr := trainer(t, m, d, plan, p.perf)
					return must(tr.RunEach(context.Background(), roots(replicas)))(t).Parameters.Values
				}
				want := run(build(same), false)
				for how, wrap := range wraps {
					got := run(build(wrap), how != "last")
					for r := range want {
						checkClose(t, fmt.Sprintf("%s, %s, shared %v, mode %d, replica %d", how, name, shared, mode, r), got[r], want[r], p.relative)
					}
				}
			}
		}
	}
}

func pick(wrapped bool, l nn.Layer) nn.Layer {
	if wrapped {
		return rowsOnly{l}
	}
	return l
}
