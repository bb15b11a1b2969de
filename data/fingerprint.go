package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
)

// Fingerprint returns a SHA-256 of everything in the data set except its name: shape, classes,
// features and labels. Anyone who can guess the data can test the guess with it. Use it to
// distinguish data sets, and do not publish it.
func (d Dataset) Fingerprint() [sha256.Size]byte {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{d.Shape, d.Classes, d.Len(), len(d.Features)}) // a hash takes every write
	hashNumbers(h, d.Features)
	hashNumbers(h, d.Labels)
	return [sha256.Size]byte(h.Sum(nil))
}

// hashNumbers adds numbers in parts: all of their bytes together may need much memory.
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
