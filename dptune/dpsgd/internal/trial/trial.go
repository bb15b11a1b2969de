// Package trial tries what is not the engine's own code on small random batches: layers and losses, clippings and
// optimizers. It returns what it finds against the rules that clipping and replicas rest on, above all that rows do not mix.
//
// A trial is evidence, and no proof. It does not know what the parts are for: the engine hands it the functions by which
// it runs them.
package trial

import (
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
)

// All tries layers and losses, in float64 or in float32, with as many replicas, which share their inputs or do not.
func All(backend compute.Backend, double bool, list []Part, replicas int, shared bool) error {
	for _, f := range list {
		try := tryOne[float32]
		if double {
			try = tryOne[float64]
		}
		if err := try(backend, f, replicas, shared && f.Shared); err != nil {
			return fmt.Errorf("%s%v: tried on a random batch: %w", f.Where, f.Layer, err)
		}
	}
	return nil
}

func tryOne[T arrays.Real](backend compute.Backend, f Part, replicas int, shared bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = asError(p)
		}
	}()
	t, err := newTrial[T](backend, f, replicas)
	if err != nil {
		return err
	}
	defer t.exec.Finalize()
	return t.try(shared)
}

// compiled is a program, which is compiled when it is first called with inputs of some shapes.
type compiled struct {
	exec   *graph.Exec
	failed error // what its code panicked with
}

func compile(backend compute.Backend, program func(in []*graph.Node) []*graph.Node) (c *compiled, err error) {
	c = new(compiled)
	c.exec, err = graph.NewExec(backend, func(in []*graph.Node) []*graph.Node {
		defer func() {
			if p := recover(); p != nil { // GoMLX v0.28.3 adds its own names, and of what is no error keeps a lock
				c.failed = asError(p)
				panic(c.failed)
			}
		}()
		return program(in)
	})
	return c, err
}

// call runs the program. What its code panics with is the error.
func (c *compiled) call(inputs []*tensors.Tensor) (out []*tensors.Tensor, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = asError(p)
		}
		if c.failed != nil {
			err = c.failed
		}
	}()
	args := make([]any, len(inputs))
	for i, input := range inputs {
		args[i] = input
	}
	return c.exec.Call(args...)
}

func (c *compiled) finalize() { c.exec.Finalize() }

// asError returns what was panicked with as an error.
func asError(p any) error {
	if err, ok := p.(error); ok {
		return err
	}
	return fmt.Errorf("%v", p)
}

func norm(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	return math.Sqrt(sum)
}

func allFinite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
