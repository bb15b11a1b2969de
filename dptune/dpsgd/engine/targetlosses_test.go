package engine_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/dpsgdtest"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// targetCases are losses of targets with their formulas, one number at a time.
var targetCases = map[string]struct {
	loss    nn.Loss
	classes int
	value   func(z []float64, label int, target []float32) float64
	right   func(z []float64, label int, target []float32) float64 // nil if the loss knows no right and wrong
}{
	"vector": {nn.VectorSquaredError(3), 1, func(z []float64, _ int, t []float32) float64 {
		return (math.Pow(z[0]-float64(t[0]), 2) + math.Pow(z[1]-float64(t[1]), 2) + math.Pow(z[2]-float64(t[2]), 2)) / 2
	}, nil},
	"distillation": {nn.Distillation(2.5), 4, func(z []float64, _ int, t []float32) float64 {
		cool, sum := make([]float64, len(z)), 0.0
		for k := range z {
			cool[k] = z[k] / 2.5
		}
		for k := range z {
			sum += float64(t[k]) * softmaxLoss(cool, k)
		}
		return 2.5 * 2.5 * sum
	}, func(z []float64, label int, _ []float32) float64 { return equal(largest(z), label) }},
	"tokens": {nn.TokenCrossEntropy(3, 4), 1, tokenLoss, tokensRight},
	"weighted classes": {nn.Weighted(nn.SoftmaxCrossEntropy()), 3, func(z []float64, label int, t []float32) float64 {
		return float64(t[0]) * softmaxLoss(z, label)
	}, func(z []float64, label int, _ []float32) float64 { return equal(largest(z), label) }},
	"weighted tokens": {nn.Weighted(nn.TokenCrossEntropy(3, 4)), 1, func(z []float64, label int, t []float32) float64 {
		return float64(t[0]) * tokenLoss(z, label, t[1:])
	}, func(z []float64, label int, t []float32) float64 { return tokensRight(z, label, t[1:]) }},
}

func equal(a, b int) float64 {
	if a == b {
		return 1
	}
	return 0
}

// overTokens returns the mean of f over the places that count, of 3 with a vocabulary of 4.
func overTokens(z []float64, target []float32, f func(z []float64, id int) float64) float64 {
	sum, n := 0.0, 0.0
	for t, id := range target {
		if id >= 0 {
			sum, n = sum+f(z[4*t:4*t+4], int(id)), n+1
		}
	}
	return sum / max(1, n)
}

func tokenLoss(z []float64, _ int, target []float32) float64 {
	return overTokens(z, target, softmaxLoss)
}

func tokensRight(z []float64, _ int, target []float32) float64 {
	return overTokens(z, target, func(z []float64, id int) float64 { return equal(largest(z), id) })
}

// withTargets returns data with targets that a loss draws.
func withTargets(d data.Dataset, loss nn.Loss) data.Dataset {
	l, rng := loss.(nn.TargetLoss), rand.New(rand.NewPCG(5, 6))
	d.TargetShape = l.TargetShape(d.Classes)
	d.Targets = make([]float32, d.Len()*d.TargetWidth())
	for i := range d.Len() {
		l.DrawTarget(rng, d.Target(i))
	}
	return d
}

func linearModel(width int, loss nn.Loss, classes int) dpsgd.Model {
	return dpsgd.Model{Name: "linear", Input: []int{width}, Layers: []nn.Layer{nn.Dense(width, loss.Outputs(classes))}, Loss: loss}
}

