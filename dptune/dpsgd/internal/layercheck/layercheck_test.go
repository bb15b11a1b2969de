package layercheck_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

var all = flag.Bool("layercheck.all", false, "check honest layers in both precisions")

// clipOnly clips at 1 and adds no noise.
var clipOnly = dpsgd.Config{ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: 1}, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1, NonPrivate: true}

// must unwraps a result, or ends the test.
func must[V any](value V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// blobs returns n examples of random features and all classes in turns.
func blobs(n, width, classes int) data.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	d := data.Dataset{Name: "blobs", Shape: []int{width}, Classes: classes}
	for i := range n {
		for range width {
			d.Features = append(d.Features, float32(rng.NormFloat64()))
		}
		d.Labels = append(d.Labels, int32(i%classes))
	}
	return d
}

// custom is a layer x -> w ∘ x of somebody else's, each of whose parts a test may replace.
type custom struct {
	name     string
	forward  func(w, x *graph.Node) *graph.Node
	atInput  func(w, x, g *graph.Node) *graph.Node
	gradient func(each *graph.Node) nn.Gradients
}

func (l custom) String() string { return l.name }

func (custom) OutputShape(input []int) ([]int, error) { return input, nil }

func (l custom) Weights(input []int) []nn.Weight {
	return []nn.Weight{{Name: "scale", Shape: input}}
}

func (l custom) Forward(weights []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	w, x := graph.InsertAxes(weights[0], 1), in.Values
	forward, atInput, gradient := l.forward, l.atInput, l.gradient
	if forward == nil {
		forward = func(w, x *graph.Node) *graph.Node { return graph.Mul(w, x) }
	}
	if atInput == nil {
		atInput = func(w, _, g *graph.Node) *graph.Node { return graph.Mul(w, g) }
	}
	if gradient == nil {
		gradient = func(each *graph.Node) nn.Gradients { return nn.PerSample(each) }
	}
	return nn.Activations{Values: forward(w, x)}, func(g *graph.Node, wantInput bool) (*graph.Node, nn.Gradients) {
		return atInput(w, x, g), gradient(graph.Mul(x, g))
	}
}

// changed are gradients with a part replaced by a test.
type changed struct {
	nn.Gradients
	norms func(*graph.Node) *graph.Node
	sums  func(*graph.Node) *graph.Node
	each  func(*graph.Node) *graph.Node
}

func (c changed) SquaredNorms() *graph.Node {
	if c.norms == nil {
		return c.Gradients.SquaredNorms()
	}
	return c.norms(c.Gradients.SquaredNorms())
}

func (c changed) WeightedSum(factors *graph.Node) []*graph.Node {
	if c.sums == nil {
		return c.Gradients.WeightedSum(factors)
	}
	return []*graph.Node{c.sums(factors)}
}

func (c changed) Each() []*graph.Node {
	if c.each == nil {
		return c.Gradients.Each()
	}
	return []*graph.Node{c.each(c.Gradients.Each()[0])}
}

// replacing returns the gradients with one part replaced.
func replacing(part changed) func(*graph.Node) nn.Gradients {
	return func(each *graph.Node) nn.Gradients {
		part.Gradients = nn.PerSample(each)
		return part
	}
}

// batchMean returns the mean over the examples of a batch, of each value.
func batchMean(x *graph.Node) *graph.Node { return graph.ReduceAndKeep(x, graph.ReduceMean, 1) }

