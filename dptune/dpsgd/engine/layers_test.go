package engine_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/dpsgdtest"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// layerChains are models that between them have every layer that is not in chains: odd and
// even kernels, strides that divide the kernel and that do not, padding, both forms of the
// convolution's norms, and pixels that no window sees.
func layerChains(t *testing.T) map[string]dpsgd.Model {
	t.Helper()
	chain := func(input []int, layers ...nn.Layer) dpsgd.Model {
		return must(models.Sequential("chain", input, layers...))(t)
	}
	square, window := nn.Square, nn.Window{Kernel: [2]int{2, 3}, Stride: [2]int{1, 2}, Padding: [2]int{1, 0}}
	chains := map[string]dpsgd.Model{
		"convolution": chain([]int{5, 4, 2}, nn.Conv2D(2, 3, square(3, 1, 1)), nn.Tanh(), nn.Dense(60, 3)),
		"even kernel": chain([]int{6, 6, 1},
			nn.Conv2D(1, 2, square(4, 2, 1)), nn.Tanh(), nn.Conv2D(2, 3, square(2, 1, 0)), nn.Tanh(), nn.Dense(12, 3)),
		"stride 3, kernel 2": chain([]int{7, 8, 2},
			nn.Conv2D(2, 2, square(2, 1, 1)), nn.Tanh(), nn.Conv2D(2, 3, square(2, 3, 1)), nn.Tanh(), nn.Dense(36, 3)),
		"stride 2, kernel 3": chain([]int{6, 7, 1},
			nn.Conv2DNoBias(1, 3, square(1, 1, 0)), nn.Tanh(), nn.Conv2D(3, 2, square(3, 2, 1)), nn.Tanh(), nn.Dense(24, 3)),
		"rectangular window": chain([]int{5, 9, 2},
			nn.Conv2D(2, 4, window), nn.Tanh(), nn.Conv2D(4, 2, window), nn.Tanh(), nn.Dense(14, 3)),
		"blocks of eight": chain([]int{6, 7, 4}, // gradients at inputs by rows of pixels on the go backend
			nn.Conv2D(4, 4, square(3, 1, 1)), nn.Tanh(), nn.Conv2D(4, 5, square(4, 2, 1)), nn.Tanh(), nn.Dense(45, 3)),
		"wide kernel": chain([]int{4, 4, 9}, // few places, many weights: norms from P Pᵀ
			nn.Conv2D(9, 7, square(3, 1, 0)), nn.Tanh(), nn.Conv2D(7, 40, square(2, 1, 0)), nn.Tanh(), nn.Dense(40, 3)),
		"overlapping max-pool": chain([]int{6, 5, 1},
			nn.Conv2D(1, 3, square(2, 1, 0)), nn.MaxPool(square(2, 1, 0)), nn.ReLU(), nn.Dense(36, 3)),
		"max-pool with a rest": chain([]int{7, 6, 1},
			nn.Conv2D(1, 2, square(2, 1, 0)), nn.MaxPool(nn.Window{Kernel: [2]int{2, 3}, Stride: [2]int{2, 2}}), nn.Tanh(), nn.Dense(12, 3)),
		"convolution and max-pool": chain([]int{8, 9, 2}, nn.Conv2D(2, 3, square(3, 1, 0)), nn.MaxPool(square(2, 2, 0)), nn.Tanh(),
			nn.Conv2D(3, 4, square(2, 1, 1)), nn.MaxPool(nn.Window{Kernel: [2]int{3, 2}, Stride: [2]int{3, 2}}), nn.ReLU(), nn.Dense(8, 3)),
		"convolution with stride and max-pool": chain([]int{9, 10, 1}, nn.Conv2DNoBias(1, 3, square(3, 2, 1)), nn.MaxPool(square(2, 2, 0)),
			nn.Residual([]nn.Layer{nn.Conv2D(3, 2, square(2, 1, 1)), nn.MaxPool(square(3, 3, 0))}, nn.Conv2D(3, 2, square(2, 2, 0))), nn.Dense(2, 3)),
		"average-pool": chain([]int{6, 5, 2}, nn.AvgPool(square(2, 1, 0)),
			nn.Conv2D(2, 3, square(2, 1, 0)), nn.Sigmoid(), nn.AvgPool(square(2, 2, 0)), nn.Flatten(), nn.Dense(6, 3)),
		"group norm": chain([]int{4, 3, 2}, nn.Conv2DNoBias(2, 4, square(3, 1, 1)), nn.GroupNorm(2, 4), nn.Tanh(),
			nn.GroupNorm(4, 4), nn.Dense(48, 3)),
		"standardized kernels": chain([]int{5, 4, 2}, nn.WeightStandardized(2, 4, square(3, 1, 1)), nn.Tanh(),
			nn.WeightStandardized(4, 3, square(2, 2, 0)), nn.Flatten(), nn.Dense(12, 3)),
		"group norm first": chain([]int{4, 3, 2}, nn.GroupNorm(1, 2), nn.GroupNorm(2, 2), nn.Dense(24, 3)),
		"residual": chain([]int{5, 5, 2}, nn.Conv2D(2, 3, square(2, 1, 1)),
			nn.Residual([]nn.Layer{nn.Tanh(), nn.Conv2D(3, 3, square(3, 1, 1)), nn.Tanh()}),
			nn.Residual([]nn.Layer{nn.Conv2D(3, 4, square(2, 2, 0)), nn.Tanh()}, nn.Conv2DNoBias(3, 4, square(1, 2, 0)), nn.GroupNorm(2, 4)),
			nn.Flatten(), nn.Residual([]nn.Layer{nn.Tanh()}), nn.Dense(36, 3)),
		"residual first": chain([]int{6}, nn.Residual([]nn.Layer{nn.Tanh(), nn.Dense(6, 6), nn.Tanh()}), nn.Dense(6, 3)),
		"frozen": chain([]int{5, 4, 2}, nn.Frozen(nn.Conv2D(2, 2, square(2, 1, 0)), numbers(18)), nn.Tanh(),
			nn.Conv2D(2, 3, square(2, 1, 0)), nn.Tanh(), nn.Frozen(nn.Dense(18, 6), numbers(114)), nn.Tanh(), nn.Dense(6, 3)),
		"frozen residual":  chain([]int{4}, nn.Frozen(nn.Residual([]nn.Layer{nn.Dense(4, 4), nn.Tanh()}), numbers(20)), nn.Dense(4, 3)),
		"embedding":        chain([]int{7}, nn.EmbeddingMean(11, 4), nn.ReLU(), nn.Dense(4, 3)),
		"frozen embedding": chain([]int{7}, nn.Frozen(nn.EmbeddingMean(11, 4), numbers(44)), nn.Dense(4, 3)),
		"places, embedding": chain([]int{6}, nn.Embedding(11, 4), nn.Positions(8, 4), nn.Residual([]nn.Layer{nn.LayerNorm(4), nn.Attention(4, 2, true)}),
			nn.PerPlace(nn.Dense(4, 5), nn.GELU(), nn.RMSNorm(5)), nn.MeanPlaces(), nn.Dense(5, 3)),
		"places": chain([]int{3, 7}, nn.PerPlace(nn.Dense(7, 20), nn.SiLU()), nn.Attention(20, 4, false), nn.LastPlace(), nn.Dense(20, 3)),
		"recurrent, embedding": chain([]int{5}, nn.Embedding(11, 3), nn.GRU(3, 4), nn.LSTM(4, 3), nn.LastPlace(),
			nn.LoRA(3, 3, 2, 2, numbers(12)), nn.Dense(3, 3)),
		"convolutions of a text": chain([]int{7}, nn.Embedding(11, 3), nn.PerPlace(nn.Dense(3, 4)), nn.Conv1D(4, 3, 3, 1, 0), nn.Tanh(),
			nn.Residual([]nn.Layer{nn.Conv1D(3, 3, 3, 1, 1)}), nn.Conv1D(3, 4, 2, 2, 1), nn.MeanPlaces(), nn.Dense(4, 3)),
		"automatic": chain([]int{5}, autoDense(5, 4), nn.Tanh(), autoDense(4, 4), nn.Dense(4, 3)),
		"tiles": chain([]int{4, 8, 2}, nn.Conv2D(2, 16, square(1, 1, 0)), nn.Tanh(), // XLA computes the second by tiles
			nn.Conv2D(16, 16, square(3, 1, 1)), nn.GroupNorm(4, 16), nn.Tanh(), nn.GlobalAvgPool(), nn.Dense(16, 3)),
		"global average-pool": chain([]int{4, 3, 2}, nn.Conv2D(2, 4, square(3, 1, 1)), nn.Tanh(), nn.GlobalAvgPool(), nn.Dense(4, 3)),
	}
	if testing.Short() {
		delete(chains, "tiles") // has many weights
	}
	if compilesSlowly() {
		// A form of only the go backend; elsewhere it is that of the even kernel. XLA compiles each
		// of its programs by book-keeping for about 20 s, see package xla, and others of the size
		// in 1 s.
		delete(chains, "blocks of eight")
	}
	return chains
}