// Values and shares that are right are those of the formulas.
func TestTargetLosses(t *testing.T) {
	const examples, width = 12, 4
	for name, c := range targetCases {
		m := linearModel(width, c.loss, c.classes)
		d, w := withTargets(blobs(examples, width, c.classes), c.loss), randomWeights(m, 0.6)
		perf := engine.Performance{Precision: engine.Float64, Microbatch: 16}
		losses := must(engine.Losses(context.Background(), m, w, d, perf))(t)[0]
		right, err := engine.Right(context.Background(), m, w, d, perf)
		accuracy, failed := engine.Accuracy(context.Background(), m, w, d, perf)
		if c.right == nil && (err == nil || failed == nil || !strings.Contains(failed.Error(), "knows no right and wrong")) {
			t.Errorf("%s: errors %v and %v of a loss without right and wrong", name, err, failed)
		}
		if c.right != nil && (err != nil || failed != nil) {
			t.Fatal(name, err, failed)
		}
		sum := 0.0
		for i := range examples {
			z := linear(w.Values[0], d.Row(i), c.loss.Outputs(c.classes))
			if want := c.value(z, int(d.Labels[i]), d.Target(i)); math.Abs(losses[i]-want) > 1e-13*(1+want) {
				t.Errorf("%s: loss of example %d is %g, want %g", name, i, losses[i], want)
			}
			if c.right == nil {
				continue
			}
			want := c.right(z, int(d.Labels[i]), d.Target(i))
			if sum += want; math.Abs(right[0][i]-want) > 1e-15 {
				t.Errorf("%s: share %g of example %d is right, want %g", name, right[0][i], i, want)
			}
		}
		if c.right != nil && math.Abs(accuracy[0]-sum/examples) > 1e-13 {
			t.Errorf("%s: accuracy %g, want %g", name, accuracy[0], sum/examples)
		}
	}
}

// Losses of targets keep the contract: gradients are those of the values, examples do not mix.
func TestTargetLossesKeepTheContract(t *testing.T) {
	for name, c := range targetCases {
		t.Run(name, func(t *testing.T) { dpsgdtest.Loss(t, c.loss, c.classes) })
	}
}

// mixing takes the targets of the example before.
type mixing struct{ nn.TargetLoss }

func (mixing) String() string { return "mixing" }

func (l mixing) GradientOf(z, labels, targets *graph.Node) *graph.Node {
	batch := targets.Shape().Dim(1)
	first := graph.Slice(targets, graph.AxisRange(), graph.AxisRange(0, 1))
	before := graph.Slice(targets, graph.AxisRange(), graph.AxisRange(0, batch-1))
	return l.TargetLoss.GradientOf(z, labels, graph.Concatenate([]*graph.Node{first, before}, 1))
}

// A loss that reads the targets of other examples is found.
func TestMixedTargetsAreRefused(t *testing.T) {
	loss := mixing{nn.VectorSquaredError(2).(nn.TargetLoss)}
	if err := engine.CheckLoss(loss, 1); err == nil || !strings.Contains(err.Error(), "rows must not mix") {
		t.Errorf("error %v of a loss that mixes rows", err)
	}
	m := linearModel(3, loss, 1)
	if _, err := engine.NewTrainer(m, withTargets(blobs(6, 3, 1), loss), clipOnly(1)); err == nil || !strings.Contains(err.Error(), "rows must not mix") {
		t.Errorf("error %v of training with a loss that mixes rows", err)
	}
}

// A weight scales the gradient before it is clipped. So weight 1 changes nothing, weight 0 adds
// nothing, and no weight adds more than C.
func TestWeightsOfExamples(t *testing.T) {
	plain, loss := nn.SoftmaxCrossEntropy(), nn.Weighted(nn.SoftmaxCrossEntropy())
	d := blobs(8, 3, 3)
	d.TargetShape, d.Targets = []int{1}, []float32{1, 1, 1, 1, 0, 1e30, 0.25, 0}
	m, w := linearModel(3, loss, 3), randomWeights(linearModel(3, plain, 3), 1)
	const c = 0.1
	weighted := trainer(t, m, d, clipOnly(c).Plan(), engine.Performance{Microbatch: 8})
	never := trainer(t, m, d, clipOnly(1e6).Plan(), engine.Performance{Microbatch: 8})
	unweighted := trainer(t, linearModel(3, plain, 3), d, clipOnly(1e6).Plan(), engine.Performance{Microbatch: 8})
	one, _ := sumWith(t, never, w, rangeOf(4))
	want, _ := sumWith(t, unweighted, w, rangeOf(4))
	if !sameBits(one, want) {
		t.Error("weights of 1 change the sum")
	}
	none, _ := sumWith(t, weighted, w, []int32{4, 7})
	if length(none) != 0 {
		t.Errorf("weights of 0 add %g", length(none))
	}
	huge, excluded := sumWith(t, weighted, w, []int32{5})
	if n := length(huge); n > c*(1+1e-5) || excluded == 0 && n < 0.99*c {
		t.Errorf("a weight of 1e30 adds %g, must add at most %g", n, c)
	}
	quarter, _ := sumWith(t, never, w, []int32{6})
	whole, _ := sumWith(t, unweighted, w, []int32{6})
	for i := range whole {
		whole[i] /= 4
	}
	checkClose(t, "a weight of a quarter", quarter, whole, 1e-6)
}

