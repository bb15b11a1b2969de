package job

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
)

// ClippedSums returns the sums of clipped gradients of each replica over a given batch, without
// noise, at given weights. It also returns how many gradients were not finite. It uses the fields
// of the job that a step without noise and canaries uses. Coins are those of a fixed root.
func ClippedSums[T arrays.Real](ctx context.Context, j *Job, weights [][]float64, batches [][]int32) ([][]float64, []int, error) {
	table, err := newTrainTable[T](j)
	defer table.device.finalize()
	if err != nil {
		return nil, nil, err
	}
	sums, excluded := make([][]float64, len(batches)), make([]int, len(batches))
	for _, first := range j.Groups() {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("engine: stopped at replica %d: %w", first, err)
		}
		last := min(first+j.GroupSize, len(batches))
		g := replicaGroup[T]{Job: j, feeder: feeder[T]{table: table}}
		s := g.given(first, weights[first:last])
		micro := make(chan []*tensors.Tensor)
		fixed := fixedCoins(j.Program.Coins, last-first)
		go microbatches[T]{table: table, batches: batches[first:last], microbatch: j.Microbatch, coins: fixed}.send(ctx, 0, micro, microbatches[T].gather)
		sum, counts, err := g.sum(&s, micro)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			copy(sums[first:], arrays.Zeros(last-first, j.Program.Size))
			err = arrays.ReadRows[float64](sum, sums[first:last])
		}
		if err == nil {
			err = readCounts(counts, excluded[first:last])
		}
		step[T]{micro: micro}.finalize()
		arrays.Finalize(sum, counts)
		s.finalize()
		if err != nil {
			return nil, nil, err
		}
	}
	return sums, excluded, nil
}

// readCounts copies a tensor [R] of whole numbers.
func readCounts(t *tensors.Tensor, counts []int) error {
	return tensors.ConstFlatData(t, func(values []float64) {
		for i := range counts {
			counts[i] = int(values[i])
		}
	})
}

// partialSum is the sum of one microbatch, and the number of its excluded examples.
type partialSum struct {
	sum, excluded *tensors.Tensor
	err           error
}

// sumInParallel is sum with several microbatches at the same time. Their sums are added in order,
// so the result has the same bits.
func (g replicaGroup[T]) sumInParallel(s *state[T], micro <-chan []*tensors.Tensor) (sum, excluded *tensors.Tensor, err error) {
	for _, shared := range []*tensors.Tensor{s.weights, s.zeros, s.clip} {
		// Once and before any call: two concurrent calls that move a tensor can lose it (GoMLX
		// v0.28.4).
		if err := shared.MaterializeOnDevice(g.Backend, true, 0); err != nil {
			return nil, nil, fmt.Errorf("engine: summing the gradients: %w", err)
		}
	}
	queue := make(chan chan partialSum, g.ParallelMicrobatches-1) // microbatches that run or wait to be added
	go func() {
		defer close(queue)
		for inputs := range micro {
			done := make(chan partialSum, 1)
			queue <- done
			go func() { done <- g.one(s, inputs) }()
		}
	}()
	total := partialSum{sum: s.zeros, excluded: s.excluded}
	for done := range queue {
		next := <-done
		switch {
		case total.err != nil: // only wait for those that run
			arrays.Finalize(next.sum, next.excluded)
		case next.err != nil:
			total = g.drop(s, total, next.err)
		default:
			total = g.add(s, total, next)
		}
	}
	return total.sum, total.excluded, total.err
}

// drop frees a sum that is not needed after an error.
func (g replicaGroup[T]) drop(s *state[T], p partialSum, err error) partialSum {
	if p.sum != s.zeros {
		arrays.Finalize(p.sum)
	}
	if p.excluded != s.excluded {
		arrays.Finalize(p.excluded)
	}
	return partialSum{err: err}
}

// one returns the sum of one microbatch, and frees the microbatch.
func (g replicaGroup[T]) one(s *state[T], inputs []*tensors.Tensor) partialSum {
	none := arrays.Filled[float64](nil, s.weights.Shape().Dim(0))
	args := []any{s.weights, s.zeros, g.donate(none), s.clip}
	out, err := g.Programs.call(g.Programs.addMicrobatch, "summing the gradients", g.withBatch(args, inputs)...)
	arrays.Finalize(inputs...)
	if err != nil {
		return partialSum{err: err}
	}
	return partialSum{sum: out[0], excluded: out[1]}
}

// add adds a microbatch's sum to another, and frees both. The state does not change.
func (g replicaGroup[T]) add(s *state[T], sum, next partialSum) partialSum {
	a, err := g.addSums(sum.sum, next.sum, sum.sum == s.zeros)
	if err != nil {
		arrays.Finalize(next.excluded)
		return g.drop(s, partialSum{sum: s.zeros, excluded: sum.excluded}, err)
	}
	b, err := g.addSums(sum.excluded, next.excluded, sum.excluded == s.excluded)
	if err != nil {
		arrays.Finalize(a)
		return partialSum{err: err}
	}
	return partialSum{sum: a, excluded: b}
}

// addSums adds two tensors and frees them, except the first if keep is set.
func (g replicaGroup[T]) addSums(a, b *tensors.Tensor, keep bool) (*tensors.Tensor, error) {
	first := any(a)
	if !keep {
		first = g.donate(a)
	}
	out, err := g.Programs.call(g.Programs.addSums, "adding the gradients", first, g.donate(b))
	if err != nil {
		return nil, err
	}
	return out[0], nil
}
