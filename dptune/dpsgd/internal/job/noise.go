package job

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/dpsgd/internal/rounded"
	"github.com/dplab/dplab/dptune/internal/kernel"
	"github.com/dplab/dplab/dptune/streams"
)

// noiseSources returns the noise sources of replicas with these roots.
func noiseSources(roots []streams.Root) []noise.Source {
	sources := make([]noise.Source, len(roots))
	for r, root := range roots {
		sources[r] = noise.From(root)
	}
	return sources
}

// noise draws the noise of the steps from number t on, or the words or keys that the device makes
// it from. Each replica and step has its own stream, so they can be drawn in parallel. s.recent is
// that of the step before, and becomes that of the step.
func (f feeder[T]) noise(s *step[T], t int) error {
	switch {
	case f.Program.Grid:
		s.noise = f.onGrid(s, t)
		return nil
	case f.Program.Keys:
		s.noise = f.keys(s, t)
		return nil
	case f.Program.OnDevice:
		return f.words(s, t)
	}
	s.noise = arrays.Filled(func(out []T) {
		var kept []T // what later steps add of this one
		if len(s.recent) > 0 {
			kept = make([]T, len(out))
		}
		parallel(len(f.roots), func(from, to int) {
			words := make([]uint32, noise.WordsPerPair*noise.Pairs(f.Program.Size))
			for r := from; r < to; r++ {
				row := out[r*f.Program.Size : (r+1)*f.Program.Size]
				f.normals(r, t, words, row)
				if kept != nil {
					f.correlate(r, s.recent, row, kept[r*f.Program.Size:])
				}
			}
		})
		if kept != nil {
			s.recent = append([][]T{kept}, s.recent[:len(s.recent)-1]...)
		}
	}, len(f.roots), f.Program.Size)
	return nil
}

// onGrid draws the noise of a sum on a grid, whole numbers, for the steps from number t on.
func (f feeder[T]) onGrid(s *step[T], t int) *tensors.Tensor {
	replicas, size := len(f.roots), f.Program.Size
	return arrays.Filled(func(out []float64) {
		parallel(s.count*replicas, func(from, to int) {
			words := make([]uint32, rounded.WordsPerValue*size)
			for i := from; i < to; i++ {
				source, step := f.sources[i%replicas], t+i/replicas
				f.fill(source, step, words)
				std := f.StdDev(f.first+i%replicas, step)
				rounded.Fill(words, std, func(entry int) func() uint64 { return source.More(step, entry) }, out[i*size:(i+1)*size])
			}
		})
	}, append(f.lead(s), replicas, size)...)
}

// fill draws the words of a step from the generator.
func (f feeder[T]) fill(source noise.Source, step int, words []uint32) {
	if f.ChaCha20 {
		source.ChaCha20(step, words)
	} else {
		source.AES(step, words)
	}
}

// normals writes the noise of one replica of the group at a step. words is overwritten.
func (f feeder[T]) normals(r, t int, words []uint32, out []T) {
	f.fill(f.sources[r], t, words)
	noise.Fill(words, f.StdDev(f.first+r, t), out)
}

// deviations returns the standard deviations of the noise of the steps from number t on, [R], or
// [steps..., R].
func (f feeder[T]) deviations(s *step[T], t int) *tensors.Tensor {
	replicas := len(f.roots)
	return arrays.Filled(func(out []T) {
		for i := range s.count * replicas {
			out[i] = T(f.StdDev(f.first+i%replicas, t+i/replicas))
		}
	}, append(f.lead(s), replicas)...)
}

// words draws the words of the steps from number t on, [steps..., R, 3, pairs].
func (f feeder[T]) words(s *step[T], t int) (err error) {
	replicas, pairs := len(f.roots), noise.Pairs(f.Program.Size)
	dims := append(f.lead(s), replicas, noise.WordsPerPair, pairs)
	s.words, s.noise = f.kept, f.kept.Take(dims...)
	if s.noise == nil {
		if s.noise, err = shared[uint32](f.Backend, nil, dims...); err != nil {
			return err
		}
	}
	count := noise.WordsPerPair * pairs
	return tensors.MutableFlatData(s.noise, func(out []uint32) {
		parallel(s.count*replicas, func(from, to int) {
			for i := from; i < to; i++ {
				f.sources[i%replicas].AES(t+i/replicas, out[i*count:(i+1)*count])
			}
		})
	})
}

// keys derives the keys of the words of the steps from number t on, [steps..., R, 8].
func (f feeder[T]) keys(s *step[T], t int) *tensors.Tensor {
	replicas := len(f.roots)
	dims := append(f.lead(s), replicas, noise.KeyWords)
	keys := make([]uint32, kernel.SizeOf(dims))
	parallel(s.count*replicas, func(from, to int) {
		for i := from; i < to; i++ {
			key := f.sources[i%replicas].Key(t + i/replicas)
			copy(keys[i*noise.KeyWords:], key[:])
		}
	})
	return tensors.FromFlatDataAndDimensions(keys, dims...)
}
