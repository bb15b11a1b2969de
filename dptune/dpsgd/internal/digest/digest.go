// Package digest hashes the parts of a run's identity.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
)

// JSON returns the SHA-256 of values as JSON. It panics on NaN and on values that JSON cannot hold:
// without a hash, different values would be taken as equal.
func JSON(values ...any) []byte {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(values); err != nil {
		panic(fmt.Errorf("engine: hashing: %w", err))
	}
	return h.Sum(nil)
}

// Add writes numbers of fixed size.
func Add(h hash.Hash, numbers any) { _ = binary.Write(h, binary.LittleEndian, numbers) }

// Text returns a hash in hexadecimal.
func Text(sum []byte) string { return hex.EncodeToString(sum) }