// wrongLayers are layers with one fault each, and what is said of it. Nothing but the mean of the
// batch was found to be wrong with any of them before.
var wrongLayers = map[string]struct {
	layer nn.Layer
	want  string
}{
	"mean of the batch": {custom{forward: func(w, x *graph.Node) *graph.Node { return graph.Sub(graph.Mul(w, x), batchMean(x)) }},
		"an example's output, of size"},
	"a little of the mean": {custom{forward: func(w, x *graph.Node) *graph.Node {
		return graph.Add(graph.Mul(w, x), graph.MulScalar(batchMean(x), 1e-9))
	}}, "rows must not mix"},
	"mean of the gradients": {custom{atInput: func(w, _, g *graph.Node) *graph.Node { return graph.Sub(graph.Mul(w, g), batchMean(g)) }},
		"an example's gradient at the inputs, of size"},
	"the example before": {custom{forward: func(w, x *graph.Node) *graph.Node {
		last := graph.Slice(x, graph.AxisRange(), graph.AxisElem(x.Shape().Dim(1)-1))
		return graph.Mul(w, graph.Max(x, graph.Concatenate([]*graph.Node{last, graph.Slice(x, graph.AxisRange(), graph.AxisRange(0, x.Shape().Dim(1)-1))}, 1)))
	}}, "rows must not mix"},
	"weights of another replica": {custom{forward: func(w, x *graph.Node) *graph.Node { return graph.Mul(graph.ReduceAndKeep(w, graph.ReduceMax, 0), x) }},
		"with other weights in another replica: its results must depend on its arguments only"},
	"largest of the batch": {custom{forward: func(w, x *graph.Node) *graph.Node {
		return graph.Div(graph.Mul(w, x), graph.ReduceAndKeep(graph.Abs(x), graph.ReduceMax, 1))
	}}, "rows must not mix"},
	"place in the batch": {custom{forward: func(w, x *graph.Node) *graph.Node {
		return graph.Mul(graph.Mul(w, x), graph.OnePlus(graph.Iota(x.Graph(), x.Shape(), 1)))
	}}, "when the batch has its examples in the opposite order: the place must not matter"},
	"PerSample of nothing": {custom{gradient: func(*graph.Node) nn.Gradients { return nn.PerSample() }}, "tried on a random batch: PerSample of no gradients: must have one for each weight"},
	"PerSample of nil":     {custom{gradient: func(*graph.Node) nn.Gradients { return nn.PerSample(nil) }}, "tried on a random batch: PerSample: gradient 0 is nil: must be [R, B, shape...]"},
	"norms of nothing":     {custom{gradient: replacing(changed{norms: graph.ZerosLike})}, "clipping would not bound the example"},
	"norm for its square":  {custom{gradient: replacing(changed{norms: graph.Sqrt})}, "must be equal"},
	"norms too large":      {custom{gradient: replacing(changed{norms: func(n *graph.Node) *graph.Node { return graph.MulScalar(n, 2) }})}, "the example would be clipped too much"},
	"norms of the batch":   {custom{gradient: replacing(changed{norms: batchMean})}, "SquaredNorms is of shape"},
	"mean of the norms": {custom{gradient: replacing(changed{norms: func(n *graph.Node) *graph.Node {
		return graph.Add(graph.MulScalar(n, 0), batchMean(n))
	}})}, "an example's squared norm, of size"},
	"norms where there is none": {custom{gradient: replacing(changed{norms: func(n *graph.Node) *graph.Node {
		return graph.Where(graph.IsFinite(n), n, graph.ZerosLike(n))
	}})}, "for an example that holds NaN, SquaredNorms is 0 and the gradient's squared norm NaN"},
	"padding": {custom{gradient: func(each *graph.Node) nn.Gradients {
		return replacing(changed{sums: func(factors *graph.Node) *graph.Node {
			return graph.ReduceSum(graph.Mul(each, graph.InsertAxes(factors, -1)), 1)
		}})(each)
	}}, "whose factor is 0: must add exactly zero"},
	"a bias in the sum": {custom{gradient: func(each *graph.Node) nn.Gradients {
		return replacing(changed{sums: func(factors *graph.Node) *graph.Node {
			return graph.AddScalar(nn.PerSample(each).WeightedSum(factors)[0], 1e-3)
		}})(each)
	}}, "must be"},
	"squares of factors": {custom{gradient: func(each *graph.Node) nn.Gradients {
		return replacing(changed{sums: func(factors *graph.Node) *graph.Node {
			return nn.PerSample(each).WeightedSum(graph.Square(factors))[0]
		}})(each)
	}}, "away from Σ factor · gradient"},
	"other gradients one by one": {custom{gradient: replacing(changed{each: graph.Neg})}, "Each and WeightedSum disagree"},
	"no gradients":               {custom{gradient: func(*graph.Node) nn.Gradients { return nil }}, "returns no gradients at its weights"},
	"another shape":              {custom{forward: func(w, x *graph.Node) *graph.Node { return graph.ReduceSum(x, -1) }}, "the output is of shape [1 6]: must be [1 6 5]"},
}

