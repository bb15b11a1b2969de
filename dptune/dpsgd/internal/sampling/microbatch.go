// Package sampling puts batches into microbatches of one fixed shape.
//
// A Poisson sample has a random size, which must stay hidden and which a compiled program
// cannot follow: batches are cut into microbatches, the last one is filled up with
// padding, and a mask says which entries are examples.
//
//	for part := range sampling.Count(len(batch), len(entries)) {
//		examples := sampling.Cut(batch, part, entries) // the others are sampling.Padding
//	}
package sampling

// Padding is the index of an entry that holds no example.
const Padding int32 = -1

// Count returns how many microbatches a batch takes: at least one, since an empty batch
// takes a step too. It panics if microbatch < 1.
func Count(batch, microbatch int) int {
	if microbatch < 1 {
		panic("sampling: microbatch must be >= 1")
	}
	return max(1, (batch+microbatch-1)/microbatch)
}

// Cut writes part number part of a batch into entries, whose length is the microbatch's
// size, and fills the rest with Padding. It returns the number of examples written.
func Cut(batch []int32, part int, entries []int32) int {
	start := min(part*len(entries), len(batch))
	examples := copy(entries, batch[start:])
	for i := examples; i < len(entries); i++ {
		entries[i] = Padding
	}
	return examples
}
