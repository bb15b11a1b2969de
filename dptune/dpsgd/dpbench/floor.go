package main

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// floor is the least processor time that a step can take on this machine. It is the time of the
// products' operations, at the backend's rate for a large product, plus the time of the noise, at
// the rate of its generator. Everything else counts as free. It applies only to backends that run
// on the processor.
type floor struct {
	operations float64       // of the products, of one step of all replicas
	rate       float64       // operations per second of processor time
	products   time.Duration // operations / rate
	noise      time.Duration
}

func (f floor) total() time.Duration { return f.products + f.noise }

// leastTime measures the machine and counts the operations of a step.
func (b benchmark) leastTime(ctx context.Context, perf engine.Performance) (floor, error) {
	f := floor{operations: float64(b.replicas) * float64(b.batch) * operations(b.model)}
	rate, err := productRate(ctx, perf.Backend)
	if err != nil {
		return f, err
	}
	f.rate = rate
	f.products = time.Duration(f.operations / rate * float64(time.Second))
	if b.mode != "nonprivate" {
		f.noise = noiseTime(b.replicas * b.model.Size())
	}
	return f, nil
}

// operations counts the multiplications and additions of the products for one example: in the
// forward pass, the gradient at the weights, and the gradient at the inputs. The first layer with
// weights does not need the last. Arrays of weights with one axis have no products. The products of
// values with values in attention count as free.
func operations(model dpsgd.Model) float64 {
	total, shape, first := 0.0, model.Input, true
	for _, layer := range model.Layers {
		out, err := layer.OutputShape(shape)
		if err != nil {
			return total // a valid model has no such layer
		}
		forward := 0.0
		for _, w := range layer.Weights(shape) {
			if len(w.Shape) >= 2 && !lookup(layer) {
				forward += 2 * float64(product(w.Shape)) * float64(product(out[:len(out)-1]))
			}
		}
		passes := 3.0
		if forward > 0 && first {
			passes, first = 2, false
		}
		total += passes * forward
		shape = out
	}
	return total
}

// lookup reports whether a layer selects rows of its weights, which is not a product.
func lookup(layer nn.Layer) bool {
	kind := reflect.TypeOf(layer)
	return kind == reflect.TypeOf(nn.Embedding(1, 1)) || kind == reflect.TypeOf(nn.EmbeddingMean(1, 1))
}

func product(sides []int) int {
	n := 1
	for _, side := range sides {
		n *= side
	}
	return n
}

// productRate returns the operations per second of processor time that a backend reaches on
// products of 512 by 512 matrices, the best of several tries.
func productRate(ctx context.Context, name string) (rate float64, err error) {
	const side, tries, least = 512, 5, 50 * time.Millisecond
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("measuring products on %s: %v", name, p)
		}
	}()
	backend, err := backend.Open(name)
	if err != nil {
		return 0, err
	}
	exec, err := graph.NewExec(backend, func(a *graph.Node) *graph.Node { return graph.DotGeneral(a, []int{1}, nil, a, []int{0}, nil) })
	if err != nil {
		return 0, fmt.Errorf("measuring products on %s: %w", name, err)
	}
	defer exec.Finalize()
	values := make([]float32, side*side)
	for i := range values {
		values[i] = float32(i%7) - 3
	}
	a := tensors.FromFlatDataAndDimensions(values, side, side)
	defer func() { _ = a.FinalizeAll() }()
	for try := range tries + 1 {
		calls, start := 0, cpuTime()
		for cpuTime()-start < least && ctx.Err() == nil {
			out, err := exec.Call(a)
			if err != nil {
				return 0, fmt.Errorf("measuring products on %s: %w", name, err)
			}
			for _, t := range out {
				if err := tensors.ConstFlatData(t, func([]float32) {}); err != nil { // waits for the result
					return 0, fmt.Errorf("measuring products on %s: %w", name, err)
				}
				_ = t.FinalizeAll()
			}
			calls++
		}
		if try > 0 { // the first try compiles
			rate = max(rate, float64(calls)*2*side*side*side/(cpuTime()-start).Seconds())
		}
	}
	return rate, ctx.Err()
}

// noiseTime returns the processor time of the words of a number of normals from the host's
// generator, the best of several tries. Making normals from words counts as free.
func noiseTime(normals int) time.Duration {
	const words, repeats, tries = 1 << 20, 16, 5
	buffer, best := make([]uint32, words), time.Duration(1<<62)
	for range tries {
		start := cpuTime()
		for range repeats {
			streams.Fixed("dpbench").Words("normals").Fill(buffer)
		}
		best = min(best, cpuTime()-start)
	}
	const wordsOfNormal = 1.5 // three words make two normals
	return time.Duration(float64(best) / (repeats * words) * wordsOfNormal * float64(normals))
}
