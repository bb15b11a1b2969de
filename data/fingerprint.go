package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
)

// Fingerprint returns a SHA-256 of all that the data set is but its name: shape, classes,
// features and labels. Who can guess the data can test the guess with it: it is for telling data
// sets apart, not for publishing.
func (d Dataset) Fingerprint() [sha256.Size]byte {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{d.Shape, d.Classes, d.Len(), len(d.Features)}) // a hash takes every write
	hashNumbers(h, d.Features)
	hashNumbers(h, d.Labels)
	return [sha256.Size]byte(h.Sum(nil))
}

// hashNumbers adds numbers, some at a time: all of their bytes together may be much memory.
func hashNumbers[T float32 | int32](h hash.Hash, numbers []T) {
	const most = 1 << 14
	buffer := make([]byte, 0, 4*most)
	for len(numbers) > 0 {
		count := min(most, len(numbers))
		buffer, _ = binary.Append(buffer[:0], binary.LittleEndian, numbers[:count]) // fails for sizes unknown
		h.Write(buffer)
		numbers = numbers[count:]
	}
}
