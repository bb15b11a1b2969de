package job

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/streams"
)

// coins has the keys of the coins of one step, for layers that draw: see nn.Drawing. The zero value
// has none.
type coins struct {
	width int        // coins of an example
	keys  [][32]byte // one for each batch
}

// newCoins returns the coins of a step from the roots of its batches.
func newCoins(width int, roots []streams.Root, step int) coins {
	c := coins{width: width}
	for _, root := range roots {
		c.keys = append(c.keys, root.Child("coins").Key(stepLabel(step)))
	}
	return c
}

// fixedCoins returns the coins of sums and losses that belong to no step: those of a fixed root.
func fixedCoins(width, batches int) coins {
	roots := make([]streams.Root, batches)
	for i := range roots {
		roots[i] = streams.Fixed("coins of no step")
	}
	return newCoins(width, roots, 0)
}

// draw writes the coins of an example, a function of the key and its index only. A coin is uniform
// on the multiples of 2^-24 in [0, 1).
func draw[T arrays.Real](key [32]byte, example int32, out []T) {
	seed := sha256.Sum256(binary.LittleEndian.AppendUint32(key[:], uint32(example)))
	rng := rand.NewChaCha8(seed)
	for i := range out {
		out[i] = T(rng.Uint64()>>40) * 0x1p-24
	}
}

// writeCoins writes the coins of entries [B] of batch r, and zeros for padding.
func writeCoins[T arrays.Real](c coins, r int, entries []int32, out []T) {
	for b, example := range entries {
		if example != padding {
			draw(c.keys[r], example, out[b*c.width:(b+1)*c.width])
		}
	}
}

// coinsOf returns the coins of entries, one list for each batch.
func coinsOf[T arrays.Real](c coins, entries [][]int32) *tensors.Tensor {
	batch := len(entries[0])
	return arrays.Filled(func(out []T) {
		for r, list := range entries {
			writeCoins(c, r, list, out[r*batch*c.width:(r+1)*batch*c.width])
		}
	}, len(entries), batch, c.width)
}