// What is wrong with a layer is an error of NewTrainer, with the layer's name, before anything runs.
func TestWrongLayersAreRefused(t *testing.T) {
	for name, c := range wrongLayers {
		layer := c.layer.(custom)
		layer.name = name
		replicas := []dpsgd.Config{clipOnly}
		if name == "weights of another replica" {
			replicas = append(replicas, clipOnly)
		}
		for where, layers := range map[string][]nn.Layer{
			"layer 1: " + name:                           {nn.Dense(5, 5), layer, nn.Dense(5, 3)},
			"layer 1: Residual: block: layer 1: " + name: {nn.Dense(5, 5), nn.Residual([]nn.Layer{nn.Tanh(), layer}), nn.Dense(5, 3)},
		} {
			m := must(models.Sequential("m", []int{5}, layers...))(t)
			_, err := engine.NewReplicas(m, blobs(9, 5, 3), dpsgd.Plan{Replicas: replicas}, engine.Performance{ReplicasPerCall: len(replicas)})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), where) {
				t.Errorf("%s: error %v, want one that says %q of %q", name, err, c.want, where)
			}
		}
	}
}

// A frozen layer may have any gradients at its weights, since they are not asked for; rows must
// not mix in it either. So it is with Auto, and with losses.
func TestOthersThatMixRowsAreRefused(t *testing.T) {
	center := nn.Auto("center", nil, func(in []int) ([]int, error) { return in, nil },
		func(_ []*graph.Node, x *graph.Node) *graph.Node {
			return graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, 0))
		})
	mixed, wrong := wrongLayers["mean of the batch"].layer, wrongLayers["norms of nothing"].layer
	for name, c := range map[string]struct {
		layers []nn.Layer
		loss   nn.Loss
		want   string
	}{
		"auto":         {[]nn.Layer{center, nn.Dense(5, 3)}, nn.SoftmaxCrossEntropy(), `model "m": layer 0: Auto(center): tried on a random batch: an example's output`},
		"frozen":       {[]nn.Layer{nn.Frozen(mixed, []float64{0.8, -0.8, 0.7, -0.5, 0.4}), nn.Dense(5, 3)}, nn.SoftmaxCrossEntropy(), "layer 0: Frozen("},
		"frozen right": {[]nn.Layer{nn.Frozen(wrong, []float64{0.8, -0.8, 0.7, -0.5, 0.4}), nn.Dense(5, 3)}, nn.SoftmaxCrossEntropy(), ""},
		"loss":         {[]nn.Layer{nn.Dense(5, 3)}, mixingLoss{nn.SoftmaxCrossEntropy()}, "mixing loss: tried on a random batch: an example's output"},
		"all ours":     {[]nn.Layer{nn.Dense(5, 3)}, nn.SoftmaxCrossEntropy(), ""},
	} {
		m := must(models.Sequential("m", []int{5}, c.layers...))(t)
		m.Loss = c.loss
		_, err := engine.NewTrainer(m, blobs(9, 5, 3), clipOnly)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

// quiet is a layer whose squared norms are a hundredth too small.
type quiet struct{ nn.Layer }

func (l quiet) Forward(weights []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	out, backward := l.Layer.Forward(weights, in)
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, nn.Gradients) {
		atInput, gradients := backward(g, wantInput)
		return atInput, changed{Gradients: gradients, norms: func(n *graph.Node) *graph.Node { return graph.MulScalar(n, 0.99) }}
	}
}

// Norms are compared with what WeightedSum adds where per-sample gradients would be too many; and
// where those are what runs, norms of book-keeping do not matter.
func TestNormsAreComparedAsTheyRun(t *testing.T) {
	d, plan := blobs(9, 400, 3), clipOnly.Plan()
	m := must(models.Sequential("m", []int{400}, quiet{nn.Dense(400, 120)}, nn.Dense(120, 3)))(t)
	_, err := engine.NewReplicas(m, d, plan)
	if err == nil || !strings.Contains(err.Error(), "clipping would not bound the example") {
		t.Errorf("error %v, want one of the norms", err)
	}
	plan.ClipMethod = dpsgd.Materialized
	if _, err := engine.NewReplicas(m, d, plan); err != nil {
		t.Errorf("by per-sample gradients: %v", err)
	}
}

// mixingLoss is a loss whose gradients have mean zero over the batch.
type mixingLoss struct{ nn.Loss }

