package dpsgd

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/gomlx/gomlx/core/tensors"
)

// ClippedSums returns Σ min(1, C/‖g_i‖) g_i over the examples of given batches, without
// noise, for each replica: what a step adds noise to. It is for tests and audits; what it
// returns is not private.
//
// weights and batches have one entry for each replica of the plan. sums is [R][P], and
// excluded counts the examples whose gradient was not finite.
func (t *Trainer) ClippedSums(ctx context.Context, weights Parameters, batches [][]int32) (sums [][]float64, excluded []int, err error) {
	replicas := len(t.plan.Replicas)
	if len(batches) != replicas || len(weights.Values) != replicas {
		return nil, nil, fmt.Errorf("dpsgd: %d batches and %d sets of weights: must be %d of each, one for each replica",
			len(batches), len(weights.Values), replicas)
	}
	if err := weights.validateFor(t.model); err != nil {
		return nil, nil, err
	}
	for r, batch := range batches {
		for _, i := range batch {
			if i < 0 || int(i) >= t.train.Len() {
				return nil, nil, fmt.Errorf("dpsgd: batches[%d] holds example %d: must be in [0, %d)", r, i, t.train.Len())
			}
		}
	}
	if t.perf.Precision == Float64 {
		return clippedSums[float64](ctx, t, weights, batches)
	}
	return clippedSums[float32](ctx, t, weights, batches)
}

func clippedSums[T arrays.Real](ctx context.Context, t *Trainer, weights Parameters, batches [][]int32) ([][]float64, []int, error) {
	table, err := newTrainTable[T](t)
	defer table.device.finalize()
	if err != nil {
		return nil, nil, err
	}
	sums, excluded := make([][]float64, len(batches)), make([]int, len(batches))
	for _, first := range t.chunks() {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("dpsgd: stopped at replica %d: %w", first, err)
		}
		last := min(first+t.perf.Chunk, len(batches))
		c := chunk[T]{Trainer: t, feeder: feeder[T]{table: table}}
		s := c.given(first, weights.Values[first:last])
		micro := make(chan []*tensors.Tensor)
		go cut[T]{table: table, batches: batches[first:last], microbatch: t.perf.Microbatch}.send(ctx, 0, micro, cut[T].part)
		sum, counts, err := c.sum(&s, micro)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			for r := first; r < last; r++ {
				sums[r] = make([]float64, t.size)
			}
			err = arrays.ReadRows[float64](sum, sums[first:last])
		}
		if err == nil {
			err = readCounts(counts, excluded[first:last])
		}
		step{micro: micro}.finalize()
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
