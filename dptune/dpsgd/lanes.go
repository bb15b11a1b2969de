package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// part is the sum of one microbatch, and how many of its examples were excluded.
type part struct {
	sum, excluded *tensors.Tensor
	err           error
}

// sumInLanes is sum with several microbatches at the same time. Their sums are added in
// order, so that the result has the same bits.
func (c chunk[T]) sumInLanes(s *state, micro <-chan []*tensors.Tensor, lanes int) (sum, excluded *tensors.Tensor, err error) {
	for _, shared := range []*tensors.Tensor{s.weights, s.zeros, s.clip} {
		// Once and beforehand: tensors (GoMLX v0.28.3) get lost when two calls at a time move them.
		if err := shared.MaterializeOnDevice(c.backend, true, 0); err != nil {
			return nil, nil, fmt.Errorf("dpsgd: summing the gradients: %w", err)
		}
	}
	queue := make(chan chan part, lanes-1) // of microbatches that run or wait to be added
	go func() {
		defer close(queue)
		for inputs := range micro {
			done := make(chan part, 1)
			queue <- done
			go func() { done <- c.one(s, inputs) }()
		}
	}()
	total := part{sum: s.zeros, excluded: s.excluded}
	for done := range queue {
		next := <-done
		switch {
		case total.err != nil: // only waiting for those that run
			arrays.Finalize(next.sum, next.excluded)
		case next.err != nil:
			total = c.drop(s, total, next.err)
		default:
			total = c.add(s, total, next)
		}
	}
	return total.sum, total.excluded, total.err
}

// drop frees a sum that is of no use after an error.
func (c chunk[T]) drop(s *state, p part, err error) part {
	if p.sum != s.zeros {
		arrays.Finalize(p.sum)
	}
	if p.excluded != s.excluded {
		arrays.Finalize(p.excluded)
	}
	return part{err: err}
}

// one sums one microbatch, and frees it.
func (c chunk[T]) one(s *state, inputs []*tensors.Tensor) part {
	none := arrays.Filled[float64](nil, s.weights.Shape().Dim(0))
	args := []any{s.weights, s.zeros, c.donate(none), s.clip}
	out, err := call(c.accumulate, "summing the gradients", c.withBatch(args, inputs)...)
	arrays.Finalize(inputs...)
	if err != nil {
		return part{err: err}
	}
	return part{sum: out[0], excluded: out[1]}
}

// add adds a microbatch's part to a sum, and frees both; the state stays as it is.
func (c chunk[T]) add(s *state, sum, next part) part {
	a, err := c.plus(sum.sum, next.sum, sum.sum == s.zeros)
	if err != nil {
		arrays.Finalize(next.excluded)
		return c.drop(s, part{sum: s.zeros, excluded: sum.excluded}, err)
	}
	b, err := c.plus(sum.excluded, next.excluded, sum.excluded == s.excluded)
	if err != nil {
		arrays.Finalize(a)
		return part{err: err}
	}
	return part{sum: a, excluded: b}
}

// plus adds two tensors and frees them, the first unless it is to be kept.
func (c chunk[T]) plus(a, b *tensors.Tensor, keep bool) (*tensors.Tensor, error) {
	first := any(a)
	if !keep {
		first = c.donate(a)
	}
	out, err := call(c.plusProgram, "adding the gradients", first, c.donate(b))
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func plusProgram(in []*graph.Node) []*graph.Node { return []*graph.Node{graph.Add(in[0], in[1])} }
