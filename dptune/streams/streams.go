// Package streams hands out labelled random streams. A stream is a ChaCha8 generator whose key is
// the hash of a root key and a label. Equal roots and labels give equal streams. A new draw in one
// place does not shift the draws of another. [Words] are a second kind of stream, for draws in
// bulk.
//
// A root is either secret, from the operating system's generator, or fixed, from a name. Anyone who
// knows the key of a root knows every draw made from it. A result of a fixed root is reproducible,
// and has no privacy guarantee towards a reader of its name. Results carry [Root.Seeded].
//
//	root, err := streams.Secret()            // for a release
//	root := streams.Fixed("figure 2")        // for a figure
//	noise := root.Child("noise").Rand("step 3")
package streams

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
)

// ErrNoRoot is returned for the zero Root, which has no key.
var ErrNoRoot = errors.New("streams: root is the zero value: must come from Secret or Fixed")

// Root is the key that streams are derived from. The zero Root has none; see Validate.
type Root struct {
	key    [32]byte
	seeded bool
	valid  bool
}

// Secret returns a root with a key from the operating system's cryptographic generator.
func Secret() (Root, error) {
	r := Root{valid: true}
	if _, err := rand.Read(r.key[:]); err != nil {
		return Root{}, fmt.Errorf("streams: no random key from the operating system: %w", err)
	}
	return r, nil
}

// Fixed returns the root of a name. Anyone who knows the name can reproduce every draw.
func Fixed(name string) Root {
	return Root{key: sha256.Sum256([]byte("dplab fixed root\x00" + name)), seeded: true, valid: true}
}

// Seeded reports whether the root came from a name. Its draws are then reproducible and give no
// privacy towards someone who knows the name.
func (r Root) Seeded() bool { return r.seeded }

// Validate returns ErrNoRoot for the zero Root.
func (r Root) Validate() error {
	if !r.valid {
		return ErrNoRoot
	}
	return nil
}

// Child returns the root of a part, independent of the streams and children with other labels.
func (r Root) Child(label string) Root {
	r.mustBeValid()
	return Root{key: r.derive("child", label), seeded: r.seeded, valid: true}
}

// Bound returns the root of one use of a secret root, with its own identity. The identity is a hash
// of everything that decides the use's outputs, data first of all. Uses of different identities
// have independent streams: the noise of two never cancels. Uses of one identity have the same
// streams, and so the same outputs. A fixed root is returned unchanged, since its draws are to
// repeat.
//
// Equal outputs then reveal equal identities. If that must stay secret, use a new root for each
// release.
//
// The key is HMAC-SHA256 of the identity, which is a pseudo-random function of it (Bellare, CRYPTO
// 2006). Deterministic signatures derive their nonce in the same way (RFC 6979).
func (r Root) Bound(identity []byte) Root {
	r.mustBeValid()
	if r.seeded {
		return r
	}
	key := r.derive("bound", "")
	mac := hmac.New(sha256.New, key[:])
	mac.Write(identity)
	return Root{key: [32]byte(mac.Sum(nil)), valid: true}
}

// Rand returns the stream with a label, at its start.
func (r Root) Rand(label string) *mathrand.Rand {
	r.mustBeValid()
	return mathrand.New(mathrand.NewChaCha8(r.derive("stream", label)))
}

// Key returns a key of 256 bits with a label, for a cipher that runs where this package does not,
// such as on a device. It is independent of all streams. Anyone who has it knows what is drawn with
// it.
func (r Root) Key(label string) [32]byte {
	r.mustBeValid()
	return r.derive("key", label)
}

// derive hashes key, kind and label. The key has a fixed length and the kind holds no zero byte.
// Different triples therefore never meet in the same input.
func (r Root) derive(kind, label string) [32]byte {
	input := append(append([]byte{}, r.key[:]...), kind...)
	return sha256.Sum256(append(append(input, 0), label...))
}

// mustBeValid panics for the zero Root: a program that draws from no key is broken.
func (r Root) mustBeValid() {
	if !r.valid {
		panic(ErrNoRoot)
	}
}

// ErrSeeded is the warning on a result whose draws came from a fixed root. In a statement it leaves
// no guarantee: see accounting.Voiding.
var ErrSeeded error = errSeeded{}

type errSeeded struct{}

func (errSeeded) Error() string {
	return "the random draws come from a fixed root, and anyone who knows its name can subtract the noise"
}

// VoidsGuarantee implements accounting.Voiding.
func (errSeeded) VoidsGuarantee() {}
