package engine_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/dpsgdtest"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

func dropoutModel(layers ...nn.Layer) dpsgd.Model {
	return dpsgd.Model{Name: "drawn", Input: []int{6}, Layers: slices.Concat(layers, []nn.Layer{nn.Dense(6, 4), nn.Tanh(), nn.Dropout(0.4), nn.Dense(4, 3)}), Loss: nn.SoftmaxCrossEntropy()}
}

func convModel(views int) dpsgd.Model {
	return dpsgd.Model{Name: "views", Input: []int{6, 6, 1}, Views: views, Loss: nn.SoftmaxCrossEntropy(), Layers: []nn.Layer{
		nn.Crops(2, true), nn.Conv2D(1, 3, nn.Square(3, 1, 1)), nn.MaxPool(nn.Square(2, 2, 0)), nn.Tanh(),
		nn.Residual([]nn.Layer{nn.Conv2D(3, 3, nn.Square(3, 1, 1)), nn.StochasticDepth(0.3)}),
		nn.GroupNorm(1, 3), nn.Flatten(), nn.Dense(27, 4), nn.Tanh(), nn.Dropout(0.25), nn.Dense(4, 2)}}
}

// The layers that draw keep the contract: with their coins, and in evaluation.
func TestDrawingLayersKeepTheContract(t *testing.T) {
	for name, c := range map[string]struct {
		layer nn.Layer
		input []int
	}{
		"dropout":           {nn.Dropout(0.5), []int{2, 3}},
		"stochastic depth":  {nn.Residual([]nn.Layer{nn.Dense(5, 5), nn.StochasticDepth(0.5)}), []int{5}},
		"crops":             {nn.Crops(1, true), []int{3, 4, 2}},
		"dropout of places": {nn.PerPlace(nn.Dense(3, 2), nn.Dropout(0.5), nn.Dense(2, 2)), []int{2, 3}},
	} {
		t.Run(name, func(t *testing.T) { dpsgdtest.Layer(t, c.layer, c.input...) })
	}
	dpsgdtest.Model(t, dropoutModel(nn.Dropout(0.2)), 3)
}

// The gradient of an example is the mean over its views, by book-keeping and in full.
func TestViewsKeepTheContract(t *testing.T) {
	dpsgdtest.Model(t, convModel(3), 2)
	tokens := dpsgd.Model{Name: "tokens", Input: []int{4, 2}, Views: 2, Loss: nn.VectorSquaredError(3), Layers: []nn.Layer{
		nn.PerPlace(nn.Dense(2, 3), nn.Dropout(0.5)), nn.LayerNorm(3), nn.Flatten(), nn.Dense(12, 3)}}
	dpsgdtest.Model(t, tokens, 1)
}

// The coins of an example depend on root, step and example only. So its gradient is the same in any
// batch, place and microbatch, and the sum over a batch is that over its examples.
func TestCoinsAreTheExamplesOwn(t *testing.T) {
	d, m := blobs(9, 6, 3), dropoutModel()
	w := randomWeights(m, 0.8)
	perf := engine.Performance{Microbatch: 4, Precision: engine.Float64}
	tr := trainer(t, m, d, clipOnly(0.5).Plan(), perf)
	total := make([]float64, m.Size())
	var each [][]float64
	for i := range int32(9) {
		one, _ := sumWith(t, tr, w, []int32{i})
		each = append(each, one)
		for k, v := range one {
			total[k] += v
		}
	}
	whole, _ := sumWith(t, tr, w, rangeOf(9))
	checkClose(t, "the batch", whole, total, 1e-12)
	order := []int32{8, 3, 5, 1, 0, 7, 2, 6, 4}
	again, _ := sumWith(t, trainer(t, m, d, clipOnly(0.5).Plan(), engine.Performance{Microbatch: 9, Precision: engine.Float64}), w, order)
	checkClose(t, "another order", again, total, 1e-12)
	plain := dropoutModel()
	plain.Layers[2] = nn.Dropout(0)
	without, _ := clippedSum(t, plain, d, clipOnly(0.5).Plan(), perf, w, []int32{0})
	if distance(without, each[0]) < 1e-3 {
		t.Error("dropout does nothing")
	}
}