// numbers returns n numbers that are nowhere special.
func numbers(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Sin(float64(3*i + 1))
	}
	return values
}

// autoDense is a layer x -> tanh(W x) + b by automatic differentiation.
func autoDense(in, out int) nn.Layer {
	weights := []nn.Weight{{Name: "w", Shape: []int{out, in}}, {Name: "b", Shape: []int{out}}}
	return nn.Auto("dense", weights, func([]int) ([]int, error) { return []int{out}, nil },
		func(w []*graph.Node, x *graph.Node) *graph.Node {
			return graph.Add(graph.Tanh(graph.ReduceSum(graph.Mul(w[0], graph.InsertAxes(x, 1)), 2)), w[1])
		})
}

// tokens returns n lists of token ids below vocabulary, with repeats and padding; the
// first is all padding.
func tokens(n, length, vocabulary int) []float32 {
	values := make([]float32, n*length)
	for i := range values {
		values[i] = float32((i*i + i/3) % vocabulary)
		if i < length || i%length > length-1-i/length%3 {
			values[i] = nn.TokenPadding
		}
	}
	return values
}

// examplesFor returns examples that fit a model, and weights that are nowhere special.
func examplesFor(m dpsgd.Model, n int) (data.Dataset, dpsgd.Parameters) {
	width := 1
	for _, side := range m.Input {
		width *= side
	}
	d := blobs(n, width, 3)
	d.Shape = m.Input
	if name := m.Layers[0].String(); strings.HasPrefix(name, "Embedding") || strings.HasPrefix(name, "Frozen(Embedding") {
		d.Features = tokens(n, width, 11)
	}
	return d, randomWeights(m, 0.6)
}

