// Package noise makes normals from the words of a stream, on the host and in graphs, by the
// transform of Box and Muller (1958). Three words (h, l, a) of 32 bits make two independent normals
//
//	u = (h + (⌊l/2⌋ + ½) 2⁻³¹) 2⁻³²,  R = √(-2 ln u)
//	φ = (a mod 2²⁹ + ½) 2⁻²⁹ π/4
//	R sin φ and R cos φ, exchanged if bit 29 of a is set, with bits 31 and 30 as their signs
//
// The words are the same on every backend, and the normals agree up to rounding. u is never 0 or
// denormal. The radius is at most √(128 ln 2) = 9.42, and dpsgd.Config.TruncationDelta is the cost
// of that truncation.
package noise

import (
	"fmt"

	"github.com/dplab/dplab/dptune/streams"
)

// real is the number type of a run.
type real interface{ float32 | float64 }

// WordsPerPair is the number of words of two normals.
const WordsPerPair = 3

// Pairs returns the number of pairs for n normals.
func Pairs(n int) int { return (n + 1) / 2 }

// Source is the source of the words of one replica's noise.
type Source struct{ root streams.Root }

// From returns the source of a replica with a root.
func From(root streams.Root) Source { return Source{root.Child("noise")} }

// AES fills words with the words of a step, from AES-256.
func (s Source) AES(step int, words []uint32) { s.root.Words(stepLabel(step)).Fill(words) }

// ChaCha20 fills words with the words of a step, from ChaCha20: the same as [ChaCha20] makes from
// its Key.
func (s Source) ChaCha20(step int, words []uint32) { fillChaCha20(s.Key(step), words) }

// Key returns the key of the words of a step.
func (s Source) Key(step int) [KeyWords]uint32 { return keyWords(s.root.Key(stepLabel(step))) }

// More returns a source of further words for one entry of a step, from AES-256. Each entry has its
// own.
func (s Source) More(step, entry int) func() uint64 {
	stream := s.root.Words(fmt.Sprintf("step %d entry %d", step, entry))
	return func() uint64 {
		var pair [2]uint32
		stream.Fill(pair[:])
		return uint64(pair[0])<<32 | uint64(pair[1])
	}
}

func stepLabel(step int) string { return fmt.Sprintf("step %d", step) }

// Fill writes independent normals of mean 0 and standard deviation std, from words
// [3, pairs]: all h, all l, all a. The first of each pair come first, then the second.
func Fill[T real](words []uint32, std float64, values []T) {
	count := len(words) / WordsPerPair
	h, l, a := words[:count], words[count:2*count], words[2*count:]
	first, second := values[:count], values[count:]
	transform := fastPair
	if _, exact := any(values).([]float64); exact {
		transform = exactPair
	}
	for i := range first {
		if i%block == 0 {
			clearRegisters()
		}
		x, y := transform(h[i], l[i], a[i])
		first[i] = T(std * x)
		if i < len(second) {
			second[i] = T(std * y)
		}
	}
}

// block is the number of pairs between two calls of clearRegisters.
const block = 2048

// clearRegisters copies half a kilobyte. A thread that ran one of the go backend's vector kernels
// keeps the upper halves of its registers in use, which slows scalar code. The copy clears them.
func clearRegisters() {
	var from, to [64]int64
	from[0] = 1
	copy(to[:], from[:])
	sink(&to)
}

//go:noinline
func sink(*[64]int64) {}