// Runs with coins have the same bits after a resume, in several replicas and several steps a call,
// and other bits for another root. Evaluation has no coins.
func TestRunsWithCoins(t *testing.T) {
	d, m := blobs(60, 6, 3), dropoutModel()
	p := private().Plan()
	p.Replicas[0].Steps = 6
	perf := engine.Performance{Microbatch: 64}
	want := train(t, m, d, p, perf, "coins").Parameters.Values[0]
	if same := train(t, m, d, p, perf, "coins").Parameters.Values[0]; !sameBits(same, want) {
		t.Error("the same run has other bits")
	}
	plain := dropoutModel()
	plain.Layers[2] = nn.Dropout(0)
	if other := train(t, plain, d, p, perf, "coins").Parameters.Values[0]; distance(other, want) < 1e-4 {
		t.Error("dropout does nothing")
	}
	perf.Checkpoint = engine.Checkpoint{Dir: t.TempDir(), Every: 2}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := p
	stopped.Weights = func(step, _ int, _ []float64) {
		if step == 2 {
			cancel()
		}
	}
	if _, err := trainer(t, m, d, stopped, perf).Run(ctx, streams.Fixed("coins")); err == nil {
		t.Fatal("the run did not stop")
	}
	resumed := must(engine.NewReplicas(m, d, p, perf))(t)
	if got := must(resumed.Run(context.Background(), streams.Fixed("coins")))(t).Parameters.Values[0]; !sameBits(got, want) {
		t.Error("a resumed run has other bits")
	}
	w := randomWeights(m, 1)
	evaluated := must(engine.Losses(context.Background(), m, w, d))(t)[0]
	w.Tensors = plain.Tensors()
	if !sameBits(evaluated, must(engine.Losses(context.Background(), plain, w, d))(t)[0]) {
		t.Error("coins in evaluation")
	}
}

// Replicas with coins give what each gives by itself, with their own batches. With shared ones, the
// first root draws batches and coins. A crafted example has coins like any other.
func TestReplicasWithCoins(t *testing.T) {
	images := blobs(30, 36, 2)
	images.Shape = []int{6, 6, 1}
	for name, c := range map[string]struct {
		model dpsgd.Model
		data  data.Dataset
	}{"dropout": {dropoutModel(nn.Dropout(0.2)), blobs(30, 6, 3)}, "views": {convModel(2), images}} {
		config := private()
		config.Steps = 3
		alone := config.Plan()
		pair := dpsgd.Plan{Replicas: []dpsgd.Config{config, config}}
		x := dpsgd.Example{Features: c.data.Row(3), Label: 1}
		roots := []streams.Root{streams.Fixed("a"), streams.Fixed("b")}
		run := func(p dpsgd.Plan, in []bool, roots ...streams.Root) *engine.Results {
			p.Canary = &dpsgd.Canary{Example: &x, In: in}
			return must(trainer(t, c.model, c.data, p, engine.Performance{Microbatch: 31, ReplicasPerCall: len(roots)}).RunEach(context.Background(), roots))(t)
		}
		first := run(alone, []bool{true}, roots[0]).Parameters.Values[0]
		second := run(alone, []bool{false}, roots[1]).Parameters.Values[0]
		both := run(pair, []bool{true, false}, roots...).Parameters.Values
		if !sameBits(both[0], first) || !sameBits(both[1], second) {
			t.Errorf("%s: two replicas are %g and %g away from each by itself", name, distance(both[0], first), distance(both[1], second))
		}
		pair.SharedBatches = true
		shared := run(pair, []bool{true, true}, roots...).Parameters.Values
		if !sameBits(shared[0], first) {
			t.Errorf("%s: the first of two that share batches is %g away from it by itself", name, distance(shared[0], first))
		}
	}
}

// Steps of one's own draw the coins of the step, and read targets.
func TestOwnStepsWithCoinsAndTargets(t *testing.T) {
	m := dropoutModel(nn.Dropout(0.2))
	m.Loss = nn.Weighted(m.Loss)
	d := withTargets(blobs(40, 6, 3), m.Loss)
	plan := dpsgd.Plan{Generator: dpsgd.AES256, Replicas: []dpsgd.Config{private(), private()}}
	perf := engine.Performance{Precision: engine.Float64, Microbatch: 32}
	want := train(t, m, d, plan, perf, "own coins")
	own := trainer(t, m, d, ownPlan(plan, dpsgd.Own{Event: accounting.NonPrivate{}}), perf)
	got := must(own.RunOwn(t.Context(), streams.Fixed("own coins"), asConfigs(plan, d.Len())))(t)
	for r := range plan.Replicas {
		checkClose(t, "steps of one's own", got.Parameters.Values[r], want.Parameters.Values[r], 1e-12)
	}
	one := trainer(t, m, d, clipOnly(1e6).Plan(), perf)
	w := randomWeights(m, 1)
	norms := must(one.Norms(t.Context(), w, [][]int32{{4}}))(t)
	sum, _ := sumWith(t, one, w, []int32{4})
	if n := norms[0][0]; math.Abs(n-length(sum)) > 1e-9*n {
		t.Errorf("norm %g of a gradient of norm %g", n, length(sum))
	}
}

