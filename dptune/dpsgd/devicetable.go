package dpsgd

import (
	"fmt"

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

// deviceBatch returns entries [R, B] of a table of n rows, and the mask.
func deviceBatch[T real](entries [][]int32, n int) []*tensors.Tensor {
	batch := len(entries[0])
	flat := make([]int32, 0, len(entries)*batch)
	mask := filled(func(out []T) {
		for _, list := range entries {
			for _, example := range list {
				if example == sampling.Padding {
					example = int32(n)
				} else {
					out[len(flat)] = 1
				}
				flat = append(flat, example)
			}
		}
	}, len(entries), batch)
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(flat, len(entries), batch), mask}
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
