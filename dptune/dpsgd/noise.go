package dpsgd

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/dptune/streams"
)

// stepLabel names the stream of one step.
func stepLabel(step int) string { return fmt.Sprintf("step %d", step) }

// noiseStream returns the stream of one replica's noise at one step.
func noiseStream(root streams.Root, step int) *rand.Rand {
	return root.Child("noise").Rand(stepLabel(step))
}

// fillNoise writes independent normals of mean 0 and standard deviation std.
//
// They come from math/rand/v2's ziggurat, whose normals have 32 random bits inside the
// base strips and 53 in the tail, and are rounded to T after the scaling.
func fillNoise[T real](rng *rand.Rand, std float64, values []T) {
	for len(values) > 0 {
		block := values[:min(len(values), noiseBlock)]
		clearRegisters()
		for i := range block {
			block[i] = T(std * rng.NormFloat64())
		}
		values = values[len(block):]
	}
}

const noiseBlock = 4096

// clearRegisters copies half a kilobyte. A thread that ran one of the go backend's vector
// kernels keeps the upper halves of its registers in use, which slows scalar code; the
// copy clears them.
func clearRegisters() {
	var from, to [64]int64
	from[0] = 1
	copy(to[:], from[:])
	sink(&to)
}

//go:noinline
func sink(*[64]int64) {}
