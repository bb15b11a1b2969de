package dpsgd

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/streams"
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

// on returns the generator that is used on a backend.
func (g Generator) on(name string) Generator {
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
	return []string{"noise is made from words of ChaCha20 under a key from the secret root, which are taken for random ones"}
}

// sendsKeys reports whether a device makes the words itself.
func (s graphs) sendsKeys() bool { return s.onDevice && s.generator == ChaCha20 && s.hasNoise() }

// drawing returns a program that is sent keys, where it runs on words. numbers is the place of the
// numbers of the update among its inputs.
func (s graphs) drawing(program func([]*graph.Node) []*graph.Node, numbers int) func([]*graph.Node) []*graph.Node {
	if !s.sendsKeys() {
		return program
	}
	at := numbers + 1
	if s.hasCraftedGradient() {
		at += 2
	}
	return func(in []*graph.Node) []*graph.Node {
		in = slices.Clone(in)
		in[at] = noise.Words(in[at], s.size)
		return program(in)
	}
}

// noiseSources returns where the noise of replicas with these roots comes from.
func noiseSources(roots []streams.Root) []noise.Source {
	sources := make([]noise.Source, len(roots))
	for r, root := range roots {
		sources[r] = noise.From(root)
	}
	return sources
}

// noise draws the noise of the steps from number t on, or the words or keys that the device makes
// it from: each replica and step from a stream of its own, so that they can be drawn side by side.
func (f feeder[T]) noise(s *step, t int) error {
	switch {
	case f.sendsKeys():
		s.noise = f.keys(s, t)
		return nil
	case f.onDevice:
		return f.words(s, t)
	}
	s.noise = arrays.Filled(func(out []T) {
		parallel(len(f.roots), func(from, to int) {
			words := make([]uint32, noise.WordsPerPair*noise.Pairs(f.size))
			for r := from; r < to; r++ {
				f.normals(r, t, words, out[r*f.size:(r+1)*f.size])
			}
		})
	}, len(f.roots), f.size)
	return nil
}

// normals writes the noise of one replica of the chunk at a step. words is overwritten.
func (f feeder[T]) normals(r, t int, words []uint32, out []T) {
	source, step := plantInStream(f.sources[r], t)
	if f.generator == ChaCha20 {
		source.ChaCha20(step, words)
	} else {
		source.AES(step, words)
	}
	std := f.plan.Replicas[f.first+r].NoiseStdDev()
	noise.Fill(words, std, out)
	plantInNoise(f.model, out, std)
}

// words draws the words of the steps from number t on, [steps..., R, 3, pairs].
func (f feeder[T]) words(s *step, t int) (err error) {
	replicas, pairs := len(f.roots), noise.Pairs(f.size)
	dims := append(f.lead(s), replicas, noise.WordsPerPair, pairs)
	s.words, s.noise = f.kept, f.kept.Take(dims...)
	if s.noise == nil {
		if s.noise, err = shared[uint32](f.backend, nil, dims...); err != nil {
			return err
		}
	}
	count := noise.WordsPerPair * pairs
	return tensors.MutableFlatData(s.noise, func(out []uint32) {
		parallel(s.count*replicas, func(from, to int) {
			for i := from; i < to; i++ {
				source, step := plantInStream(f.sources[i%replicas], t+i/replicas)
				source.AES(step, out[i*count:(i+1)*count])
			}
		})
	})
}

// keys derives the keys of the words of the steps from number t on, [steps..., R, 8].
func (f feeder[T]) keys(s *step, t int) *tensors.Tensor {
	replicas := len(f.roots)
	dims := append(f.lead(s), replicas, noise.KeyWords)
	keys := make([]uint32, kernel.SizeOf(dims))
	parallel(s.count*replicas, func(from, to int) {
		for i := from; i < to; i++ {
			source, step := plantInStream(f.sources[i%replicas], t+i/replicas)
			key := source.Key(step)
			copy(keys[i*noise.KeyWords:], key[:])
		}
	})
	return tensors.FromFlatDataAndDimensions(keys, dims...)
}
