package dpsgd

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
)

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
