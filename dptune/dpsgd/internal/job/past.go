package job

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
)

// Noise that is correlated from step to step. The noise of step t is what it draws, plus the noise
// of each of the B steps before times its factor of Job.Past. A device keeps the noise that it
// makes in an array [B, R, P], or in B arrays. Step t has the place t mod B. The host's noise is a
// list of B vectors, the last one first. Each step brings the list that it leaves, because the
// feeder may be two steps ahead of the weights. No vector of a list is changed. Both are zeros
// before the first step. Checkpoints hold them.

// correlate adds the noise of the steps before to the row that a replica of the group drew, and
// copies what later steps add of it to kept.
func (f feeder[T]) correlate(r int, recent [][]T, row, kept []T) {
	factors, size := f.Past[f.first+r], f.Program.Size
	of := func(j int) []T { return recent[j][r*size : (r+1)*size] }
	if f.PastFresh {
		copy(kept, row)
	}
	j := 0
	for ; j+4 <= len(factors); j += 4 {
		add4(row, [4]T{T(factors[j]), T(factors[j+1]), T(factors[j+2]), T(factors[j+3])}, of(j), of(j+1), of(j+2), of(j+3))
	}
	for ; j < len(factors); j++ {
		factor := T(factors[j])
		for i, v := range of(j) {
			row[i] += factor * v
		}
	}
	if !f.PastFresh {
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
func (g replicaGroup[T]) readPast(s state[T], done int) (list [][]T, err error) {
	if s.past == nil {
		return s.recent, nil
	}
	bands := g.bands()
	var device []T // by places
	for _, array := range s.past {
		values, err := arrays.Copied[T](array)
		if err != nil {
			return nil, err
		}
		device = append(device, values...)
	}
	width := len(device) / bands
	for j := range bands {
		place := ((done-j-1)%bands + bands) % bands
		list = append(list, device[place*width:(place+1)*width])
	}
	return list, nil
}

// writePast is the inverse of readPast.
func (g replicaGroup[T]) writePast(s *state[T], list [][]T, done int) {
	if s.past == nil {
		s.recent = list
		return
	}
	bands := g.bands()
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

// noPast returns the noise before the first step: the device's arrays, or the host's list.
func (g replicaGroup[T]) noPast(replicas int) (device []*tensors.Tensor, host [][]T) {
	bands, size := g.bands(), g.Program.Size
	switch {
	case bands == 0:
	case !g.Program.OnDevice:
		host = slices.Repeat([][]T{make([]T, replicas*size)}, bands)
	case g.Program.PastApart:
		for range bands {
			device = append(device, arrays.Filled[T](nil, replicas, size))
		}
	default:
		device = append(device, arrays.Filled[T](nil, bands, replicas, size))
	}
	return device, host
}