// Models of our own layers keep the contract: gradients agree with differences, modes agree, a
// batch adds the sum of its single examples, and examples that overflow add nothing.
func TestLayersKeepTheContract(t *testing.T) {
	chains := layerChains(t)
	for i, name := range slices.Sorted(maps.Keys(chains)) {
		if testing.Short() && i%3 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) { dpsgdtest.Model(t, chains[name], 3) })
	}
}

// Layers with a different form for each place in a model are tested separately.
func TestSingleLayersKeepTheContract(t *testing.T) {
	if compilesSlowly() {
		t.Skip("the same layers are tested in models")
	}
	dpsgdtest.Layer(t, nn.Dense(6, 4), 6)
	dpsgdtest.Layer(t, nn.Flatten(), 3, 2)
	dpsgdtest.Layer(t, nn.ReLU(), 5)
	dpsgdtest.Layer(t, nn.Conv2D(2, 3, nn.Square(2, 1, 1)), 3, 4, 2)
	dpsgdtest.Layer(t, nn.EmbeddingMean(5, 3), 4)
	dpsgdtest.Layer(t, autoDense(4, 3), 4)
}

// R replicas give the bits of R single runs.
func TestLayerReplicasEqualSingleRuns(t *testing.T) {
	const replicas = 3
	configs, rs := several(replicas), roots(replicas)
	microbatch := partsOrWhole(8, 30)
	for name, m := range layerChains(t) {
		d, _ := examplesFor(m, 30)
		together := trainer(t, m, d, dpsgd.Plan{Replicas: configs}, engine.Performance{Microbatch: microbatch, ReplicasPerCall: replicas})
		got := must(together.RunEach(context.Background(), rs))(t).Parameters.Values
		for r := range configs {
			if r < replicas-1 && compilesSlowly() { // the last has the program of TestLayersShareBatches, since it has a momentum
				continue
			}
			single := trainer(t, m, d, configs[r].Plan(), engine.Performance{Microbatch: microbatch})
			want := must(single.RunEach(context.Background(), rs[r:r+1]))(t).Parameters.Values[0]
			if !sameBits(got[r], want) {
				t.Errorf("%s: replica %d is %.3g away from its single run, want the same bits", name, r, distance(got[r], want))
			}
		}
	}
}