func (mixingLoss) String() string { return "mixing loss" }

func (l mixingLoss) Gradient(z, labels *graph.Node) *graph.Node {
	g := l.Loss.Gradient(z, labels)
	return graph.Sub(g, batchMean(g))
}

// honestLayers are layers of other people's that jump, divide, take roots of weights, normalise,
// attend, or have no gradient: whatever else they do, they keep the contract.
func honestLayers() map[string]struct {
	layer nn.Layer
	shape []int
} {
	same := func(in []int) ([]int, error) { return in, nil }
	to := func(out ...int) func([]int) ([]int, error) { return func([]int) ([]int, error) { return out, nil } }
	ones := func(_ *rand.Rand, values []float64) {
		for i := range values {
			values[i] = 1
		}
	}
	weights := func(init func(*rand.Rand, []float64), shapes ...[]int) (list []nn.Weight) {
		for i, shape := range shapes {
			list = append(list, nn.Weight{Name: fmt.Sprint("w", i), Shape: shape, Init: init})
		}
		return list
	}
	product := func(w, x *graph.Node) *graph.Node { // [n, out, in] · [n, in]
		return graph.ReduceSum(graph.Mul(w, graph.InsertAxes(x, 1)), 2)
	}
	type list = []*graph.Node
	return map[string]struct {
		layer nn.Layer
		shape []int
	}{
		"identity": {nn.Auto("identity", nil, same, func(_ list, x *graph.Node) *graph.Node { return x }), []int{5}},
		"constant": {nn.Auto("constant", nil, same, func(_ list, x *graph.Node) *graph.Node { return graph.ZerosLike(x) }), []int{5}},
		"sign of products": {nn.Auto("sign", weights(nil, []int{40, 30}), to(40), func(w list, x *graph.Node) *graph.Node {
			return graph.Sign(product(w[0], x))
		}), []int{30}},
		"roots of weights": {nn.Auto("roots", weights(ones, []int{5}), same, func(w list, x *graph.Node) *graph.Node {
			return graph.Mul(graph.Sqrt(w[0]), x)
		}), []int{5}},
		"logarithm": {nn.Auto("logarithm", nil, same, func(_ list, x *graph.Node) *graph.Node { return graph.Log(x) }), []int{5}},
		"exponential of an exponential": {nn.Auto("exp exp", weights(ones, []int{5}), same, func(w list, x *graph.Node) *graph.Node {
			return graph.Exp(graph.Exp(graph.Mul(w[0], x)))
		}), []int{5}},
		"layer norm": {nn.Auto("layer norm", weights(ones, []int{9}, []int{9}), same, func(w list, x *graph.Node) *graph.Node {
			x = graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, -1))
			x = graph.Div(x, graph.Sqrt(graph.AddScalar(graph.ReduceAndKeep(graph.Square(x), graph.ReduceMean, -1), 1e-5)))
			return graph.Add(graph.Mul(w[0], x), w[1])
		}), []int{9}},
		"attention": {nn.Auto("attention", weights(ones, []int{4, 4}, []int{4, 4}, []int{4, 4}), same, func(w list, x *graph.Node) *graph.Node {
			by := func(w *graph.Node) *graph.Node { return graph.Einsum("ntk,nkl->ntl", x, w) }
			scores := graph.Softmax(graph.Einsum("ntk,nsk->nts", by(w[0]), by(w[1])), -1)
			return graph.Einsum("nts,nsk->ntk", scores, by(w[2]))
		}), []int{7, 4}},
		"wide": {nn.Auto("wide", weights(nil, []int{100, 200}), to(100), func(w list, x *graph.Node) *graph.Node {
			return graph.Tanh(product(w[0], x))
		}), []int{200}},
		"ours":      {wrapped{nn.Conv2D(3, 4, nn.Square(3, 1, 1))}, []int{6, 5, 3}},
		"our norms": {wrapped{nn.Dense(500, 50)}, []int{500}},
		"by P Pᵀ":   {wrapped{nn.Conv2D(40, 64, nn.Square(3, 1, 1))}, []int{3, 3, 40}},
		"words":     {words{wrapped{nn.EmbeddingMean(11, 4)}}, []int{7}},
	}
}

// wrapped is a layer of ours that looks like a custom one.
type wrapped struct{ nn.Layer }

