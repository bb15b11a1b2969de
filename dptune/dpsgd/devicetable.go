package dpsgd

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/sampling"
)

// deviceTable is a data set on the device, with a last row of zeros, which padding takes.
// Batches are gathered there: a microbatch is entries and a mask. On the go backend, copies
// of rows on the host measured faster.
type deviceTable struct {
	rows   *tensors.Tensor // [N+1, F]
	norms  *tensors.Tensor // [N+1]
	labels *tensors.Tensor // [N+1]
}

// toDevice copies a table to the device.
func (t *table[T]) toDevice(backend compute.Backend) (err error) {
	defer recoverAs(&err, "copying the data to the device")
	n, d := len(t.labels), &deviceTable{}
	t.device = d
	if d.rows, err = shared(backend, t.rows, n+1, t.width); err != nil {
		return err
	}
	if d.norms, err = shared(backend, t.norms, n+1); err != nil {
		return err
	}
	if d.labels, err = shared(backend, t.labels, n+1); err != nil {
		return err
	}
	for _, part := range []*tensors.Tensor{d.rows, d.norms, d.labels} {
		// Beforehand: tensors (GoMLX v0.28.3) get lost when two calls at a time move them.
		if err := part.MaterializeOnDevice(backend, true, 0); err != nil {
			return fmt.Errorf("dpsgd: copying the data to the device: %w", err)
		}
	}
	return nil
}

// shared returns values, and zeros up to the size, in memory of the device.
func shared[V real | int32 | uint32](backend compute.Backend, values []V, dims ...int) (*tensors.Tensor, error) {
	t, err := tensors.FromShapeForBackend(backend, 0, shapes.Make(dtypes.FromGenericsType[V](), dims...))
	if err != nil {
		return nil, fmt.Errorf("dpsgd: no memory on the device for %v values: %w", dims, err)
	}
	return t, tensors.MutableFlatData(t, func(out []V) { copy(out, values) })
}

func (d *deviceTable) finalize() {
	if d != nil {
		finalize(d.rows, d.norms, d.labels)
	}
}

// inputs are what a program takes beside a microbatch.
func (d *deviceTable) inputs() []any {
	if d == nil {
		return nil
	}
	return []any{d.rows, d.norms, d.labels}
}

// deviceBatches returns microbatch number i of some steps: entries [lead..., R, B] and masks.
// Without a lead it is one step. There may be fewer steps than the lead has places for.
func deviceBatches[T real](steps []cut[T], i int, lead ...int) []*tensors.Tensor {
	batch, rows, masks := steps[0].microbatch, len(steps[0].batches), steps[0].masks()
	entries := make([]int32, sizeOf(lead)*rows*batch)
	mask := filled(func(out []T) {
		for k, step := range steps {
			step.onDevice(i, entries[k*rows*batch:(k+1)*rows*batch], out[k*masks*batch:])
		}
	}, append(slices.Clone(lead), masks, batch)...)
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(entries, append(slices.Clone(lead), rows, batch)...), mask}
}

// masks returns the number of rows of the mask.
func (c cut[T]) masks() int { return max(len(c.batches), len(c.joins)) }

// onDevice writes microbatch number i: entries [R, B], where padding is the row after the last
// one of the table, and the mask.
func (c cut[T]) onDevice(i int, entries []int32, mask []T) {
	for r, batch := range c.batches {
		sampling.Cut(batch, i, entries[r*c.microbatch:(r+1)*c.microbatch])
	}
	if c.joins != nil {
		c.ownMask(entries, mask)
	}
	for at, example := range entries {
		switch {
		case example == sampling.Padding:
			entries[at] = int32(len(c.table.labels))
		case c.joins == nil:
			mask[at] = 1
		}
	}
}

// microbatch is one in a graph. Its sides R are 1 where all replicas share it.
type microbatch struct {
	rows   *graph.Node // [R, B, F]
	norms  *graph.Node // [R, B], squared norms of the rows
	labels *graph.Node // [R, B], int32
	mask   *graph.Node // [R, B], 1 for an example, 0 for padding
}

// batchInputs returns how many inputs a microbatch is.
func (s graphs) batchInputs() int {
	if s.onDevice {
		return 5
	}
	return 4
}

// microbatch returns the one in a program's inputs: rows, norms, labels, mask; or entries,
// mask and the table.
func (s graphs) microbatch(in []*graph.Node) microbatch {
	if !s.onDevice {
		return microbatch{in[0], in[1], in[2], in[3]}
	}
	entries := graph.InsertAxes(in[0], -1)
	return microbatch{
		rows:   graph.Gather(in[2], entries),
		norms:  graph.Gather(in[3], entries),
		labels: graph.Gather(in[4], entries),
		mask:   in[1],
	}
}