// Replicas that share their batches get each batch once, for all. Every layer then gives the
// results of a single replica.
func TestLayersShareBatches(t *testing.T) {
	const replicas = 3
	plan := dpsgd.Plan{Replicas: several(replicas), SharedBatches: true}
	for r := range plan.Replicas {
		plan.Replicas[r].Sampling = dpsgd.Poisson{Rate: 0.3}
	}
	for name, m := range layerChains(t) {
		d, _ := examplesFor(m, 30)
		run := func(group int) [][]float64 {
			perf := engine.Performance{Microbatch: partsOrWhole(16, 30), ReplicasPerCall: group}
			return must(trainer(t, m, d, plan, perf).RunEach(context.Background(), roots(replicas)))(t).Parameters.Values
		}
		together, alone := run(replicas), run(1)
		for r := range alone {
			if !sameBits(together[r], alone[r]) {
				t.Errorf("%s: replica %d is %.3g away from its own run on the same batches, want the same bits", name, r, distance(together[r], alone[r]))
			}
		}
	}
}

// Shapes that do not fit are named with what was expected and found.
func TestLayersRefuseShapes(t *testing.T) {
	square := nn.Square
	for _, c := range []struct {
		layer nn.Layer
		input []int
		want  string
	}{
		{nn.Conv2D(3, 8, square(3, 1, 1)), []int{8, 8, 2}, "Conv2D(3, 8, 3x3 padding 1x1): input of shape [8 8 2] has 2 channels: must have 3"},
		{nn.Conv2D(1, 8, square(3, 1, 0)), []int{64}, "input of shape [64]: must be [rows, columns, channels]"},
		{nn.Conv2D(1, 8, square(5, 1, 0)), []int{4, 8, 1}, "must have sides of at least [5 5]"},
		{nn.Conv2D(1, 0, square(5, 1, 0)), []int{8, 8, 1}, "sizes must be >= 1"},
		{nn.Conv2D(1, 2, square(3, 0, 0)), []int{8, 8, 1}, "kernel and stride must be >= 1"},
		{nn.Conv2D(1, 2, square(3, 1, 3)), []int{8, 8, 1}, "padding in [0, kernel)"},
		{nn.MaxPool(square(2, 2, 1)), []int{8, 8, 1}, "MaxPool(2x2 stride 2x2 padding 1x1): padding must be 0"},
		{nn.AvgPool(square(9, 1, 0)), []int{8, 8, 1}, "AvgPool(9x9): input of shape [8 8 1]"},
		{nn.GroupNorm(3, 4), []int{2, 2, 4}, "GroupNorm(3, 4): groups and channels must be >= 1, and groups divide channels"},
		{nn.GroupNorm(2, 4), []int{2, 2, 6}, "input of shape [2 2 6]: must be [rows, columns, 4]"},
		{nn.Residual([]nn.Layer{nn.Dense(4, 3)}), []int{4}, "the block gives [3] and the skip [4]: must be equal"},
		{nn.Residual([]nn.Layer{nn.Dense(5, 3)}), []int{4}, "Residual: block: layer 0: Dense(5, 3): input of shape [4]"},
		{nn.Residual([]nn.Layer{nil}), []int{4}, "Residual: block: layer 0 is nil"},
		{nn.Residual([]nn.Layer{nn.EmbeddingMean(4, 4)}), []int{4}, "must be the first layer"},
		{nn.Residual(nil), []int{4}, "block is empty"},
		{nn.Frozen(nn.Dense(4, 3), numbers(3)), []int{4}, "Frozen(Dense(4, 3)): 3 values: must be 15"},
		{nn.Frozen(nil, nil), []int{4}, "layer is nil"},
		{nn.Frozen(nn.Dense(1, 1), []float64{1, math.NaN()}), []int{1}, "values[1] is NaN: must be finite"},
		{nn.EmbeddingMean(0, 3), []int{4}, "vocabulary must be in [1, 16777216]"},
		{nn.EmbeddingMean(9, 3), []int{4, 2}, "input of shape [4 2]: must be [tokens]"},
		{nn.Embedding(0, 3), []int{4}, "Embedding(0, 3): vocabulary must be in [1, 16777216]"},
		{nn.Embedding(9, 3), []int{4, 2}, "Embedding(9, 3): input of shape [4 2]: must be [tokens]"},
		{nn.Positions(4, 3), []int{5, 3}, "Positions(4, 3): input of shape [5 3]: must be [places, 3] with at most 4 places"},
		{nn.Positions(0, 3), []int{5, 3}, "sizes must be >= 1"},
		{nn.SinusoidalPositions(), []int{5}, "must be [places, width]"},
		{nn.Attention(6, 4, false), []int{5, 6}, "Attention(6, 4, false): width and heads must be >= 1, and heads divide width"},
		{nn.Attention(6, 2, false), []int{5, 7}, "input of shape [5 7]: must be [places, 6]"},
		{nn.LayerNorm(0), []int{5, 6}, "LayerNorm(0): width must be >= 1"},
		{nn.RMSNorm(5), []int{5, 6}, "RMSNorm(5): input of shape [5 6]: must be [..., 5]"},
		{nn.MeanPlaces(), []int{5}, "MeanPlaces: input of shape [5]: must be [places, values...]"},
		{nn.LastPlace(), []int{5}, "LastPlace: input of shape [5]: must be [places, values...]"},
		{nn.WeightStandardized(1, 2, square(3, 0, 0)), []int{8, 8, 1}, "WeightStandardized(1, 2, 3x3 stride 0x0): Conv2D("},
		{nn.GRU(3, 0), []int{5, 3}, "GRU(3, 0): sizes must be >= 1"},
		{nn.LSTM(3, 4), []int{5}, "LSTM(3, 4): input of shape [5]: must be [places, 3]"},
		{nn.Conv1D(3, 4, 2, 1, 0), []int{5, 2}, "Conv1D(3, 4, 2, 1, 0): input of shape [5 2]: must be [places, 3]"},
		{nn.Conv1D(3, 4, 7, 1, 0), []int{5, 3}, "must have sides of at least [7 1]"},
		{nn.LoRA(3, 4, 0, 1, nil), []int{3}, "LoRA(3, 4, 0, 1): sizes must be >= 1"},
		{nn.LoRA(3, 4, 2, 1, numbers(15)), []int{3}, "15 values: must be 16, those of Dense(3, 4)"},
		{nn.LoRA(3, 4, 2, math.NaN(), numbers(16)), []int{3}, "scale[0] is NaN: must be finite"},
		{nn.LoRA(1, 1, 1, 1, []float64{1, math.Inf(1)}), []int{1}, "values[1] is +Inf: must be finite"},
		{nn.PerPlace(), []int{5, 3}, "PerPlace: layers are empty"},
		{nn.PerPlace(nn.Tanh()), []int{5}, "PerPlace(Tanh): input of shape [5]: must be [places, values...]"},
		{nn.PerPlace(nn.Dense(4, 3)), []int{5, 3}, "PerPlace: layer 0: Dense(4, 3): input of shape [3] has 3 values: must have 4"},
		{nn.PerPlace(nn.Embedding(4, 3)), []int{5, 3}, "must be the first layer"},
		{nn.Auto("empty", nil, nil, nil), []int{4}, "Auto(empty): output and f must not be nil"},
		{nn.GlobalAvgPool(), []int{8}, "GlobalAvgPool: input of shape [8]"},
	} {
		if _, err := c.layer.OutputShape(c.input); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v on %v: error %v, want one that says %q", c.layer, c.input, err, c.want)
		}
	}
}

