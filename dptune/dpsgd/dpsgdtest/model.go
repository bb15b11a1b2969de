package dpsgdtest

import (
	"context"
	"fmt"
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
	if err := checkModel(m, classes); err != nil {
		t.Errorf("%v", err)
	}
}

// checkModel returns the first fault: later checks may fail for the same reason.
func checkModel(m dpsgd.Model, classes int) error {
	s, err := newSetup(m, classes)
	if err != nil {
		return err
	}
	if err := differences(s); err != nil {
		return err
	}
	p, err := s.trainers()
	if err != nil {
		return err
	}
	for _, check := range []func(setup, pair) error{apart, overflow, replicas} {
		if err := check(s, p); err != nil {
			return err
		}
	}
	return nil
}

// differences compares gradients with central differences, whose error at step h is about
// h² + 1e-16/h, so 1e-9 here.
func differences(s setup) error {
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
		return err
	}
	want, clipped := make([][]float64, few), make([]float64, m.Size())
	for e := range want {
		want[e] = make([]float64, m.Size())
		for i := range want[e] {
			want[e][i] = (losses[2*i][e] - losses[2*i+1][e]) / (2 * h)
		}
		add(clipped, min(1, clip/length(want[e])), want[e])
	}
	whole, err := s.trainer(plan(never, dpsgd.BookKeeping), perf)
	if err != nil {
		return err
	}
	each, err := sums(whole, s.weights, []int32{0}, []int32{1}, []int32{2})
	if err != nil {
		return err
	}
	for e := range each {
		if err := s.sameTensors(e, each[e], want[e], relative); err != nil {
			return err
		}
	}
	var modes [][]float64
	for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
		trainer, err := s.trainer(plan(clip, mode), perf)
		if err != nil {
			return err
		}
		all, err := sums(trainer, s.weights, firstOnes(few))
		if err != nil {
			return err
		}
		modes = append(modes, all[0])
	}
	if off := distance(modes[0], clipped); !(off <= relative*length(clipped)) {
		return fmt.Errorf("model %q: the clipped sum of %d examples is %.3g away from finite differences, of norm %.3g", m.Name, few, off, length(clipped))
	}
	return s.sameModes(engine.Float64, modes[0], modes[1])
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
func (s setup) sameModes(precision engine.Precision, book, long []float64) error {
	if off := distance(book, long); !(off <= agreement[precision]*length(long)) {
		return fmt.Errorf("model %q: in %s, the clipped sum is %.3g away from the sum of per-sample gradients, of norm %.3g", s.model.Name, names[precision], off, length(long))
	}
	return nil
}

// sameTensors reports the array of weights that has a wrong gradient.
func (s setup) sameTensors(example int, got, want []float64, relative float64) error {
	at, tolerance := 0, relative*length(want)
	for _, tensor := range s.weights.Tensors {
		end := at + tensor.Size()
		if off := distance(got[at:end], want[at:end]); !(off <= tolerance) {
			return fmt.Errorf("model %q: the gradient of example %d at %q is %.3g away from finite differences, of norm %.3g: this gradient, or one at the inputs of a later layer, is wrong",
				s.model.Name, example, tensor.Name, off, length(want[at:end]))
		}
		at = end
	}
	return nil
}

// apart compares the sum of a batch with the sum over its single examples, each at most C, and with
// the sum of per-sample gradients.
func apart(s setup, p pair) error {
	const rounding = 1e-5 // of norms in float32
	batches := [][]int32{firstOnes(examples), nil}
	for i := range examples {
		batches = append(batches, []int32{int32(i)})
	}
	book, err := sums(p.book, s.weights, batches...)
	if err != nil {
		return err
	}
	long, err := sums(p.long, s.weights, batches[0])
	if err == nil {
		err = s.sameModes(engine.Float32, book[0], long[0])
	}
	if err != nil {
		return err
	}
	if n := length(book[1]); n != 0 { // true for NaN too
		return fmt.Errorf("model %q: an empty batch, all padding, adds %g: must add exactly zero", s.model.Name, n)
	}
	total, most := make([]float64, s.model.Size()), 0.0
	for i, sum := range book[2:] {
		n := length(sum)
		if !(n <= clip*(1+rounding)) {
			return fmt.Errorf("model %q: example %d by itself adds %.4g times the clip norm: must add at most 1", s.model.Name, i, n/clip)
		}
		add(total, 1, sum)
		most += n
	}
	if off := distance(book[0], total); !(off <= agreement[engine.Float32]*most) {
		return fmt.Errorf("model %q: the sum of %d examples is %.3g times the clip norm away from the single examples: rows mix", s.model.Name, examples, off/clip)
	}
	return nil
}

// overflow puts the spoilt example into a batch. It makes weights large, so layers that saturate
// overflow before they saturate.
func overflow(s setup, p pair) error {
	batch, scale := []int32{0, 1, spoilt, 3, 4, 5}, 1e3
	if !s.anyRow {
		scale = 1e38
	}
	for _, trainer := range []*engine.Replicas{p.book, p.long} {
		got, err := sums(trainer, s.scaledWeights(scale), batch)
		if err != nil {
			return err
		}
		if n, few := length(got[0]), len(batch); math.IsNaN(n) || n > float64(few)*clip*(1+1e-5) {
			return fmt.Errorf("model %q: %d examples, one of them overflowing, add %.4g times the clip norm: must add at most %d, and zero for that one", s.model.Name, few, n/clip, few)
		}
	}
	return nil
}

// replicas compares two models in one program with each model by itself.
func replicas(s setup, alone pair) error {
	p := plan(clip, dpsgd.BookKeeping)
	p.Replicas = append(p.Replicas, p.Replicas[0])
	trainer, err := s.trainer(p, engine.Performance{Microbatch: microbatch, ReplicasPerCall: 2})
	if err != nil {
		return err
	}
	both := dpsgd.Parameters{Tensors: s.weights.Tensors, Values: [][]float64{s.weights.Values[0], s.scaledWeights(-0.7).Values[0]}}
	batches := [][]int32{firstOnes(7), {9, 3, 12, 4}}
	together, _, err := trainer.ClippedSums(context.Background(), both, batches)
	if err != nil {
		return err
	}
	for r := range together {
		want, err := sums(alone.book, both.Replica(r), batches[r])
		if err != nil {
			return err
		}
		if off := distance(together[r], want[0]); !(off <= agreement[engine.Float32]*length(want[0])) {
			return fmt.Errorf("model %q: replica %d of 2 has a sum %.3g away from the same model by itself, of norm %.3g", s.model.Name, r, off, length(want[0]))
		}
	}
	return nil
}
