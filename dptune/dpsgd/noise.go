package dpsgd

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/dptune/streams"
)

// What follows is how words of a stream become normals: by the transform of Box and
// Muller (1958). Of three words (h, l, a) of 32 bits come two independent normals
//
//	u = (h + (⌊l/2⌋ + ½) 2⁻³¹) 2⁻³²,  R = √(-2 ln u)
//	φ = (a mod 2²⁹ + ½) 2⁻²⁹ π/4
//	R sin φ and R cos φ, exchanged if bit 29 of a is set, with bits 31 and 30 as their signs
//
// The words are the same on every backend, and the normals agree up to rounding: on go they
// are made on the host, and elsewhere in the graph. There is no u that is 0 or denormal, and
// a radius ends at 9.42; see [NoiseTailVariation] for what that is worth.

// wordsPerPair is how many words make two normals.
const wordsPerPair = 3

// pairs returns how many pairs make n normals.
func pairs(n int) int { return (n + 1) / 2 }

// stepLabel names the stream of one step.
func stepLabel(step int) string { return fmt.Sprintf("step %d", step) }

// noiseStream returns the stream of one replica's noise at one step.
func noiseStream(root streams.Root, step int) streams.Words {
	root, step = plantInStream(root, step)
	return root.Child("noise").Words(stepLabel(step))
}

// fillNoise writes independent normals of mean 0 and standard deviation std, from words
// [3, pairs]: all h, all l, all a. The first of each pair come first, then the second.
func fillNoise[T real](words []uint32, std float64, values []T) {
	count := len(words) / wordsPerPair
	h, l, a := words[:count], words[count:2*count], words[2*count:]
	first, second := values[:count], values[count:]
	transform := fastPair
	if _, exact := any(values).([]float64); exact {
		transform = exactPair
	}
	for i := range first {
		if i%noiseBlock == 0 {
			clearRegisters()
		}
		x, y := transform(h[i], l[i], a[i])
		first[i] = T(std * x)
		if i < len(second) {
			second[i] = T(std * y)
		}
	}
}

// NoiseTailVariation returns an upper bound on the total variation distance between so many
// independent normals and those that the engine draws, as far as the tail goes: a pair's
// radius ends at √(128 ln 2) = 9.42, beyond which a normal pair lies with chance 2⁻⁶⁴. Each
// normal counts with all of its pair's chance, since a model of an odd number of parameters
// has one in every step that is alone.
//
// For steps·parameters = 10⁹ it is 5e-11. What a distance v of all of a run's noise is worth: an
// (ε, δ)-private release becomes (ε, δ + (1+e^ε) v)-private, whatever made the distance. For a
// tail that ends, [Config.NoiseTail] has a smaller term, without e^ε, which is the one
// that statements count.
//
// Rounding is not counted: u has 63 bits, and like everything that is computed from it, it
// is rounded to the precision of the run.
func NoiseTailVariation(normals float64) float64 {
	if !(normals > 0) {
		return 0
	}
	return min(1, math.Nextafter(math.Ceil(normals), math.Inf(1))*0x1p-64)
}

// noiseBlock is how many pairs are made between two calls of clearRegisters.
const noiseBlock = 2048

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
