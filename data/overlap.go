package data

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
)

// Overlap returns the examples of a, by their indices, that b holds as well: with equal features, all of them, and an equal label.
//
// Examples to validate on must be others than those to train on. Equal examples may still be different records, where features
// are few and coarse: nobody can tell from the data alone. What this returns is about the records, and for who holds them.
// Cost is O(len a + len b).
func Overlap(a, b Dataset) []int {
	if a.Width() != b.Width() {
		return nil
	}
	seed, of := maphash.MakeSeed(), map[uint64][]int{}
	for i := range b.Labels {
		h := b.hashExample(seed, i)
		of[h] = append(of[h], i)
	}
	var shared []int
	for i := range a.Labels {
		same := func(j int) bool { return a.Labels[i] == b.Labels[j] && slices.Equal(a.Row(i), b.Row(j)) }
		if slices.ContainsFunc(of[a.hashExample(seed, i)], same) {
			shared = append(shared, i)
		}
	}
	return shared
}

// hashExample returns equal numbers for examples that are equal; -0 equals 0.
func (d Dataset) hashExample(seed maphash.Seed, i int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var word [4]byte
	write := func(bits uint32) {
		binary.LittleEndian.PutUint32(word[:], bits)
		_, _ = h.Write(word[:]) // a hash takes every write
	}
	write(uint32(d.Labels[i]))
	for _, x := range d.Row(i) {
		write(math.Float32bits(x + 0))
	}
	return h.Sum64()
}
