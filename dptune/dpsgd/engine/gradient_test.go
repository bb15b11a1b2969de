package engine_test

import (
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/dpsgdtest"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// chains are models that between them have every layer.
func chains(t *testing.T) map[string]dpsgd.Model {
	t.Helper()
	chain := func(layers ...nn.Layer) dpsgd.Model {
		return must(models.Sequential("chain", []int{5}, layers...))(t)
	}
	return map[string]dpsgd.Model{
		"dense":            chain(nn.Dense(5, 3)),
		"tanh":             chain(nn.Dense(5, 6), nn.Tanh(), nn.Dense(6, 3)),
		"tempered sigmoid": chain(nn.Dense(5, 6), nn.TemperedSigmoid(1.7, 2.3, 0.4), nn.Dense(6, 3)),
		"relu":             chain(nn.Dense(5, 6), nn.ReLU(), nn.Dense(6, 3)),
		"first activation": chain(nn.Tanh(), nn.Dense(5, 4), nn.Tanh(), nn.Tanh(), nn.Dense(4, 3)),
	}
}

// Models of vectors keep the contract.
func TestChainsKeepTheContract(t *testing.T) {
	for name, m := range chains(t) {
		t.Run(name, func(t *testing.T) { dpsgdtest.Model(t, m, 3) })
	}
}

// TemperedSigmoid(2, 2, 1) is tanh (2σ(2x) - 1 = tanh x).
func TestTemperedSigmoidIsTanh(t *testing.T) {
	d, perf := blobs(9, 5, 3), engine.Performance{Precision: engine.Float64}
	tanh := must(models.MLPWith(nn.Tanh(), 5, 6, 3))(t)
	tempered := must(models.MLPWith(nn.TemperedSigmoid(2, 2, 1), 5, 6, 3))(t)
	w := randomWeights(tanh, 0.6)
	want, _ := clippedSum(t, tanh, d, clipOnly(1).Plan(), perf, w, rangeOf(9))
	got, _ := clippedSum(t, tempered, d, clipOnly(1).Plan(), perf, w, rangeOf(9))
	checkClose(t, "tempered", got, want, 1e-13)
}
