// Package arrays moves numbers between Go slices and tensors of GoMLX.
package arrays

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Real is the number type of a precision.
type Real interface{ float32 | float64 }

// Filled returns a tensor whose values fill writes, row-major. They start as zeros.
func Filled[T Real](fill func(values []T), dims ...int) *tensors.Tensor {
	t := tensors.FromShape(shapes.Make(dtypes.FromGenericsType[T](), dims...))
	if fill != nil {
		tensors.MustMutableFlatData(t, fill)
	}
	return t
}

// Converted returns a tensor of float64 values in a precision. It panics if the length
// does not fit.
func Converted[T Real](values []float64, dims ...int) *tensors.Tensor {
	return Filled(func(out []T) {
		for i := range out {
			out[i] = T(values[i])
		}
	}, dims...)
}

// Zeros returns so many rows of zeros.
func Zeros(rows, width int) [][]float64 {
	list := make([][]float64, rows)
	for i := range list {
		list[i] = make([]float64, width)
	}
	return list
}

// Stacked returns rows of equal length as a tensor [len(rows), width].
func Stacked[T Real](rows [][]float64, width int) *tensors.Tensor {
	return Filled(func(out []T) {
		for r, row := range rows {
			for i, v := range row[:width] {
				out[r*width+i] = T(v)
			}
		}
	}, len(rows), width)
}

// ReadRows copies the first rows of a tensor [..., n] to rows of n values of float64.
func ReadRows[T Real](t *tensors.Tensor, rows [][]float64) error {
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

// Finalize frees tensors at once, not at some later collection.
func Finalize(list ...*tensors.Tensor) {
	for _, t := range list {
		if t != nil {
			_ = t.FinalizeAll() // freeing a tensor twice is not an error
		}
	}
}

// Copied returns the values of a tensor.
func Copied[T Real](t *tensors.Tensor) (values []T, err error) {
	err = tensors.ConstFlatData(t, func(flat []T) { values = append(values, flat...) })
	return values, err
}

// Pool keeps tensors of a finished step for a later one. Allocating and freeing them between the
// blocks of a program would fragment the device's heap, and make it grow.
type Pool chan *tensors.Tensor

// NewPool returns an empty pool with two places: one step runs while the next one is drawn.
func NewPool() Pool { return make(Pool, 2) }

// Take returns a tensor of some dimensions, or nil if there is none.
func (p Pool) Take(dims ...int) *tensors.Tensor {
	select {
	case t := <-p:
		if slices.Equal(t.Shape().Dimensions, dims) {
			return t
		}
		Finalize(t)
	default:
	}
	return nil
}

// Put keeps a tensor, or frees it if the pool is full. No running program may use it.
func (p Pool) Put(t *tensors.Tensor) {
	if t == nil {
		return
	}
	select {
	case p <- t:
	default:
		Finalize(t)
	}
}

// Finalize frees all tensors in the pool.
func (p Pool) Finalize() {
	for len(p) > 0 {
		Finalize(<-p)
	}
}

// Call runs a program. Errors and panics in it become an error that names what.
func Call(exec *graph.Exec, what string, args ...any) (out []*tensors.Tensor, err error) {
	defer RecoverAs(&err, what)
	if out, err = exec.Call(args...); err != nil {
		return nil, fmt.Errorf("engine: %s: %w", what, err)
	}
	return out, nil
}

// RecoverAs turns a panic of the graph library into an error that names what. Defer it.
func RecoverAs(err *error, what string) {
	if p := recover(); p != nil {
		if cause, ok := p.(error); ok {
			*err = fmt.Errorf("engine: %s: %w", what, cause)
			return
		}
		*err = fmt.Errorf("engine: %s: %v", what, p)
	}
}