// Shares of dropped values and places of crops are as the rate and the padding say.
func TestCoinsAreUniform(t *testing.T) {
	const n, side = 4000, 5
	d := data.Dataset{Name: "dots", Shape: []int{side, side, 1}, Classes: 1, TargetShape: []int{1}, Targets: slices.Repeat([]float32{1}, n), Labels: make([]int32, n)}
	for range n {
		row := make([]float32, side*side)
		row[2*side+1] = 1
		d.Features = append(d.Features, row...)
	}
	// One weight for each pixel of the cropped image. Its gradient is -1 times the pixel.
	m := dpsgd.Model{Name: "dot", Input: d.Shape, Layers: []nn.Layer{nn.Crops(1, true), nn.Dense(side*side, 1)}, Loss: nn.VectorSquaredError(1)}
	zeros := dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{make([]float64, m.Size())}}
	sum, _ := clippedSum(t, m, d, clipOnly(1e6).Plan(), engine.Performance{Microbatch: 500}, zeros, rangeOf(n))
	// Rows 1 to 3 each with chance 1/3. Column 1, moved by -1 to 1, is 0 to 2; column 3 of a flipped
	// one is 2 to 4. So columns have chances 1, 1, 2, 1, 1 of 6.
	for y := range side {
		for x := range side {
			want := 0.0
			if y >= 1 && y <= 3 {
				want = []float64{1, 1, 2, 1, 1}[x] / 18 * n
			}
			// A count of n coins is within 6 standard deviations except with chance 2e-9.
			if got := -sum[y*side+x]; math.Abs(got-want) > 6*math.Sqrt(want) {
				t.Errorf("%g dots at row %d, column %d, want %g", got, y, x, want)
			}
		}
	}
	drop := dpsgd.Model{Name: "drop", Input: d.Shape, Layers: []nn.Layer{nn.Flatten(), nn.Dropout(0.3), nn.Dense(side*side, 1)}, Loss: nn.VectorSquaredError(1)}
	zeros.Tensors = drop.Tensors()
	kept, _ := clippedSum(t, drop, d, clipOnly(1e6).Plan(), engine.Performance{Microbatch: 500}, zeros, rangeOf(n))
	if share := -kept[2*side+1] * 0.7 / n; math.Abs(share-0.7) > 6*math.Sqrt(0.21/n) {
		t.Errorf("a share of %g is kept, want 0.7", share)
	}
}

// neighborly drops what the coins of the example before it say.
type neighborly struct{ nn.Drawing }

func (neighborly) String() string { return "neighborly" }

func (l neighborly) ForwardDrawn(w []*graph.Node, in nn.Activations, coins *graph.Node) (nn.Activations, nn.Backward) {
	batch := coins.Shape().Dim(1)
	last := graph.Slice(coins, graph.AxisRange(), graph.AxisRange(batch-1, batch))
	others := graph.Slice(coins, graph.AxisRange(), graph.AxisRange(0, batch-1))
	return l.Drawing.ForwardDrawn(w, in, graph.Concatenate([]*graph.Node{last, others}, 1))
}

// A layer that uses the coins of other examples is found.
func TestCoinsOfOthersAreRefused(t *testing.T) {
	layer := neighborly{nn.Dropout(0.5).(nn.Drawing)}
	if err := engine.CheckLayer(layer, []int{4}); err == nil || !strings.Contains(err.Error(), "with coins: neighborly") || !strings.Contains(err.Error(), "rows must not mix") {
		t.Errorf("error %v of the layer", err)
	}
	m := dpsgd.Model{Name: "mixing", Input: []int{6}, Layers: []nn.Layer{nn.Dense(6, 4), layer, nn.Dense(4, 3)}, Loss: nn.SoftmaxCrossEntropy()}
	if _, err := engine.NewTrainer(m, blobs(9, 6, 3), clipOnly(1)); err == nil || !strings.Contains(err.Error(), "rows must not mix") {
		t.Errorf("error %v of training", err)
	}
}

func TestCoinsRefused(t *testing.T) {
	with := func(views int, layers ...nn.Layer) dpsgd.Model {
		return dpsgd.Model{Name: "m", Input: []int{2, 2, 1}, Views: views, Layers: append(layers, nn.Dense(4, 2)), Loss: nn.SoftmaxCrossEntropy()}
	}
	for want, m := range map[string]dpsgd.Model{
		"Dropout(1): rate must be in [0, 1)":          with(0, nn.Dropout(1)),
		"Dropout(-0.1): rate must be in [0, 1)":       with(0, nn.Dropout(-0.1)),
		"Dropout(NaN): rate must be in [0, 1)":        with(0, nn.Dropout(math.NaN())),
		"StochasticDepth(2): rate must be in [0, 1)":  with(0, nn.StochasticDepth(2)),
		"Crops(-1): padding must be >= 0":             with(0, nn.Crops(-1, false)),
		"must be [rows, columns, channels]":           with(0, nn.Flatten(), nn.Crops(1, false)),
		"Frozen(Dropout(0.5)): draws coins":           with(0, nn.Frozen(nn.Dropout(0.5), nil)),
		"Views -1: must be >= 1":                      with(-1, nn.Dropout(0.5)),
		"Views 2: must be 1 without layers that draw": with(2),
	} {
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}
