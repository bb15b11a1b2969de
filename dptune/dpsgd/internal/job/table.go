package job

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
)

// table is a data set in the precision of the run.
type table[T arrays.Real] struct {
	rows   []T // [N, F]
	norms  []T // [N], squared
	labels []int32
	width  int
	device *deviceTable // gathers batches; nil if the host does
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
				if example != padding {
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