// A language model whose last layer has outputs [tokens, vocabulary] trains, with one microbatch or
// several, and with a learning curve.
func TestTokensTrain(t *testing.T) {
	const tokens, vocabulary = 3, 5
	d := data.Dataset{Name: "text", Shape: []int{tokens}, Classes: 1, TargetShape: []int{tokens}}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 { // the next token is one more than the last
		first := rng.IntN(vocabulary)
		for k := range tokens {
			d.Features = append(d.Features, float32((first+k)%vocabulary))
			d.Targets = append(d.Targets, float32((first+k+1)%vocabulary))
		}
		d.Targets[len(d.Targets)-1] = nn.TokenPadding
		d.Labels = append(d.Labels, 0)
	}
	onehot := nn.Auto("one hot", nil, func([]int) ([]int, error) { return []int{tokens, vocabulary}, nil },
		func(_ []*graph.Node, x *graph.Node) *graph.Node {
			places := graph.InsertAxes(x, -1)
			axis := graph.Const(x.Graph(), []float32{0, 1, 2, 3, 4})
			axis = graph.ConvertDType(graph.Reshape(axis, 1, 1, vocabulary), x.DType())
			return graph.ConvertDType(graph.Equal(graph.BroadcastToDims(places, x.Shape().Dim(0), tokens, vocabulary),
				graph.BroadcastToDims(axis, x.Shape().Dim(0), tokens, vocabulary)), x.DType())
		})
	shape := nn.Auto("places", nil, func([]int) ([]int, error) { return []int{tokens, vocabulary}, nil },
		func(_ []*graph.Node, x *graph.Node) *graph.Node {
			return graph.Reshape(x, x.Shape().Dim(0), tokens, vocabulary)
		})
	m := dpsgd.Model{Name: "language", Input: []int{tokens}, Layers: []nn.Layer{onehot, nn.Dense(tokens*vocabulary, tokens*vocabulary), shape}, Loss: nn.TokenCrossEntropy(tokens, vocabulary)}
	config := dpsgd.Config{ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: 0.5}, Steps: 40, ExpectedBatchSize: 30, LearningRate: 2, NonPrivate: true}
	plan := config.Plan()
	public := others(d.Subset("public", []int{0, 1, 2, 3}))
	plan.Evaluate = &dpsgd.Evaluation{Data: public, Every: 20, EqualAreOthers: true}
	whole := train(t, m, d, plan, engine.Performance{Microbatch: 60, Precision: engine.Float64}, "text")
	parts := train(t, m, d, plan, engine.Performance{Microbatch: 16, Precision: engine.Float64}, "text")
	checkClose(t, "microbatches of 16", parts.Parameters.Values[0], whole.Parameters.Values[0], 1e-9)
	right := must(engine.Right(context.Background(), m, whole.Parameters, public))(t)[0]
	if slices.Min(right) < 1 || whole.Curve.Accuracy[0][1] < 1 || whole.Curve.Loss[0][1] > whole.Curve.Loss[0][0] {
		t.Errorf("shares %v are right, curve %+v", right, whole.Curve)
	}
	if _, err := engine.Predict(context.Background(), m, whole.Parameters, d); err == nil || !strings.Contains(err.Error(), "predicts no class") {
		t.Errorf("error %v of the class of a text", err)
	}
}

