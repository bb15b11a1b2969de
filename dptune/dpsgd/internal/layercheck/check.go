// Package layercheck runs the user's own code on small random batches: layers and losses, clippings
// and optimizers. It returns the first breach of the rules that clipping and replicas rest on. The
// most important rule is that rows do not mix.
//
// A check is evidence, not a proof. The engine passes it the functions that run the code.
package layercheck

import (
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
)

// All checks layers and losses with a number of replicas, in float64 if double is set, otherwise in
// float32. The replicas share their inputs if shared is set.
func All(backend compute.Backend, double bool, list []Subject, replicas int, shared bool) error {
	for _, f := range list {
		checkIt := checkOne[float32]
		if double {
			checkIt = checkOne[float64]
		}
		subjects := []Subject{f}
		if trains, draws := f.drawn(); draws {
			subjects = append(subjects, trains)
		}
		for _, f := range subjects {
			if err := checkIt(backend, f, replicas, shared && f.Shared); err != nil {
				return fmt.Errorf("%s%v: tried on a random batch: %w", f.Where, f.Layer, err)
			}
		}
	}
	return nil
}

func checkOne[T arrays.Real](backend compute.Backend, f Subject, replicas int, shared bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = asError(p)
		}
	}()
	t, err := newTester[T](backend, f, replicas)
	if err != nil {
		return err
	}
	defer t.compiled.finalize()
	return t.check(shared)
}

// compiled is a program. It is compiled at its first call with inputs of some shapes.
type compiled struct {
	exec   *graph.Exec
	failed error // the value of a panic in its code
}

func compile(backend compute.Backend, program func(in []*graph.Node) []*graph.Node) (c *compiled, err error) {
	c = new(compiled)
	c.exec, err = graph.NewExec(backend, func(in []*graph.Node) []*graph.Node {
		defer func() {
			if p := recover(); p != nil { // GoMLX v0.28.4 adds its own names, and keeps a lock if the value is not an error
				c.failed = asError(p)
				panic(c.failed)
			}
		}()
		return program(in)
	})
	return c, err
}

// call runs the program. A panic in its code becomes the error.
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

// asError returns the value of a panic as an error.
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
