package dpsgd

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/sampling"
	"github.com/dplab/dplab/dptune/streams"
)

// table is a data set in the precision of the run.
type table[T real] struct {
	rows   []T // [N, F]
	norms  []T // [N], squared
	labels []int32
	width  int
}

func newTable[T real](features []float32, labels []int32, width int) table[T] {
	t := table[T]{labels: labels, width: width, norms: make([]T, len(labels))}
	if same, ok := any(features).([]T); ok {
		t.rows = same
	} else {
		t.rows = make([]T, len(features))
		for i, v := range features {
			t.rows[i] = T(v)
		}
	}
	for i := range labels {
		sum := 0.0
		for _, v := range features[i*width : (i+1)*width] {
			sum += float64(v) * float64(v)
		}
		t.norms[i] = T(sum)
	}
	return t
}

// microbatch gathers entries [R, B] of the table: rows, squared norms, labels, mask.
// Padding is zeros.
func (t table[T]) microbatch(entries [][]int32) []*tensors.Tensor {
	replicas, batch := len(entries), len(entries[0])
	visit := func(f func(at int, example int32)) {
		for r, list := range entries {
			for b, example := range list {
				if example != sampling.Padding {
					f(r*batch+b, example)
				}
			}
		}
	}
	rows := filled(func(out []T) {
		visit(func(at int, i int32) {
			copy(out[at*t.width:(at+1)*t.width], t.rows[int(i)*t.width:])
		})
	}, replicas, batch, t.width)
	norms := filled(func(out []T) { visit(func(at int, i int32) { out[at] = t.norms[i] }) }, replicas, batch)
	mask := filled(func(out []T) { visit(func(at int, i int32) { out[at] = 1 }) }, replicas, batch)
	labels := make([]int32, replicas*batch)
	visit(func(at int, i int32) { labels[at] = t.labels[i] })
	return []*tensors.Tensor{rows, norms, tensors.FromFlatDataAndDimensions(labels, replicas, batch), mask}
}

// split cuts one batch for each replica into microbatches.
func (t table[T]) split(batches [][]int32, microbatch int) [][]*tensors.Tensor {
	parts := 1
	for _, batch := range batches {
		parts = max(parts, sampling.Count(len(batch), microbatch))
	}
	list := make([][]*tensors.Tensor, parts)
	for part := range parts {
		entries := make([][]int32, len(batches))
		for r, batch := range batches {
			entries[r] = make([]int32, microbatch)
			sampling.Cut(batch, part, entries[r])
		}
		list[part] = t.microbatch(entries)
	}
	return list
}

// step is everything that one step of a chunk takes from the host.
type step struct {
	micro  [][]*tensors.Tensor
	rates  *tensors.Tensor // [R]
	canary *tensors.Tensor // [R], 1 where it joins; nil without canary
	noise  *tensors.Tensor // [R, P]; nil without noise
}

func (s step) finalize() {
	for _, part := range s.micro {
		finalize(part...)
	}
	finalize(s.rates, s.canary, s.noise)
}

// feeder prepares the steps of one chunk of replicas, first to first+len(roots)-1.
type feeder[T real] struct {
	graphs
	table      table[T]
	microbatch int
	first      int
	roots      []streams.Root // of the chunk
	shared     streams.Root   // root of shared batches
}

// steps sends the steps in order, each drawn while the one before it runs, and ends early
// when the context does.
func (f feeder[T]) steps(ctx context.Context, count int) <-chan step {
	out := make(chan step)
	go func() {
		defer close(out)
		for t := range count {
			if ctx.Err() != nil {
				return
			}
			s := f.prepare(t)
			select {
			case out <- s:
			case <-ctx.Done():
				s.finalize()
				return
			}
		}
	}()
	return out
}

func (f feeder[T]) prepare(t int) step {
	replicas := len(f.roots)
	s := step{micro: f.table.split(f.batches(t), f.microbatch)}
	s.rates = filled(func(out []T) {
		for r := range out {
			out[r] = T(f.plan.rate(f.first+r, t))
		}
	}, replicas)
	if f.hasCanary() {
		s.canary = filled(func(out []T) {
			for r := range out {
				if f.canaryJoins(r, t) {
					out[r] = 1
				}
			}
		}, replicas)
	}
	if f.hasNoise() {
		s.noise = filled(func(out []T) {
			for r, root := range f.roots {
				std := f.plan.Replicas[f.first+r].NoiseStdDev()
				fillNoise(noiseStream(root, t), std, out[r*f.size:(r+1)*f.size])
			}
		}, replicas, f.size)
	}
	return s
}

// batches draws the batch of each replica of the chunk.
func (f feeder[T]) batches(t int) [][]int32 {
	batches := make([][]int32, len(f.roots))
	for r := range batches {
		if f.plan.SharedBatches && r > 0 {
			batches[r] = batches[0]
			continue
		}
		root := f.roots[r]
		if f.plan.SharedBatches {
			root = f.shared
		}
		// The rate and the number of examples were validated with the plan.
		batches[r], _ = f.poisson(r).Draw(root.Child("batches").Rand(stepLabel(t)), len(f.table.labels))
	}
	return batches
}

// canaryJoins tosses the canary's coin for replica r of the chunk.
func (f feeder[T]) canaryJoins(r, t int) bool {
	c := f.plan.Canary
	if !c.In[f.first+r] || (c.At != nil && !c.At(t)) {
		return false
	}
	return f.poisson(r).Joins(f.roots[r].Child("canary").Rand(stepLabel(t)))
}

func (f feeder[T]) poisson(r int) sampling.Poisson {
	return sampling.Poisson{Rate: f.plan.Replicas[f.first+r].SamplingRate}
}
