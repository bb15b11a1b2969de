package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"hash/maphash"
	"math"
	"slices"
)

// Overlap returns the examples of a, by their indices, that b holds as well: all features and the
// label are equal. Targets are not compared. They may be made after the record, as a weight or the
// probabilities of a teacher are, so a record with other targets is the same record.
//
// Use other examples to validate than to train. If features are few and coarse, equal examples may
// still be different records, and the data cannot show which. The result reveals records; keep it
// with the data. Cost is O(len a + len b).
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
		same := func(j int) bool {
			return a.Labels[i] == b.Labels[j] && slices.Equal(a.Row(i), b.Row(j))
		}
		if slices.ContainsFunc(of[a.hashExample(seed, i)], same) {
			shared = append(shared, i)
		}
	}
	return shared
}

// hashExample returns equal numbers for equal examples; -0 equals 0.
func (d Dataset) hashExample(seed maphash.Seed, i int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var word [4]byte
	write := func(bits uint32) {
		binary.LittleEndian.PutUint32(word[:], bits)
		_, _ = h.Write(word[:]) // writes to a hash never fail
	}
	write(uint32(d.Labels[i]))
	for _, x := range d.Row(i) {
		write(math.Float32bits(x + 0))
	}
	return h.Sum64()
}

// Fingerprint returns a SHA-256 of everything in the data set except its name: shape, classes,
// features, labels and targets. Anyone who can guess the data can test the guess with it. Use it to
// distinguish data sets, and do not publish it.
func (d Dataset) Fingerprint() [sha256.Size]byte {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{d.Shape, d.Classes, d.Len(), len(d.Features)}) // writes to a hash never fail
	hashNumbers(h, d.Features)
	hashNumbers(h, d.Labels)
	if d.TargetShape != nil {
		_ = json.NewEncoder(h).Encode(d.TargetShape)
		hashNumbers(h, d.Targets)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// hashNumbers adds numbers in parts: all of their bytes together may need much memory.
func hashNumbers[T float32 | int32](h hash.Hash, numbers []T) {
	const most = 1 << 14
	buffer := make([]byte, 0, 4*most)
	for len(numbers) > 0 {
		count := min(most, len(numbers))
		buffer, _ = binary.Append(buffer[:0], binary.LittleEndian, numbers[:count]) // never fails for numbers
		h.Write(buffer)
		numbers = numbers[count:]
	}
}
