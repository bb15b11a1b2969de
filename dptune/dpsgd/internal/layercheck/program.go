package layercheck

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// batchRows is the number of examples of each replica in a check of a layer.
const batchRows = 6

// Subject is a layer to be checked, and how it runs.
type Subject struct {
	nn.Foreign
	Materialized bool // by per-sample gradients
	Cancelling   int  // examples with terms that cancel; at least 32, fewer than the calls of the other checks
}

// tester is a program of one layer that is not package nn's own, with all that the engine uses, for
// one small microbatch.
type tester[T arrays.Real] struct {
	Subject
	replicas int
	each     bool // per-sample gradients as well
	weights  []nn.Weight
	output   []int
	compiled *compiled
}

// newTester returns the tester of a layer. Per-sample gradients are compared if there are few
// enough.
func newTester[T arrays.Real](backend compute.Backend, f Subject, replicas int) (t *tester[T], err error) {
	const most = 1 << 18 // values
	t = &tester[T]{Subject: f, replicas: replicas, weights: f.Layer.Weights(f.Input)}
	t.each = replicas*batchRows*t.size() <= most
	if t.output, err = f.Layer.OutputShape(f.Input); err != nil {
		return nil, err
	}
	t.compiled, err = compile(backend, t.program)
	return t, err
}

// size returns the number of the layer's parameters.
func (t *tester[T]) size() int {
	size := 0
	for _, w := range t.weights {
		size += kernel.SizeOf(w.Shape)
	}
	return size
}

func (t *tester[T]) trained() bool { return t.Backward && len(t.weights) > 0 }

// program returns the outputs, and gradients at the inputs if they are wanted. If the layer is
// trained, it also returns squared norms, weighted sums and per-sample gradients. It panics if any
// has a wrong shape.
func (t *tester[T]) program(in []*graph.Node) []*graph.Node {
	x, g, factors, weights := in[0], in[1], in[2], in[3:]
	out, backward := t.Layer.Forward(slices.Clone(weights), nn.Activations{Values: x})
	replicas := x.Shape().Dim(0)
	if len(weights) > 0 {
		replicas = t.replicas
	}
	t.want("the output", out.Values, x, append([]int{replicas, batchRows}, t.output...))
	results := []*graph.Node{graph.MulScalar(out.Values, 1)} // not a parameter, which a layer may hand on
	if !t.Backward {
		return results
	}
	if backward == nil {
		panic(errors.New("its backward pass is nil"))
	}
	atInput, gradients := backward(g, t.WantInput)
	if t.WantInput {
		t.want("the gradient at the inputs", atInput, x, append([]int{t.replicas, batchRows}, t.Input...))
		results = append(results, graph.MulScalar(atInput, 1))
	}
	if !t.trained() {
		return results
	}
	if gradients == nil {
		panic(errors.New("its backward pass returns no gradients at its weights"))
	}
	if t.Materialized {
		gradients = nn.PerSample(t.perWeight("Each", gradients.Each(), x, t.replicas, batchRows)...)
	}
	norms := gradients.SquaredNorms()
	t.want("SquaredNorms", norms, x, []int{t.replicas, batchRows})
	results = append(results, norms)
	results = append(results, t.perWeight("WeightedSum", gradients.WeightedSum(factors), x, t.replicas)...)
	if t.each {
		results = append(results, t.perWeight("Each", gradients.Each(), x, t.replicas, batchRows)...)
	}
	return results
}

// perWeight panics unless there is one array for each weight, of its shape.
func (t *tester[T]) perWeight(what string, list []*graph.Node, x *graph.Node, lead ...int) []*graph.Node {
	if len(list) != len(t.weights) {
		panic(fmt.Errorf("%s returns %d arrays: must be %d, one for each weight", what, len(list), len(t.weights)))
	}
	for i, w := range t.weights {
		t.want(fmt.Sprintf("%s of weight %q", what, w.Name), list[i], x, append(slices.Clone(lead), w.Shape...))
	}
	return list
}

func (t *tester[T]) want(what string, node, like *graph.Node, shape []int) {
	kernel.WantShape(what, node, shape)
	if node.DType() != like.DType() {
		panic(fmt.Errorf("%s is of type %v: must be that of the inputs, %v", what, node.DType(), like.DType()))
	}
}

// observed has the results of one call, by rows: replica after replica.
type observed struct {
	y, atInput [][]float64 // [R·B]; y is [B] if a layer without weights has shared inputs
	norms      []float64   // [R·B]
	sums       [][]float64 // [R], over all of the layer's arrays
	each       [][]float64 // [R·B]
}

// run calls the program.
func (t *tester[T]) run(b batch) (observed, error) {
	own := []*tensors.Tensor{
		arrays.Converted[T](slices.Concat(b.x...), append([]int{len(b.x) / batchRows, batchRows}, t.Input...)...),
		arrays.Converted[T](slices.Concat(b.g...), append([]int{t.replicas, batchRows}, t.output...)...),
		arrays.Converted[T](b.factors, t.replicas, batchRows),
	}
	defer arrays.Finalize(own...)
	out, err := t.compiled.call(slices.Concat(own, b.weights))
	defer arrays.Finalize(out...)
	switch {
	case t.compiled.failed != nil:
		return observed{}, err
	case err != nil:
		return observed{}, fmt.Errorf("%w (a layer that takes only some kind of examples must be an InputLayer)", err)
	}
	return t.read(out)
}

// read splits the outputs of the program into results.
func (t *tester[T]) read(out []*tensors.Tensor) (got observed, err error) {
	next := func(count, rows int) [][]float64 {
		list := make([][]float64, rows)
		for _, tensor := range out[:count] {
			flat, failed := arrays.Copied[T](tensor)
			err = errors.Join(err, failed)
			for i := range list {
				part := flat[i*len(flat)/rows : (i+1)*len(flat)/rows]
				list[i] = slices.Grow(list[i], len(part))
				for _, v := range part {
					list[i] = append(list[i], float64(v))
				}
			}
		}
		out = out[count:]
		return list
	}
	all := t.replicas * batchRows
	got.y = next(1, out[0].Shape().Dim(0)*batchRows)
	if t.WantInput {
		got.atInput = next(1, all)
	}
	if t.trained() {
		got.norms = next(1, 1)[0]
		got.sums = next(len(t.weights), t.replicas)
		if t.each {
			got.each = next(len(t.weights), all)
		}
	}
	return got, err
}
