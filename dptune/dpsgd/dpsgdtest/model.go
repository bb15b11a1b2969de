package dpsgdtest

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
)

// clip is short enough for most gradients to be clipped.
const clip = 0.5

// What sums in one precision agree to: some thousand units of the last place, for sums of some
// thousand products, and for norms that are raised by a bound on their own rounding.
var agreement = map[dpsgd.Precision]float64{dpsgd.Float32: 1e-4, dpsgd.Float64: 1e-12}

// Model fails the test unless the clipped sums of a model, on random examples of so many classes,
// are what DP-SGD rests on:
//
//   - each example's gradient, at every weight, is that of central differences of its loss;
//   - book-keeping gives what per-sample gradients give, in both precisions;
//   - each example alone adds at most C, and a batch adds what its examples add alone;
//   - an example that overflows, and padding, add nothing to the others;
//   - several replicas give what each gives alone.
func Model(t testing.TB, m dpsgd.Model, classes int) {
	t.Helper()
	s, ok := newSetup(t, m, classes)
	if !ok {
		return
	}
	for _, check := range []func(testing.TB, setup) bool{differences, apart, overflow, replicas} {
		if !check(t, s) {
			return // what follows would fail of the same fault
		}
	}
}

// differences compares gradients with central differences, whose error at step h is about
// h² + 1e-16/h, so 1e-9 here.
func differences(t testing.TB, s setup) bool {
	t.Helper()
	const h, few, relative = 1e-5, 3, 1e-8
	m, perf := s.model, dpsgd.Performance{Precision: dpsgd.Float64, Microbatch: few + 1}
	moved := dpsgd.Parameters{Tensors: s.weights.Tensors}
	for i := range m.Size() {
		for _, step := range []float64{h, -h} {
			values := slices.Clone(s.weights.Values[0])
			values[i] += step
			moved.Values = append(moved.Values, values)
		}
	}
	losses, err := dpsgd.Losses(context.Background(), m, moved, s.data.Subset("few", []int{0, 1, 2}), perf)
	if err != nil {
		t.Errorf("%v", err)
		return false
	}
	want, clipped := make([][]float64, few), make([]float64, m.Size())
	for e := range want {
		want[e] = make([]float64, m.Size())
		for i := range want[e] {
			want[e][i] = (losses[2*i][e] - losses[2*i+1][e]) / (2 * h)
		}
		add(clipped, min(1, clip/length(want[e])), want[e])
	}
	each, ok := s.sums(t, plan(0, dpsgd.BookKeeping), perf, []int32{0}, []int32{1}, []int32{2})
	for e := range each {
		ok = ok && s.sameTensors(t, e, each[e], want[e], relative)
	}
	if !ok {
		return false
	}
	var sums [][]float64
	for _, mode := range []dpsgd.Mode{dpsgd.BookKeeping, dpsgd.Materialized} {
		all, ok := s.sums(t, plan(clip, mode), perf, firstOnes(few))
		if !ok {
			return false
		}
		sums = append(sums, all[0])
	}
	if off := distance(sums[0], clipped); !(off <= relative*length(clipped)) {
		t.Errorf("model %q: the clipped sum of %d examples is %.3g away from that of their gradients by differences, of norm %.3g", m.Name, few, off, length(clipped))
		return false
	}
	return s.sameModes(t, dpsgd.Float64, sums[0], sums[1])
}

// sameModes compares norms by algebra and weighted products with per-sample gradients.
func (s setup) sameModes(t testing.TB, precision dpsgd.Precision, book, long []float64) bool {
	t.Helper()
	if off := distance(book, long); !(off <= agreement[precision]*length(long)) {
		t.Errorf("model %q: in %s, the clipped sum is %.3g away from that of per-sample gradients, of norm %.3g", s.model.Name, names[precision], off, length(long))
		return false
	}
	return true
}

// sameTensors names the array of weights whose gradient is wrong.
func (s setup) sameTensors(t testing.TB, example int, got, want []float64, relative float64) bool {
	t.Helper()
	at, tolerance := 0, relative*length(want)
	for _, tensor := range s.weights.Tensors {
		end := at + tensor.Size()
		if off := distance(got[at:end], want[at:end]); !(off <= tolerance) {
			t.Errorf("model %q: the gradient of example %d at %q is %.3g away from that of differences of the loss, which has norm %.3g: must be its derivative, as must those at the inputs of all later layers",
				s.model.Name, example, tensor.Name, off, length(want[at:end]))
			return false
		}
		at = end
	}
	return true
}

