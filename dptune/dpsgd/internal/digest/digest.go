// Package digest hashes what a run's identity consists of.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
)

// JSON returns the SHA-256 of values as JSON. It panics on NaN, and on what JSON does not know:
// without a hash, other values would be taken for these.
func JSON(values ...any) []byte {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(values); err != nil {
		panic(fmt.Errorf("dpsgd: hashing: %w", err))
	}
	return h.Sum(nil)
}

// Add writes numbers of fixed size.
func Add(h hash.Hash, numbers any) { _ = binary.Write(h, binary.LittleEndian, numbers) }

// Text returns a sum as text.
func Text(sum []byte) string { return hex.EncodeToString(sum) }
