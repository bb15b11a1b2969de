package rawfile

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// Checksum is the expected hash of a file. The zero Checksum matches nothing.
//
// MD5 finds accidents (a truncated or mixed-up file), not forgeries. It is here because several
// sources publish nothing else.
type Checksum struct {
	algorithm string
	hex       string
}

// MD5 returns the checksum with the given 32 hexadecimal digits.
func MD5(digits string) Checksum { return Checksum{"MD5", strings.ToLower(digits)} }

// SHA256 returns the checksum with the given 64 hexadecimal digits.
func SHA256(digits string) Checksum { return Checksum{"SHA-256", strings.ToLower(digits)} }

// String returns the algorithm and the digits, for instance "MD5 f68b3c2d...".
func (c Checksum) String() string { return c.algorithm + " " + c.hex }

// Verify returns a *ChecksumError unless content has the checksum. file is the name that
// the error shows.
func (c Checksum) Verify(file string, content []byte) error {
	h, err := c.hash()
	if err != nil {
		return fmt.Errorf("data: %s: %w", file, err)
	}
	h.Write(content)
	if found := hex.EncodeToString(h.Sum(nil)); found != c.hex {
		return &ChecksumError{File: file, Bytes: len(content), Expected: c, Found: Checksum{c.algorithm, found}}
	}
	return nil
}

// hash returns a fresh hash of the checksum's algorithm. It returns an error if the checksum itself
// is not well formed.
func (c Checksum) hash() (hash.Hash, error) {
	var h hash.Hash
	switch c.algorithm {
	case "MD5":
		h = md5.New()
	case "SHA-256":
		h = sha256.New()
	default:
		return nil, fmt.Errorf("checksum algorithm %q: must be MD5 or SHA-256", c.algorithm)
	}
	if raw, err := hex.DecodeString(c.hex); err != nil || len(raw) != h.Size() {
		return nil, fmt.Errorf("%s checksum %q: must be %d hexadecimal digits", c.algorithm, c.hex, 2*h.Size())
	}
	return h, nil
}

// ChecksumError reports that a file is not the expected one.
type ChecksumError struct {
	File     string
	Bytes    int // length of what was read
	Expected Checksum
	Found    Checksum
}

// Error names the file, the expected and the actual checksum, and what to do.
func (e *ChecksumError) Error() string {
	return fmt.Sprintf("data: %s (%d bytes): expected %v, found %v: the file is truncated, corrupt or another version; download it again",
		e.File, e.Bytes, e.Expected, e.Found)
}
