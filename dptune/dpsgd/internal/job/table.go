package job

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/sampling"
)

// table is a data set in the precision of the run.
type table[T arrays.Real] struct {
	rows   []T // [N, F]
	norms  []T // [N], squared
	labels []int32
	width  int
	device *deviceTable // where batches are gathered; nil for the host
}

func newTable[T arrays.Real](features []float32, labels []int32, width int) table[T] {
	t := table[T]{labels: labels, width: width, norms: make([]T, len(labels))}
	if same, ok := any(features).([]T); ok {
		t.rows = same
	} else {
		t.rows = make([]T, len(features))
		for i, v := range features {
			t.rows[i] = T(v)
		}
	}
	for i := range labels {
		sum := 0.0
		for _, v := range features[i*width : (i+1)*width] {
			sum += float64(v) * float64(v)
		}
		t.norms[i] = T(sum)
	}
	return t
}

// microbatch gathers entries [R, B] of the table: rows, squared norms, labels, mask.
// Padding is zeros.
func (t table[T]) microbatch(entries [][]int32) []*tensors.Tensor {
	replicas, batch := len(entries), len(entries[0])
	visit := func(f func(at int, example int32)) {
		for r, list := range entries {
			for b, example := range list {
				if example != sampling.Padding {
					f(r*batch+b, example)
				}
			}
		}
	}
	rows := arrays.Filled(func(out []T) {
		visit(func(at int, i int32) {
			copy(out[at*t.width:(at+1)*t.width], t.rows[int(i)*t.width:])
		})
	}, replicas, batch, t.width)
	norms := arrays.Filled(func(out []T) { visit(func(at int, i int32) { out[at] = t.norms[i] }) }, replicas, batch)
	mask := arrays.Filled(func(out []T) { visit(func(at int, i int32) { out[at] = 1 }) }, replicas, batch)
	labels := make([]int32, replicas*batch)
	visit(func(at int, i int32) { labels[at] = t.labels[i] })
	return []*tensors.Tensor{rows, norms, tensors.FromFlatDataAndDimensions(labels, replicas, batch), mask}
}

// microbatches is one batch for each replica, or one for all, to be cut into microbatches.
type microbatches[T arrays.Real] struct {
	table      table[T]
	batches    [][]int32
	microbatch int
	crafted    int32  // an entry of a shared batch that
	joins      []bool // [R] some replicas have and others do not; nil for none
	err        error  // why a batch was not drawn
}

// count returns the number of microbatches, which the largest batch decides.
func (m microbatches[T]) count() int {
	count := 1
	for _, batch := range m.batches {
		count = max(count, sampling.Count(len(batch), m.microbatch))
	}
	return count
}

// gather returns microbatch number i. If the data lie on the device, it returns the entries and
// the mask.
func (m microbatches[T]) gather(i int) []*tensors.Tensor {
	if m.table.device != nil {
		return deviceBatches([]microbatches[T]{m}, i)
	}
	entries := make([][]int32, len(m.batches))
	for r, batch := range m.batches {
		entries[r] = make([]int32, m.microbatch)
		sampling.Cut(batch, i, entries[r])
	}
	inputs := m.table.microbatch(entries)
	if m.joins != nil {
		mask := &inputs[len(inputs)-1]
		arrays.Finalize(*mask)
		*mask = arrays.Filled(func(out []T) { m.ownMask(entries[0], out) }, len(m.joins), m.microbatch)
	}
	return inputs
}

// ownMask writes the mask [R, B] of entries that replicas share, but for a crafted one.
func (m microbatches[T]) ownMask(entries []int32, out []T) {
	for r, joins := range m.joins {
		for b, example := range entries {
			if example != sampling.Padding && (example != m.crafted || joins) {
				out[r*len(entries)+b] = 1
			}
		}
	}
}

// send sends the microbatches from number first on, each gathered by gather while the one before it
// runs, and closes the channel, early if the context ends.
func (m microbatches[T]) send(ctx context.Context, first int, to chan<- []*tensors.Tensor, gather func(microbatches[T], int) []*tensors.Tensor) {
	defer close(to)
	for i := first; i < m.count(); i++ {
		inputs := gather(m, i)
		select {
		case to <- inputs:
		case <-ctx.Done():
			arrays.Finalize(inputs...)
			return
		}
	}
}
