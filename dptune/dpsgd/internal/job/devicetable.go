package job

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// deviceTable is a data set on the device. A last row of zeros is used for padding. Batches are
// gathered there: a microbatch is entries and a mask. The go backend copies rows on the host, which
// was measured to be faster.
type deviceTable struct {
	rows   *tensors.Tensor // [N+1, F]
	norms  *tensors.Tensor // [N+1]
	labels *tensors.Tensor // [N+1]

	targets *tensors.Tensor // [N+1, K]; nil if the loss reads none
}

// toDevice copies a table to the device.
func (t *table[T]) toDevice(backend compute.Backend) (err error) {
	defer arrays.RecoverAs(&err, "copying the data to the device")
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
	if t.targets != nil {
		if d.targets, err = shared(backend, t.targets, n+1, t.targetWidth); err != nil {
			return err
		}
	}
	for _, column := range d.columns() {
		// Before any call: two concurrent calls that move a tensor can lose it (GoMLX v0.28.4).
		if err := column.MaterializeOnDevice(backend, true, 0); err != nil {
			return fmt.Errorf("engine: copying the data to the device: %w", err)
		}
	}
	return nil
}

// shared returns values, padded with zeros, in memory of the device.
func shared[V arrays.Real | int32 | uint32](backend compute.Backend, values []V, dims ...int) (*tensors.Tensor, error) {
	t, err := tensors.FromShapeForBackend(backend, 0, shapes.Make(dtypes.FromGenericsType[V](), dims...))
	if err != nil {
		return nil, fmt.Errorf("engine: no memory on the device for %v values: %w", dims, err)
	}
	return t, tensors.MutableFlatData(t, func(out []V) { copy(out, values) })
}

// columns returns the arrays of the table that exist.
func (d *deviceTable) columns() []*tensors.Tensor {
	list := []*tensors.Tensor{d.rows, d.norms, d.labels}
	if d.targets != nil {
		list = append(list, d.targets)
	}
	return list
}

func (d *deviceTable) finalize() {
	if d != nil {
		arrays.Finalize(d.columns()...)
	}
}

// inputs are the inputs of a program in addition to a microbatch.
func (d *deviceTable) inputs() []any {
	if d == nil {
		return nil
	}
	var list []any
	for _, column := range d.columns() {
		list = append(list, column)
	}
	return list
}

// deviceBatches returns microbatch number i of some steps: entries [lead..., R, B] and masks.
// Without a lead there is one step. There may be fewer steps than lead.
func deviceBatches[T arrays.Real](steps []microbatches[T], i int, lead ...int) []*tensors.Tensor {
	batch, rows := steps[0].microbatch, len(steps[0].batches)
	dims := append(slices.Clone(lead), rows, batch)
	entries := make([]int32, kernel.SizeOf(dims))
	mask := arrays.Filled(func(out []T) {
		for k, step := range steps {
			step.onDevice(i, entries[k*rows*batch:(k+1)*rows*batch], out[k*rows*batch:])
		}
	}, dims...)
	inputs := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(entries, dims...), mask}
	if replicas := len(steps[0].joins); replicas > 0 {
		inputs = append(inputs, arrays.Filled(func(out []T) {
			for k, step := range steps {
				writeJoins(step.joins, out[k*replicas:])
			}
		}, append(slices.Clone(lead), replicas)...))
	}
	if width := steps[0].coins.width; width > 0 {
		inputs = append(inputs, arrays.Filled(func(out []T) {
			each := rows * batch * width
			for k, step := range steps {
				step.deviceCoins(i, out[k*each:(k+1)*each])
			}
		}, append(slices.Clone(dims), width)...))
	}
	return inputs
}

// deviceCoins writes the coins of microbatch number i, [R, B, n].
func (m microbatches[T]) deviceCoins(i int, out []T) {
	entries, each := make([]int32, m.microbatch), m.microbatch*m.coins.width
	for r, batch := range m.batches {
		cutMicrobatch(batch, i, entries)
		writeCoins(m.coins, r, entries, out[r*each:(r+1)*each])
	}
}

// writeJoins writes 1 where a replica joins.
func writeJoins[T arrays.Real](joins []bool, out []T) {
	for r, in := range joins {
		if in {
			out[r] = 1
		}
	}
}

// onDevice writes microbatch number i: entries [R, B] and the mask. Padding is the row after the
// last one of the data.
func (m microbatches[T]) onDevice(i int, entries []int32, mask []T) {
	for r, batch := range m.batches {
		cutMicrobatch(batch, i, entries[r*m.microbatch:(r+1)*m.microbatch])
	}
	for at, example := range entries {
		if example == padding {
			entries[at] = int32(len(m.table.labels))
		} else {
			mask[at] = 1
		}
	}
}
