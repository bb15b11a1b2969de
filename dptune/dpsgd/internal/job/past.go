package job

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
)

// Noise that is correlated from step to step. The noise of step t is what it draws, plus the noise
// of each of the B steps before times its factor of Job.Past. A device keeps the noise that it
// makes in an array [B, R, P], or in B arrays. Step t has the place t mod B. The noise that the
// host makes is in a past. Both are zeros before the first step. Checkpoints hold them.

// past has the noise of the last B steps of a group, and one place more, because the next step is
// drawn while a checkpoint is written. Step t has the place t mod (B+1).
type past[T arrays.Real] struct {
	size    int   // P
	vectors [][]T // [B+1][R·P]
}

func newPast[T arrays.Real](bands, replicas, size int) *past[T] {
	p := &past[T]{size: size, vectors: make([][]T, bands+1)}
	for i := range p.vectors {
		p.vectors[i] = make([]T, replicas*size)
	}
	return p
}

// of returns the noise of one replica at a step, or zeros before the first step.
func (p *past[T]) of(replica, step int) []T {
	places := len(p.vectors)
	return p.vectors[(step%places+places)%places][replica*p.size : (replica+1)*p.size]
}

// add adds the noise of the steps before to what step t of a replica drew, and keeps the sum. With
// fresh it keeps what was drawn.
func (p *past[T]) add(factors []float64, replica, t int, row []T, fresh bool) {
	kept := p.of(replica, t)
	if fresh {
		copy(kept, row)
		defer func(after []T) { copy(kept, after) }(append([]T(nil), row...))
	}
	j := 0
	for ; j+4 <= len(factors); j += 4 {
		add4(row, [4]T{T(factors[j]), T(factors[j+1]), T(factors[j+2]), T(factors[j+3])},
			p.of(replica, t-j-1), p.of(replica, t-j-2), p.of(replica, t-j-3), p.of(replica, t-j-4))
	}
	for ; j < len(factors); j++ {
		factor := T(factors[j])
		for i, v := range p.of(replica, t-j-1) {
			row[i] += factor * v
		}
	}
	if !fresh {
		copy(kept, row)
	}
}

// add4 adds four vectors times their factors to a row, which is read and written once.
func add4[T arrays.Real](row []T, f [4]T, a, b, c, d []T) {
	a, b, c, d = a[:len(row)], b[:len(row)], c[:len(row)], d[:len(row)]
	for i := range row {
		row[i] += (f[0]*a[i] + f[1]*b[i]) + (f[2]*c[i] + f[3]*d[i])
	}
}

// onDevice returns the last numbers of step t of the program: the factor of each place of the
// device's array, and the place of the step.
func onDevice(factors []float64, t int) []float64 {
	bands := len(factors)
	row := make([]float64, bands+1)
	for j, factor := range factors {
		row[((t-j-1)%bands+bands)%bands] = factor
	}
	row[bands] = float64(t % bands)
	return row
}

// bands returns B.
func (g replicaGroup[T]) bands() int {
	if len(g.Past) == 0 || !g.Program.Noise {
		return 0
	}
	return len(g.Past[0])
}

// readPast returns the noise of the last B steps before step number done, the last one first.
func (g replicaGroup[T]) readPast(s state, done int) (list [][]T, err error) {
	bands := g.bands()
	var device []T // by places
	for _, array := range s.past {
		values, err := arrays.Copied[T](array)
		if err != nil {
			return nil, err
		}
		device = append(device, values...)
	}
	for j := range bands {
		if s.past != nil {
			width := len(device) / bands
			place := ((done-j-1)%bands + bands) % bands
			list = append(list, device[place*width:(place+1)*width])
			continue
		}
		places := len(g.feeder.past.vectors)
		list = append(list, append([]T(nil), g.feeder.past.vectors[((done-j-1)%places+places)%places]...))
	}
	return list, nil
}

// writePast is the inverse of readPast.
func (g replicaGroup[T]) writePast(s *state, list [][]T, done int) {
	bands := g.bands()
	if s.past == nil {
		for j, values := range list {
			places := len(g.feeder.past.vectors)
			copy(g.feeder.past.vectors[((done-j-1)%places+places)%places], values)
		}
		return
	}
	byPlace := make([][]T, bands)
	for j, values := range list {
		byPlace[((done-j-1)%bands+bands)%bands] = values
	}
	each := bands / len(s.past) // vectors of an array
	for i, array := range s.past {
		dims := array.Shape().Dimensions
		arrays.Finalize(array)
		s.past[i] = arrays.Filled(func(out []T) {
			for j, values := range byPlace[i*each : (i+1)*each] {
				copy(out[j*len(values):], values)
			}
		}, dims...)
	}
}

// noPast returns the device's arrays before the first step, or nil if the device keeps none.
func (g replicaGroup[T]) noPast(replicas int) (list []*tensors.Tensor) {
	bands, size := g.Program.Past, g.Program.Size
	switch {
	case bands == 0:
	case g.Program.PastApart:
		for range bands {
			list = append(list, arrays.Filled[T](nil, replicas, size))
		}
	default:
		list = append(list, arrays.Filled[T](nil, bands, replicas, size))
	}
	return list
}