// apart compares the sum of a batch with what its examples add alone, each at most C, and with
// that of per-sample gradients.
func apart(t testing.TB, s setup) bool {
	t.Helper()
	const rounding = 1e-5 // of norms in float32
	batches := [][]int32{firstOnes(examples), nil}
	for i := range examples {
		batches = append(batches, []int32{int32(i)})
	}
	perf := dpsgd.Performance{Microbatch: examples + 4}
	sums, ok := s.sums(t, plan(clip, dpsgd.BookKeeping), perf, batches...)
	if !ok {
		return false
	}
	long, ok := s.sums(t, plan(clip, dpsgd.Materialized), perf, batches[0])
	if !ok || !s.sameModes(t, dpsgd.Float32, sums[0], long[0]) {
		return false
	}
	if n := length(sums[1]); n != 0 { // NaN is not either
		t.Errorf("model %q: an empty batch, all padding, adds %g: must add exactly zero", s.model.Name, n)
		return false
	}
	total, most := make([]float64, s.model.Size()), 0.0
	for i, sum := range sums[2:] {
		n := length(sum)
		if !(n <= clip*(1+rounding)) {
			t.Errorf("model %q: example %d alone adds %.4g times the clip norm: must add at most 1", s.model.Name, i, n/clip)
			return false
		}
		add(total, 1, sum)
		most += n
	}
	if off := distance(sums[0], total); !(off <= agreement[dpsgd.Float32]*most) {
		t.Errorf("model %q: a batch of %d examples adds a sum that is %.3g times the clip norm away from what they add alone: rows mix", s.model.Name, examples, off/clip)
		return false
	}
	return true
}

// overflow spoils one example, and makes weights large, so that layers that saturate overflow
// before they do.
func overflow(t testing.TB, s setup) bool {
	t.Helper()
	const few, spoilt = 6, 2
	scale := 1e3
	s.data = s.data.Subset("spoilt", []int{0, 1, 2, 3, 4, 5})
	s.data.Features = slices.Clone(s.data.Features)
	if s.anyRow {
		row := s.data.Row(spoilt)
		for i := range row {
			row[i] = 3e38
		}
	} else {
		scale = 1e38
	}
	s.weights = s.scaledWeights(scale)
	for _, mode := range []dpsgd.Mode{dpsgd.BookKeeping, dpsgd.Materialized} {
		sums, ok := s.sums(t, plan(clip, mode), dpsgd.Performance{Microbatch: few + 2}, firstOnes(few))
		if !ok {
			return false
		}
		if n := length(sums[0]); math.IsNaN(n) || n > few*clip*(1+1e-5) {
			t.Errorf("model %q: %d examples, one of which overflows, add %.4g times the clip norm: must add at most %d, and nothing of that one", s.model.Name, few, n/clip, few)
			return false
		}
	}
	return true
}

// replicas compares two models in one program with each alone.
func replicas(t testing.TB, s setup) bool {
	t.Helper()
	p := plan(clip, dpsgd.BookKeeping)
	p.Replicas = append(p.Replicas, p.Replicas[0])
	both := dpsgd.Parameters{Tensors: s.weights.Tensors, Values: [][]float64{s.weights.Values[0], s.scaledWeights(-0.7).Values[0]}}
	batches := [][]int32{firstOnes(7), {9, 3, 12, 4}}
	perf := dpsgd.Performance{Microbatch: 8, Chunk: 2}
	trainer, err := dpsgd.NewTrainer(s.model, s.data, p, perf)
	if err == nil {
		var together [][]float64
		if together, _, err = trainer.ClippedSums(context.Background(), both, batches); err == nil {
			return s.sameAlone(t, together, both, batches, perf)
		}
	}
	t.Errorf("%v", err)
	return false
}

// sameAlone compares the sums of replicas with those of the models alone.
func (s setup) sameAlone(t testing.TB, together [][]float64, both dpsgd.Parameters, batches [][]int32, perf dpsgd.Performance) bool {
	t.Helper()
	trainer, err := dpsgd.NewTrainer(s.model, s.data, plan(clip, dpsgd.BookKeeping), perf)
	for r := range together {
		var alone [][]float64
		if err == nil {
			alone, _, err = trainer.ClippedSums(context.Background(), both.Replica(r), batches[r:r+1])
		}
		if err != nil {
			t.Errorf("%v", err)
			return false
		}
		if off := distance(together[r], alone[0]); !(off <= agreement[dpsgd.Float32]*length(alone[0])) {
			t.Errorf("model %q: replica %d of 2 gives a sum that is %.3g away from that of the model alone, of norm %.3g", s.model.Name, r, off, length(alone[0]))
			return false
		}
	}
	return true
}
