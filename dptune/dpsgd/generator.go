package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
)

// Generator makes the random words of the noise. As far as is known, nobody without its key of 256
// bits can distinguish its output from random words. Each replica has its own key for each step,
// derived from its root.
//
// The generator is part of a run. With one root, two generators make different noise, and a
// checkpoint resumes only with the generator that wrote it.
type Generator int

const (
	// GeneratorOfBackend is the default. It is ChaCha20 on a device with its own memory (see
	// [backend.SetDeviceMemory]), such as "xla:cuda", and AES256 on all others.
	GeneratorOfBackend Generator = iota

	// AES256 is AES-256 in counter mode, on the host: see streams.Words. Processors have
	// instructions for it. A device receives the words.
	AES256

	// ChaCha20 is the cipher of RFC 8439. A device receives keys and makes the words itself. The go
	// backend makes the same words on the host.
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

// Assumptions returns what the guarantee of a training on a backend, engine.Performance.Backend,
// assumes of the generator.
func (g Generator) Assumptions(on string) []string { return g.On(backend.Named(on)).assumptions() }

// assumptions returns what a guarantee assumes in addition to a secret root.
func (g Generator) assumptions() []string {
	if g != ChaCha20 {
		return nil
	}
	return []string{"noise made by ChaCha20 under a secret key is as good as random"}
}