// A crafted example has targets like any other.
func TestCanaryWithTargets(t *testing.T) {
	loss := nn.VectorSquaredError(2)
	m, d := linearModel(3, loss, 1), withTargets(blobs(6, 3, 1), loss)
	plan := clipOnly(1).Plan()
	plan.Canary = &dpsgd.Canary{Example: &dpsgd.Example{Features: []float32{1, 2, 3}, Targets: []float32{4, 5}}, In: []bool{true}}
	w := randomWeights(m, 1)
	got, _ := clippedSum(t, m, d, plan, engine.Performance{}, w, []int32{6})
	alone := d.Subset("alone", []int{0})
	copy(alone.Features, []float32{1, 2, 3})
	copy(alone.Targets, []float32{4, 5})
	want, _ := clippedSum(t, m, alone, clipOnly(1).Plan(), engine.Performance{}, w, []int32{0})
	checkClose(t, "a crafted example", got, want, 1e-6)
	for _, targets := range [][]float32{nil, {1}, {1, float32(math.Inf(1))}} {
		plan.Canary.Example.Targets = targets
		_, err := engine.NewReplicas(m, d, plan)
		checkError(t, err, []string{"Plan.Canary.Example.Targets"})
	}
}

// Targets that a loss cannot take are refused by the trainer and by evaluations.
func TestTargetsRefused(t *testing.T) {
	tokens, mixed := nn.TokenCrossEntropy(2, 4), nn.Weighted(nn.SoftmaxCrossEntropy())
	for _, c := range []struct {
		loss    nn.Loss
		classes int
		shape   []int
		bad     []float32 // the targets of row 3
		want    string
	}{
		{tokens, 1, nil, nil, "has no targets: must have Targets of shape [2]"},
		{tokens, 1, []int{3}, []float32{0, 0, 0}, "has targets of shape [3]: must be [2]"},
		{tokens, 1, []int{1, 2}, []float32{0, 0}, "has targets of shape [1 2]: must be [2]"},
		{tokens, 1, []int{2}, []float32{0, 4}, "row 3, target 1: cross-entropy of 2 tokens of 4: token 4: must be an integer in [0, 4)"},
		{tokens, 1, []int{2}, []float32{-2, 0}, "row 3, target 0"},
		{tokens, 1, []int{2}, []float32{1.5, 0}, "token 1.5"},
		{mixed, 3, []int{1}, []float32{-0.5}, "weight -0.5: must be >= 0"},
		{mixed, 3, []int{1}, []float32{float32(math.NaN())}, "target NaN in row 3, column 0"},
		{mixed, 3, []int{1}, []float32{float32(math.Inf(1))}, "target +Inf in row 3"},
		{nn.Distillation(1), 2, []int{2}, []float32{0.5, 0.6}, "add up to 1.1"},
		{nn.Distillation(1), 2, []int{2}, []float32{-0.5, 1.5}, "probability -0.5: must be >= 0"},
		{nn.Distillation(0), 2, []int{2}, []float32{0, 1}, "temperature must be > 0"},
		{nn.TokenCrossEntropy(0, 4), 1, []int{2}, []float32{0, 0}, "tokens must be >= 1"},
		{nn.VectorSquaredError(0), 1, []int{2}, []float32{0, 0}, "width must be >= 1"},
		{nn.Weighted(nil), 1, []int{1}, []float32{0}, "loss is nil"},
	} {
		d := blobs(6, 3, c.classes)
		d.TargetShape = c.shape
		d.Targets = make([]float32, 6*d.TargetWidth())
		for i := range d.Targets {
			if c.loss == nn.Distillation(1) && i%2 == 0 {
				d.Targets[i] = 1
			}
		}
		if c.bad != nil {
			copy(d.Target(3), c.bad)
		}
		outputs := 3
		if !strings.Contains(c.want, "must be >= 1") && !strings.Contains(c.want, "nil") {
			outputs = c.loss.Outputs(c.classes)
		}
		m := linearModel(3, nn.SoftmaxCrossEntropy(), outputs)
		w := randomWeights(m, 1)
		m.Loss = c.loss
		if _, err := engine.NewTrainer(m, d, clipOnly(1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: trainer: error %v, want one that says %q", c.loss, err, c.want)
		}
		if _, err := engine.Losses(context.Background(), m, w, d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: losses: error %v, want one that says %q", c.loss, err, c.want)
		}
	}
}