// words is a layer of ids from 3 to 10.
type words struct{ nn.Layer }

func (words) ValidateRow(row []float32) (int, error) {
	for i, v := range row {
		if v != 0 && (v < 3 || v > 10) {
			return i, fmt.Errorf("word %g: must be in [3, 10]", v)
		}
	}
	return 0, nil
}

func (words) DrawRow(rng *rand.Rand, row []float32) {
	for i := range row {
		row[i] = float32(3 + rng.IntN(8))
	}
}

// product is a layer of one output, whose shape has no axes.
type product struct{}

func (product) String() string { return "product" }

func (product) OutputShape([]int) ([]int, error) { return nil, nil }

func (product) Weights(input []int) []nn.Weight { return []nn.Weight{{Name: "w", Shape: input}} }

func (product) Forward(w []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	x := graph.BroadcastToDims(in.Values, w[0].Shape().Dim(0), in.Values.Shape().Dim(1), w[0].Shape().Dim(1))
	return nn.Activations{Values: graph.Einsum("rbi,ri->rb", x, w[0])}, func(g *graph.Node, _ bool) (*graph.Node, nn.Gradients) {
		return graph.Einsum("rb,ri->rbi", g, w[0]), nn.PerSample(graph.Mul(graph.InsertAxes(g, -1), x))
	}
}

// A first layer of somebody else's may check examples, as ours does.
func TestInputLayerChecksExamples(t *testing.T) {
	m := must(models.Sequential("words", []int{3}, words{nn.EmbeddingMean(11, 4)}, nn.Dense(4, 3)))(t)
	d := blobs(4, 3, 3)
	for i := range d.Features {
		d.Features[i] = float32(3 + i%8)
	}
	must(engine.NewTrainer(m, d, clipOnly))(t)
	d.Row(2)[1] = 1
	_, err := engine.NewTrainer(m, d, clipOnly)
	if want := `data set "blobs", row 2, column 1: word 1: must be in [3, 10]`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that says %q", err, want)
	}
	if _, err := models.Sequential("words", []int{3}, nn.Tanh(), words{nn.EmbeddingMean(11, 4)}); err == nil {
		t.Error("an InputLayer is accepted as the second layer")
	}
}

// Correct layers are accepted in both precisions: a custom one, ours, and ours in a wrapper, which
// looks like a custom one.
func TestHonestLayersAreNotRefused(t *testing.T) {
	check := func(l nn.Layer, shape []int, perf engine.Performance) {
		t.Helper()
		if err := engine.CheckLayer(l, shape, perf); err != nil {
			t.Error(err)
		}
	}
	check(custom{name: "honest"}, []int{4, 3}, engine.Performance{})
	check(custom{name: "honest"}, []int{4, 3}, engine.Performance{Precision: engine.Float64})
	check(product{}, []int{4}, engine.Performance{})
	layers := honestLayers()
	for i, name := range slices.Sorted(maps.Keys(layers)) {
		if testing.Short() && i%4 != 0 {
			continue
		}
		c := layers[name]
		for _, precision := range []engine.Precision{engine.Float32, engine.Float64} {
			if precision == engine.Float64 && (!*all) {
				continue
			}
			if err := engine.CheckLayer(c.layer, c.shape, engine.Performance{Precision: precision}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	d := blobs(9, 5, 3)
	m := must(models.Sequential("m", []int{5}, custom{name: "honest"}, nn.Dense(5, 3)))(t)
	for _, plan := range []dpsgd.Plan{
		clipOnly.Plan(), {Replicas: []dpsgd.Config{clipOnly, clipOnly, clipOnly}}, {Replicas: []dpsgd.Config{clipOnly}, ClipMethod: dpsgd.Materialized},
	} {
		must(engine.NewReplicas(m, d, plan))(t)
	}
}

// The backend's error is said once.
func TestCheckOfNoBackend(t *testing.T) {
	perf := engine.Performance{Backend: "none"}
	for _, err := range []error{engine.CheckLayer(custom{name: "honest"}, []int{4}, perf), engine.CheckLoss(nn.Hinge(), 2, perf)} {
		if err == nil || !strings.HasPrefix(err.Error(), `backend: Performance.Backend "none": must be one of `) {
			t.Errorf("error %v", err)
		}
	}
}
