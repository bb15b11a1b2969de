package job

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
)

// table is a data set in the precision of the run.
type table[T arrays.Real] struct {
	rows   []T // [N, F]
	norms  []T // [N], squared
	labels []int32
	width  int
	device *deviceTable // gathers batches; nil if the host does

	targets     []T // [N, K]; nil if the loss reads none
	targetWidth int // K
}

// newTable returns the table of a data set, with its targets if they are wanted.
func newTable[T arrays.Real](d data.Dataset, targets bool) table[T] {
	t := table[T]{rows: converted[T](d.Features), labels: d.Labels, width: d.Width(), norms: make([]T, d.Len())}
	if targets {
		t.targets, t.targetWidth = converted[T](d.Targets), d.TargetWidth()
	}
	for i := range d.Labels {
		sum := 0.0
		for _, v := range d.Row(i) {
			sum += float64(v) * float64(v)
		}
		t.norms[i] = T(sum)
	}
	return t
}

// converted returns numbers in the precision of the run, themselves if it is theirs.
func converted[T arrays.Real](values []float32) []T {
	if same, ok := any(values).([]T); ok {
		return same
	}
	list := make([]T, len(values))
	for i, v := range values {
		list[i] = T(v)
	}
	return list
}

// microbatch gathers entries [R, B] of the table: rows, squared norms, labels, targets if there are
// any, mask. Padding is zeros.
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
	gathered := func(from []T, width int) *tensors.Tensor {
		return arrays.Filled(func(out []T) {
			visit(func(at int, i int32) { copy(out[at*width:(at+1)*width], from[int(i)*width:]) })
		}, replicas, batch, width)
	}
	norms := arrays.Filled(func(out []T) { visit(func(at int, i int32) { out[at] = t.norms[i] }) }, replicas, batch)
	mask := arrays.Filled(func(out []T) { visit(func(at int, i int32) { out[at] = 1 }) }, replicas, batch)
	labels := make([]int32, replicas*batch)
	visit(func(at int, i int32) { labels[at] = t.labels[i] })
	inputs := []*tensors.Tensor{gathered(t.rows, t.width), norms, tensors.FromFlatDataAndDimensions(labels, replicas, batch)}
	if t.targets != nil {
		inputs = append(inputs, gathered(t.targets, t.targetWidth))
	}
	return append(inputs, mask)
}
