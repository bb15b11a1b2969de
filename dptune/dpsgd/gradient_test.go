package dpsgd_test

import (
	"context"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
)

// chains are models that between them have every layer.
func chains(t *testing.T) map[string]dpsgd.Model {
	t.Helper()
	chain := func(layers ...dpsgd.Layer) dpsgd.Model {
		return must(models.Sequential("chain", []int{5}, layers...))(t)
	}
	return map[string]dpsgd.Model{
		"dense":            chain(dpsgd.Dense(5, 3)),
		"tanh":             chain(dpsgd.Dense(5, 6), dpsgd.Tanh(), dpsgd.Dense(6, 3)),
		"tempered sigmoid": chain(dpsgd.Dense(5, 6), dpsgd.TemperedSigmoid(1.7, 2.3, 0.4), dpsgd.Dense(6, 3)),
		"relu":             chain(dpsgd.Dense(5, 6), dpsgd.ReLU(), dpsgd.Dense(6, 3)),
		"first activation": chain(dpsgd.Tanh(), dpsgd.Dense(5, 4), dpsgd.Tanh(), dpsgd.Tanh(), dpsgd.Dense(4, 3)),
	}
}

// Gradients agree with central differences of the loss, whose error at step h is about
// h² + 1e-16/h, so 1e-9 here.
func TestGradientsAgreeWithDifferences(t *testing.T) {
	const h = 1e-5
	d, perf := blobs(7, 5, 3), dpsgd.Performance{Precision: dpsgd.Float64}
	for name, m := range chains(t) {
		w := randomWeights(m, 0.6)
		got, _ := clippedSum(t, m, d, clipOnly(0).Plan(), perf, w, rangeOf(7))
		moved := dpsgd.Parameters{Tensors: w.Tensors}
		for i := range m.Size() {
			for _, step := range []float64{h, -h} {
				values := append([]float64{}, w.Values[0]...)
				values[i] += step
				moved.Values = append(moved.Values, values)
			}
		}
		losses := must(dpsgd.Losses(context.Background(), m, moved, d, perf))(t)
		want := make([]float64, m.Size())
		for i := range want {
			for e := range 7 {
				want[i] += (losses[2*i][e] - losses[2*i+1][e]) / (2 * h)
			}
		}
		checkClose(t, name, got, want, 1e-8)
	}
}

// Norms by algebra and weighted products give what materialised gradients give.
func TestModesAgree(t *testing.T) {
	d := blobs(33, 5, 3)
	for name, m := range chains(t) {
		w := randomWeights(m, 0.6)
		for precision, p := range precisions {
			plan := clipOnly(0.5).Plan()
			book, _ := clippedSum(t, m, d, plan, p.perf, w, rangeOf(33))
			plan.Mode = dpsgd.Materialized
			long, _ := clippedSum(t, m, d, plan, p.perf, w, rangeOf(33))
			checkClose(t, name+" in "+precision, book, long, p.relative)
		}
	}
}

// TemperedSigmoid(2, 2, 1) is tanh (2σ(2x) - 1 = tanh x).
func TestTemperedSigmoidIsTanh(t *testing.T) {
	d, perf := blobs(9, 5, 3), dpsgd.Performance{Precision: dpsgd.Float64}
	tanh := must(models.MLPWith(dpsgd.Tanh(), 5, 6, 3))(t)
	tempered := must(models.MLPWith(dpsgd.TemperedSigmoid(2, 2, 1), 5, 6, 3))(t)
	w := randomWeights(tanh, 0.6)
	want, _ := clippedSum(t, tanh, d, clipOnly(1).Plan(), perf, w, rangeOf(9))
	got, _ := clippedSum(t, tempered, d, clipOnly(1).Plan(), perf, w, rangeOf(9))
	checkClose(t, "tempered", got, want, 1e-13)
}
