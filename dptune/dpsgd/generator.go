package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
)

// Generator is what the words come from that noise is made of: a function that nobody without its key of
// 256 bits can tell from a random one, as far as is known. Each replica has a key of its own for each step,
// derived from its root.
//
// It is part of what a run is, as its numbers follow from it: runs of one root and two generators have
// other noise, and a checkpoint is taken up with the generator that it was written with.
type Generator int

const (
	// GeneratorOfBackend is the default: ChaCha20 on a device with memory of its own (see
	// [backend.SetDeviceMemory]), such as "xla:cuda", and AES256 on all others.
	GeneratorOfBackend Generator = iota

	// AES256 is AES-256 in counter mode, on the host: see streams.Words. Processors have
	// instructions for it. A device is sent the words.
	AES256

	// ChaCha20 is that of RFC 8439, where the noise is made: a device is sent keys. The go backend
	// makes the same words on the host.
	ChaCha20
)

// String returns the generator's name.
func (g Generator) String() string {
	switch g {
	case GeneratorOfBackend:
		return "that of the backend"
	case AES256:
		return "AES-256"
	case ChaCha20:
		return "ChaCha20"
	}
	return fmt.Sprint(int(g))
}

// On returns the generator that is used on a backend.
func (g Generator) On(name string) Generator {
	if g != GeneratorOfBackend {
		return g
	}
	if _, device := backend.DeviceMemory(name); device {
		return ChaCha20
	}
	return AES256
}

// assumptions returns what a guarantee rests on beside a secret seed.
func (g Generator) assumptions() []string {
	if g != ChaCha20 {
		return nil
	}
	return []string{"noise made by ChaCha20 under a secret key is as good as random"}
}
