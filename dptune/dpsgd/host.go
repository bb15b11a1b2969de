package dpsgd

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// real is the type of a precision's numbers.
type real interface{ float32 | float64 }

// filled returns a tensor whose values fill writes, row-major. They start as zeros.
func filled[T real](fill func(values []T), dims ...int) *tensors.Tensor {
	t := tensors.FromShape(shapes.Make(dtypes.FromGenericsType[T](), dims...))
	if fill != nil {
		tensors.MustMutableFlatData(t, fill)
	}
	return t
}

// converted returns a tensor of float64 values in a precision. It panics if the length
// does not fit.
func converted[T real](values []float64, dims ...int) *tensors.Tensor {
	return filled(func(out []T) {
		for i := range out {
			out[i] = T(values[i])
		}
	}, dims...)
}

// stacked returns rows of equal length as a tensor [len(rows), width].
func stacked[T real](rows [][]float64, width int) *tensors.Tensor {
	return filled(func(out []T) {
		for r, row := range rows {
			for i, v := range row[:width] {
				out[r*width+i] = T(v)
			}
		}
	}, len(rows), width)
}

// readRows copies the first rows of a tensor [..., n] to rows of n values of float64.
func readRows[T real](t *tensors.Tensor, rows [][]float64) error {
	return tensors.ConstFlatData(t, func(values []T) {
		at := 0
		for _, row := range rows {
			for i := range row {
				row[i] = float64(values[at+i])
			}
			at += len(row)
		}
	})
}

// finalize frees tensors at once, not at some later collection.
func finalize(list ...*tensors.Tensor) {
	for _, t := range list {
		if t != nil {
			_ = t.FinalizeAll() // a tensor that is already gone is no fault
		}
	}
}

// copied returns the values of a tensor.
func copied[T real](t *tensors.Tensor) (values []T, err error) {
	err = tensors.ConstFlatData(t, func(flat []T) { values = append(values, flat...) })
	return values, err
}

// pool keeps tensors that a step is done with, for the next one. Blocks that come and go
// between those of a program would leave holes in the device's heap, which then grows.
type pool chan *tensors.Tensor

// newPool returns an empty pool: one step runs, while the next one is drawn.
func newPool() pool { return make(pool, 2) }

// take returns a tensor of some dimensions, or nil if there is none.
func (p pool) take(dims ...int) *tensors.Tensor {
	select {
	case t := <-p:
		if slices.Equal(t.Shape().Dimensions, dims) {
			return t
		}
		finalize(t)
	default:
	}
	return nil
}

// put keeps a tensor, or frees it where there are enough. No program may run on it any more.
func (p pool) put(t *tensors.Tensor) {
	if t == nil {
		return
	}
	select {
	case p <- t:
	default:
		finalize(t)
	}
}

// finalize frees what is kept.
func (p pool) finalize() {
	for len(p) > 0 {
		finalize(<-p)
	}
}
