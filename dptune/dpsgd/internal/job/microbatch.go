package job

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
)

// A Poisson sample has a random size. It must stay hidden, and a compiled program has fixed sizes.
// So batches are cut into microbatches of one size. The last one is filled up with padding, and a
// mask marks the entries that are examples.

// padding is the index of an entry without an example.
const padding int32 = -1

// countMicrobatches returns how many microbatches a batch takes: at least one, since an empty batch
// takes a step too. It panics if size < 1.
func countMicrobatches(batch, size int) int {
	if size < 1 {
		panic("job: microbatch must be >= 1")
	}
	return max(1, (batch+size-1)/size)
}

// cutMicrobatch writes microbatch number i of a batch into entries, whose length is the
// microbatch's size, and fills the rest with padding. It returns the number of examples written.
func cutMicrobatch(batch []int32, i int, entries []int32) int {
	start := min(i*len(entries), len(batch))
	examples := copy(entries, batch[start:])
	for i := examples; i < len(entries); i++ {
		entries[i] = padding
	}
	return examples
}

// microbatches is one batch for each replica, or one for all, to be cut into microbatches.
type microbatches[T arrays.Real] struct {
	table      table[T]
	batches    [][]int32
	microbatch int
	crafted    int32  // an entry of a shared batch
	joins      []bool // [R] whether a replica has that entry; nil if there is none
	coins      coins  // of the layers that draw
	err        error  // the reason why a batch was not drawn
}

// count returns the number of microbatches of the largest batch.
func (m microbatches[T]) count() int {
	count := 1
	for _, batch := range m.batches {
		count = max(count, countMicrobatches(len(batch), m.microbatch))
	}
	return count
}

// gather returns microbatch number i. If the data are on the device, it returns the entries and the
// mask.
func (m microbatches[T]) gather(i int) []*tensors.Tensor {
	if m.table.device != nil {
		return deviceBatches([]microbatches[T]{m}, i)
	}
	entries := make([][]int32, len(m.batches))
	for r, batch := range m.batches {
		entries[r] = make([]int32, m.microbatch)
		cutMicrobatch(batch, i, entries[r])
	}
	inputs := m.table.microbatch(entries)
	if m.coins.width > 0 { // before the mask
		last := len(inputs) - 1
		inputs = append(inputs[:last:last], coinsOf[T](m.coins, entries), inputs[last])
	}
	if m.joins != nil {
		mask := &inputs[len(inputs)-1]
		arrays.Finalize(*mask)
		*mask = arrays.Filled(func(out []T) { m.ownMask(entries[0], out) }, len(m.joins), m.microbatch)
	}
	return inputs
}

// ownMask writes the mask [R, B] of entries that replicas share, except for a crafted one.
func (m microbatches[T]) ownMask(entries []int32, out []T) {
	for r, joins := range m.joins {
		for b, example := range entries {
			if example != padding && (example != m.crafted || joins) {
				out[r*len(entries)+b] = 1
			}
		}
	}
}

// send sends the microbatches from number first on. Each is gathered by gather while the one before
// it runs. At the end, or when the context ends, it closes the channel.
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