// Token ids are checked with row and column before anything runs, and where they enter.
func TestTokensAreValidated(t *testing.T) {
	m := must(models.Sequential("text", []int{7}, nn.EmbeddingMean(11, 4), nn.Dense(4, 3)))(t)
	for _, bad := range []float32{11, -2, 0.5} {
		d, w := examplesFor(m, 5)
		d.Features[3*7+2] = bad
		_, err := engine.NewTrainer(m, d, clipOnly(1))
		_, evaluated := engine.Losses(context.Background(), m, w, d)
		for _, err := range []error{err, evaluated} {
			if err == nil || !strings.Contains(err.Error(), "row 3, column 2: EmbeddingMean(11, 4): token") {
				t.Errorf("token %g: error %v, want one with row and column", bad, err)
			}
		}
	}
	if _, err := models.Sequential("text", []int{7}, nn.Tanh(), nn.EmbeddingMean(11, 4)); err == nil || !strings.Contains(err.Error(), "must be the first layer") {
		t.Errorf("embedding second: error %v", err)
	}
}

// GoMLX differentiates convolutions with even kernels wrongly, so Auto refuses them.
func TestAutoRefusesConvolutions(t *testing.T) {
	convolution := nn.Auto("convolution", []nn.Weight{{Name: "k", Shape: []int{2, 2, 1, 1}}},
		func([]int) ([]int, error) { return []int{3, 3, 1}, nil },
		func(w []*graph.Node, x *graph.Node) *graph.Node {
			return graph.Convolve(x, graph.Reshape(graph.Slice(w[0], graph.AxisElem(0)), 2, 2, 1, 1)).NoPadding().Done()
		})
	shape := nn.Auto("shape", nil, func([]int) ([]int, error) { return []int{9}, nil },
		func(_ []*graph.Node, x *graph.Node) *graph.Node { return x })
	for want, layer := range map[string]nn.Layer{"Auto(convolution): f uses a convolution": convolution, "f returned shape [6 4 4 1]: must be [6 9]": shape} {
		m := must(models.Sequential("auto", []int{4, 4, 1}, layer, nn.Dense(9, 3)))(t)
		d, _ := examplesFor(m, 5)
		_, err := engine.NewTrainer(m, d, clipOnly(1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

// Our layers pass the check that layers of others must pass.
func TestOwnLayersPassTheCheck(t *testing.T) {
	if testing.Short() || compilesSlowly() { // then they are tested only in models
		t.Skip("compiles a program for each layer")
	}
	seen := map[string]bool{}
	for _, m := range layerChains(t) {
		shape := m.Input
		for _, l := range m.Layers {
			if key := fmt.Sprint(l, shape); !seen[key] {
				seen[key] = true
				if err := engine.CheckLayer(l, shape); err != nil {
					t.Error(err)
				}
			}
			shape, _ = l.OutputShape(shape)
		}
	}
}
