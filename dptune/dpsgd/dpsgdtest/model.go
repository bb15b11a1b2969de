package dpsgdtest

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/internal/job"
)

// clip is small enough to clip most gradients. never is so large that none is clipped, in the same
// program.
const clip, never = 0.5, 1e18

// agreement is how closely sums in one precision agree, relatively: some thousand units of the last
// place. Sums have some thousand products, and norms are raised by a bound on their rounding.
var agreement = map[engine.Precision]float64{engine.Float32: 1e-4, engine.Float64: 1e-12}

// Model fails the test unless the clipped sums of a model are right, on random examples of a number
// of classes. DP-SGD rests on these properties:
//
//   - each example's gradient, at every weight, equals central differences of its loss, with the
//     same coins;
//   - book-keeping and per-sample gradients give the same sums, in both precisions;
//   - each single example adds at most C, and a batch adds the sum of what its examples add;
//   - an example that overflows adds nothing to the others, nor does padding;
//   - several replicas in one program give the same as each by itself.
func Model(t testing.TB, m dpsgd.Model, classes int) {
	t.Helper()
	s, ok := newSetup(t, m, classes)
	if !ok {
		return
	}
	if !differences(t, s) {
		return // the next checks would fail for the same reason
	}
	p, ok := s.trainers(t)
	if !ok {
		return
	}
	for _, check := range []func(testing.TB, setup, pair) bool{apart, overflow, replicas} {
		if !check(t, s, p) {
			return
		}
	}
}

// differences compares gradients with central differences, whose error at step h is about
// h² + 1e-16/h, so 1e-9 here.
func differences(t testing.TB, s setup) bool {
	t.Helper()
	const h, few, relative = 1e-5, 3, 1e-8
	m, perf := s.model, engine.Performance{Precision: engine.Float64, Microbatch: few + 1}
	moved := dpsgd.Parameters{Tensors: s.weights.Tensors}
	for i := range m.Size() {
		for _, step := range []float64{h, -h} {
			values := slices.Clone(s.weights.Values[0])
			values[i] += step
			moved.Values = append(moved.Values, values)
		}
	}
	losses, err := lossesOf(m, moved, s.data.Subset("few", []int{0, 1, 2}), perf)
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
	whole, ok := s.trainer(t, plan(never, dpsgd.BookKeeping), perf)
	if !ok {
		return false
	}
	each, ok := sums(t, whole, s.weights, []int32{0}, []int32{1}, []int32{2})
	for e := range each {
		ok = ok && s.sameTensors(t, e, each[e], want[e], relative)
	}
	if !ok {
		return false
	}
	var modes [][]float64
	for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
		trainer, ok := s.trainer(t, plan(clip, mode), perf)
		if !ok {
			return false
		}
		all, ok := sums(t, trainer, s.weights, firstOnes(few))
		if !ok {
			return false
		}
		modes = append(modes, all[0])
	}
	if off := distance(modes[0], clipped); !(off <= relative*length(clipped)) {
		t.Errorf("model %q: the clipped sum of %d examples is %.3g away from finite differences, of norm %.3g", m.Name, few, off, length(clipped))
		return false
	}
	return s.sameModes(t, engine.Float64, modes[0], modes[1])
}

// lossesOf returns the losses of examples as in training: with coins, if some layers draw them.
func lossesOf(m dpsgd.Model, p dpsgd.Parameters, examples data.Dataset, perf engine.Performance) ([][]float64, error) {
	if m.Coins() == 0 {
		return engine.Losses(context.Background(), m, p, examples, perf)
	}
	opened, err := backend.Open(backend.Named(""))
	if err != nil {
		return nil, err
	}
	e, err := job.NewEvaluator[float64](job.Evaluation{
		Model: m, Examples: examples, Backend: opened, Microbatch: perf.Microbatch, Goroutines: 1,
		GroupSize: func(int) int { return 1 }, Coins: true,
	})
	if err != nil {
		return nil, err
	}
	defer e.Finalize()
	return e.Losses(context.Background(), p.Values)
}

// sameModes compares norms by algebra and weighted products with per-sample gradients.
func (s setup) sameModes(t testing.TB, precision engine.Precision, book, long []float64) bool {
	t.Helper()
	if off := distance(book, long); !(off <= agreement[precision]*length(long)) {
		t.Errorf("model %q: in %s, the clipped sum is %.3g away from the sum of per-sample gradients, of norm %.3g", s.model.Name, names[precision], off, length(long))
		return false
	}
	return true
}

// sameTensors reports the array of weights that has a wrong gradient.
func (s setup) sameTensors(t testing.TB, example int, got, want []float64, relative float64) bool {
	t.Helper()
	at, tolerance := 0, relative*length(want)
	for _, tensor := range s.weights.Tensors {
		end := at + tensor.Size()
		if off := distance(got[at:end], want[at:end]); !(off <= tolerance) {
			t.Errorf("model %q: the gradient of example %d at %q is %.3g away from finite differences, of norm %.3g: this gradient, or one at the inputs of a later layer, is wrong",
				s.model.Name, example, tensor.Name, off, length(want[at:end]))
			return false
		}
		at = end
	}
	return true
}

// apart compares the sum of a batch with the sum over its single examples, each at most C, and with
// the sum of per-sample gradients.
func apart(t testing.TB, s setup, p pair) bool {
	t.Helper()
	const rounding = 1e-5 // of norms in float32
	batches := [][]int32{firstOnes(examples), nil}
	for i := range examples {
		batches = append(batches, []int32{int32(i)})
	}
	book, ok := sums(t, p.book, s.weights, batches...)
	if !ok {
		return false
	}
	long, ok := sums(t, p.long, s.weights, batches[0])
	if !ok || !s.sameModes(t, engine.Float32, book[0], long[0]) {
		return false
	}
	if n := length(book[1]); n != 0 { // true for NaN too
		t.Errorf("model %q: an empty batch, all padding, adds %g: must add exactly zero", s.model.Name, n)
		return false
	}
	total, most := make([]float64, s.model.Size()), 0.0
	for i, sum := range book[2:] {
		n := length(sum)
		if !(n <= clip*(1+rounding)) {
			t.Errorf("model %q: example %d by itself adds %.4g times the clip norm: must add at most 1", s.model.Name, i, n/clip)
			return false
		}
		add(total, 1, sum)
		most += n
	}
	if off := distance(book[0], total); !(off <= agreement[engine.Float32]*most) {
		t.Errorf("model %q: the sum of %d examples is %.3g times the clip norm away from the single examples: rows mix", s.model.Name, examples, off/clip)
		return false
	}
	return true
}

// overflow puts the spoilt example into a batch. It makes weights large, so layers that saturate
// overflow before they saturate.
func overflow(t testing.TB, s setup, p pair) bool {
	t.Helper()
	batch, scale := []int32{0, 1, spoilt, 3, 4, 5}, 1e3
	if !s.anyRow {
		scale = 1e38
	}
	for _, trainer := range []*engine.Replicas{p.book, p.long} {
		got, ok := sums(t, trainer, s.scaledWeights(scale), batch)
		if !ok {
			return false
		}
		if n, few := length(got[0]), len(batch); math.IsNaN(n) || n > float64(few)*clip*(1+1e-5) {
			t.Errorf("model %q: %d examples, one of them overflowing, add %.4g times the clip norm: must add at most %d, and zero for that one", s.model.Name, few, n/clip, few)
			return false
		}
	}
	return true
}

// replicas compares two models in one program with each model by itself.
func replicas(t testing.TB, s setup, alone pair) bool {
	t.Helper()
	p := plan(clip, dpsgd.BookKeeping)
	p.Replicas = append(p.Replicas, p.Replicas[0])
	trainer, ok := s.trainer(t, p, engine.Performance{Microbatch: microbatch, ReplicasPerCall: 2})
	if !ok {
		return false
	}
	both := dpsgd.Parameters{Tensors: s.weights.Tensors, Values: [][]float64{s.weights.Values[0], s.scaledWeights(-0.7).Values[0]}}
	batches := [][]int32{firstOnes(7), {9, 3, 12, 4}}
	together, _, err := trainer.ClippedSums(context.Background(), both, batches)
	if err != nil {
		t.Errorf("%v", err)
		return false
	}
	for r := range together {
		want, ok := sums(t, alone.book, both.Replica(r), batches[r])
		if !ok {
			return false
		}
		if off := distance(together[r], want[0]); !(off <= agreement[engine.Float32]*length(want[0])) {
			t.Errorf("model %q: replica %d of 2 has a sum %.3g away from the same model by itself, of norm %.3g", s.model.Name, r, off, length(want[0]))
			return false
		}
	}
	return true
}
