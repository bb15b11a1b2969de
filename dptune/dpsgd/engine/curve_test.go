package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// apart returns training examples, and public examples of the same classes that are others.
func apart(train, public, width, classes int) (data.Dataset, data.Dataset) {
	all := blobs(train+public, width, classes)
	return all.Subset("private", indices(0, train)), others(all.Subset("public", indices(train, train+public)))
}

// others returns the examples as another data set, which is not a part of the first.
func others(d data.Dataset) data.Dataset {
	return data.Dataset{Name: d.Name, Features: d.Features, Shape: d.Shape, Labels: d.Labels, Classes: d.Classes, Targets: d.Targets, TargetShape: d.TargetShape}
}

func indices(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// sameCurve fails unless two curves agree: to the bit on the go backend, and elsewhere up to one
// example of n and the rounding of float32.
func sameCurve(t *testing.T, what string, got, want dpsgd.LearningCurve, n int) {
	t.Helper()
	if !reflect.DeepEqual(got.Steps, want.Steps) || len(got.Accuracy) != len(want.Accuracy) || len(got.Loss) != len(want.Loss) {
		t.Fatalf("%s: steps %v of %d models, want %v of %d", what, got.Steps, len(got.Accuracy), want.Steps, len(want.Accuracy))
	}
	accuracyErr, lossErr := 0.0, 1e-12
	if engine.DefaultBackend() != "go" {
		accuracyErr, lossErr = 1.5/float64(n), 1e-4
	}
	for r := range want.Accuracy {
		for i := range want.Steps {
			if off := math.Abs(got.Accuracy[r][i] - want.Accuracy[r][i]); !(off <= accuracyErr) {
				t.Errorf("%s: model %d after %d steps: accuracy %g, want %g", what, r, want.Steps[i], got.Accuracy[r][i], want.Accuracy[r][i])
			}
			if off := math.Abs(got.Loss[r][i] - want.Loss[r][i]); !(off <= lossErr*want.Loss[r][i]) {
				t.Errorf("%s: model %d after %d steps: loss %g, want %g", what, r, want.Steps[i], got.Loss[r][i], want.Loss[r][i])
			}
		}
	}
}

// slowTwin trains without Plan.Evaluate. It takes the weights of every step in Plan.Weights and asks
// the public functions.
func slowTwin(t *testing.T, m dpsgd.Model, train data.Dataset, p dpsgd.Plan, perf engine.Performance) (*engine.Results, dpsgd.LearningCurve) {
	t.Helper()
	public, replicas := p.Evaluate.Data, len(p.Replicas)
	curve := dpsgd.LearningCurve{Accuracy: make([][]float64, replicas), Loss: make([][]float64, replicas)}
	for done := 1; done <= p.Replicas[0].Steps; done++ {
		if done%p.Evaluate.Every == 0 || done == p.Replicas[0].Steps {
			curve.Steps = append(curve.Steps, done)
		}
	}
	every, precision := p.Evaluate.Every, engine.Performance{Precision: perf.Precision}
	p.Evaluate = nil
	p.Weights = func(step, r int, weights []float64) {
		if (step+1)%every != 0 && step+1 != p.Replicas[0].Steps {
			return
		}
		w := dpsgd.ParametersOf(m, weights)
		curve.Accuracy[r] = append(curve.Accuracy[r], must(engine.Accuracy(t.Context(), m, w, public, precision))(t)[0])
		losses := must(engine.Losses(t.Context(), m, w, public, precision))(t)[0]
		curve.Loss[r] = append(curve.Loss[r], stat.Mean(losses, nil))
	}
	return must(must(engine.NewReplicas(m, train, p, perf))(t).Run(t.Context(), streams.Fixed("curve")))(t), curve
}

// A learning curve is what the public functions make of the weights at the same steps, and measuring
// it does not change a bit of the training.
func TestLearningCurveAgainstSlowTwin(t *testing.T) {
	for name, c := range map[string]struct {
		replicas, steps, every, examples int
		shared, convolutional            bool
		perf                             engine.Performance
	}{
		"one":            {1, 5, 2, 30, false, false, engine.Performance{}},
		"every step":     {2, 3, 1, 30, false, false, engine.Performance{}},
		"only at end":    {2, 4, 9, 30, false, false, engine.Performance{}},
		"groups":         {3, 6, 3, 1100, false, false, engine.Performance{ReplicasPerCall: 2, Goroutines: 2}},
		"microbatches":   {2, 4, 2, 30, false, false, engine.Performance{Microbatch: 8}},
		"double":         {2, 4, 2, 30, false, false, engine.Performance{Precision: engine.Float64}},
		"convolutional":  {5, 4, 2, 70, false, true, engine.Performance{}},
		"shared batches": {64, 6, 4, 40, true, false, engine.Performance{}},
	} {
		m := mlp(t, 12, 10, 4)
		train, public := apart(80, c.examples, 12, 4)
		if c.convolutional {
			train, public = apart(80, c.examples, 64, 4)
			m = dpsgd.Model{Name: "convolutional", Input: []int{8, 8, 1}, Loss: nn.SoftmaxCrossEntropy(), Layers: []nn.Layer{
				nn.Conv2D(1, 8, nn.Square(3, 1, 1)), nn.GroupNorm(2, 8), nn.Tanh(), nn.MaxPool(nn.Square(2, 2, 0)), nn.Flatten(), nn.Dense(128, 4)}}
		}
		plan := dpsgd.Plan{SharedBatches: c.shared, Evaluate: &dpsgd.Evaluation{Data: public, Every: c.every}}
		for r := range c.replicas {
			config := private()
			config.Steps, config.LearningRate = c.steps, 0.1*float64(1+r)
			plan.Replicas = append(plan.Replicas, config)
		}
		got := must(must(engine.NewReplicas(m, train, plan, c.perf))(t).Run(t.Context(), streams.Fixed("curve")))(t)
		want, curve := slowTwin(t, m, train, plan, c.perf)
		same(t, name, got, want)
		sameCurve(t, name, got.Curve, curve, public.Len())
		one := got.Model(c.replicas - 1)
		if !reflect.DeepEqual(one.Curve, got.Curve.Replica(c.replicas-1)) || len(one.Curve.Accuracy) != 1 {
			t.Errorf("%s: the last model's curve is %v", name, one.Curve)
		}
		if want.Curve.Steps != nil || want.Model(0).Curve.Steps != nil {
			t.Errorf("%s: a run without Evaluate has the curve %v", name, want.Curve)
		}
	}
}

// From a secret root a run with Evaluate draws the same as one without it.
func TestEvaluateDoesNotChangeDrawsFromASecretRoot(t *testing.T) {
	m := mlp(t, 6, 5, 3)
	train, public := apart(40, 20, 6, 3)
	root, plan := must(streams.Secret())(t), private().Plan()
	without := must(must(engine.NewReplicas(m, train, plan))(t).Run(t.Context(), root))(t)
	plan.Evaluate = &dpsgd.Evaluation{Data: public, Every: 2}
	same(t, "secret root", must(must(engine.NewReplicas(m, train, plan))(t).Run(t.Context(), root))(t), without)
}

// evaluated is a resumable run that measures a learning curve.
func evaluated(t *testing.T, every int) *stoppable {
	s := newStoppable(t, saving(t.TempDir(), 4))
	_, public := apart(40, 50, 6, 3)
	s.plan.Evaluate = &dpsgd.Evaluation{Data: public, Every: every}
	return s
}

// The curve is complete after a resume, to the bit: when the run is stopped between two points, at
// one, and while one is measured.
func TestLearningCurveAfterAResume(t *testing.T) {
	whole := evaluated(t, 3).whole(t)
	for name, stop := range map[string]int{"between points": 9, "after a point": 12, "at the end": 28} {
		s := evaluated(t, 3)
		s.stopAfter(t, stop, 0, 1, 2)
		result := s.whole(t)
		same(t, name, result, whole)
		sameCurve(t, name, result.Curve, whole.Curve, 1<<20)
		sameCurve(t, name+", again", s.whole(t).Curve, whole.Curve, 1<<20) // only from the files
	}
	// A step is observed before its point is measured: a context that ends there stops the measuring.
	s := evaluated(t, 3)
	ctx, cancel := context.WithCancel(t.Context())
	s.weights = func(step, _ int) {
		if step == 11 {
			cancel()
		}
	}
	if _, err := s.run(t, ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "stopped after step") {
		t.Fatalf("error %v, want that of the context", err)
	}
	s.weights = nil
	result := s.whole(t)
	same(t, "while it measures", result, whole)
	sameCurve(t, "while it measures", result.Curve, whole.Curve, 1<<20)
}

// A curve of other data or steps does not continue in the files of this one.
func TestCheckpointOfAnotherEvaluation(t *testing.T) {
	s := evaluated(t, 3)
	s.whole(t)
	mine := s.plan.Evaluate
	_, others := apart(41, 50, 6, 3)
	for name, e := range map[string]*dpsgd.Evaluation{"other steps": {Data: mine.Data, Every: 4}, "other data": {Data: others, Every: 3}, "none": nil} {
		s.plan.Evaluate, s.trainer = e, nil
		if _, err := s.run(t, t.Context()); err == nil || !strings.Contains(err.Error(), "must have the same learning curve's data and steps") {
			t.Errorf("%s: error %v, want one that names the learning curve", name, err)
		}
	}
}

// Progress gets the curve as it grows. A replica that has not reached a point has NaN there.
func TestEvaluationProgress(t *testing.T) {
	m := mlp(t, 6, 5, 3)
	train, public := apart(40, 20, 6, 3)
	var calls []dpsgd.LearningCurve
	plan := dpsgd.Plan{
		Replicas: []dpsgd.Config{private(), private()},
		Evaluate: &dpsgd.Evaluation{Data: public, Every: 2, Progress: func(c dpsgd.LearningCurve) { calls = append(calls, c) }},
	}
	trainer := must(engine.NewReplicas(m, train, plan, engine.Performance{ReplicasPerCall: 1, Goroutines: 1}))(t)
	result := must(trainer.Run(t.Context(), streams.Fixed("live")))(t)
	if len(calls) != 6 {
		t.Fatalf("%d calls, want one for each of 3 points of 2 groups", len(calls))
	}
	for i, c := range calls {
		measured := 0
		for _, row := range c.Accuracy {
			for _, v := range row {
				if !math.IsNaN(v) {
					measured++
				}
			}
		}
		if measured != i+1 || len(c.Steps) != min(i+1, 3) || len(c.Accuracy) != 2 || len(c.Loss[1]) != len(c.Steps) {
			t.Errorf("call %d: curve %v", i, c)
		}
	}
	if !reflect.DeepEqual(calls[5], result.Curve) || !reflect.DeepEqual(result.Curve.Steps, []int{2, 4, 5}) {
		t.Errorf("the last call has %v, the result %v", calls[5], result.Curve)
	}
}

// A model that diverges has no finite loss, and the run ends as it would without a curve.
func TestLearningCurveOfADivergedModel(t *testing.T) {
	m := mlp(t, 6, 5, 3)
	train, public := apart(40, 20, 6, 3)
	config := private()
	config.LearningRate = 1e300
	plan := config.Plan()
	plan.Evaluate = &dpsgd.Evaluation{Data: public, Every: 5}
	result := must(must(engine.NewReplicas(m, train, plan))(t).Run(t.Context(), streams.Fixed("diverged")))(t)
	if loss := result.Curve.Loss[0][0]; !result.Diverged[0] || !math.IsNaN(loss) && !math.IsInf(loss, 0) {
		t.Errorf("diverged %v with loss %g, want one that is not finite", result.Diverged[0], loss)
	}
	if a := result.Curve.Accuracy[0][0]; !(a >= 0 && a <= 1) {
		t.Errorf("accuracy %g, want one in [0, 1]", a)
	}
}

func TestStatementNamesThePublicEvaluation(t *testing.T) {
	m := mlp(t, 6, 5, 3)
	train, public := apart(40, 20, 6, 3)
	part, rest, err := data.SplitCoins(train, 0.5, streams.Fixed("split").Rand("split"))
	if err != nil {
		t.Fatal(err)
	}
	for _, evaluate := range []*dpsgd.Evaluation{nil, {Data: public, Every: 5}, {Data: rest, Every: 5, Declared: "rows of a published table"}} {
		plan := private().Plan()
		plan.Evaluate = evaluate
		train, evaluates := train, evaluate != nil
		if evaluates && evaluate.Declared != "" {
			train = part // of the data set that rest is a part of
		}
		result := must(must(engine.NewReplicas(m, train, plan))(t).Run(t.Context(), streams.Fixed("x")))(t)
		text := must(result.Model(0).Statement(1e-5, "one row", rdp.NewAccountant()))(t).Full()
		if strings.Contains(text, "the data of the learning curve are public (no ε protects them)") != evaluates {
			t.Errorf("with a curve %v: statement\n%s", evaluates, text)
		}
		if strings.Contains(text, `as declared: "rows of a published table"`) != (evaluates && evaluate.Declared != "") {
			t.Errorf("%+v: statement\n%s", evaluate, text)
		}
	}
}

// What is wrong with an evaluation is said before any work, by field, value and rule. Private data
// are refused.
func TestEvaluationIsValidated(t *testing.T) {
	m := mlp(t, 6, 5, 3)
	train, public := apart(40, 20, 6, 3)
	renamed := train
	renamed.Name = "public"
	one := train.Subset("one of them", []int{7})
	part, rest, err := data.SplitCoins(train, 0.5, streams.Fixed("split").Rand("split"))
	if err != nil {
		t.Fatal(err)
	}
	unlabelled := public
	unlabelled.Labels = unlabelled.Labels[1:]
	for want, c := range map[string]struct {
		train data.Dataset
		dpsgd.Evaluation
	}{
		`dpsgd: Plan.Evaluate.Declared " ": must give a reason`:                                                                                               {train, dpsgd.Evaluation{Data: public, Every: 1, Declared: " "}},
		"dpsgd: Plan.Evaluate.Every 0: must be >= 1":                                                                                                          {train, dpsgd.Evaluation{Data: public}},
		"dpsgd: Plan.Evaluate.Every -3: must be >= 1":                                                                                                         {train, dpsgd.Evaluation{Data: public, Every: -3}},
		"dpsgd: Plan.Evaluate.Data: data: : Shape is empty":                                                                                                   {train, dpsgd.Evaluation{Every: 1}},
		"dpsgd: Plan.Evaluate.Data is empty: must hold at least one example":                                                                                  {train, dpsgd.Evaluation{Data: public.Subset("none", nil), Every: 1}},
		`dpsgd: Plan.Evaluate.Data: nn: model "MLP-6-5-3": Input [6]: must have as many`:                                                                      {train, dpsgd.Evaluation{Data: blobs(20, 5, 3), Every: 1}},
		`dpsgd: Plan.Evaluate.Data: nn: model "MLP-6-5-3": output shape [3]: must be [4]`:                                                                     {train, dpsgd.Evaluation{Data: blobs(20, 6, 4), Every: 1}},
		"dpsgd: Plan.Evaluate.Data: data: public: 120 features: must be 114":                                                                                  {train, dpsgd.Evaluation{Data: unlabelled, Every: 1}},
		"engine: Plan.Evaluate.Data has 40 of 40 examples in common with the private ones, such as row 0: must be other, public data (or set EqualAreOthers)": {train, dpsgd.Evaluation{Data: renamed, Every: 1}},
		"engine: Plan.Evaluate.Data has 1 of 1 examples in common":                                                                                            {train, dpsgd.Evaluation{Data: one, Every: 1}},
		"engine: Plan.Evaluate.Data is a part of the same data set as the private examples, by data.SplitCoins: must be other, public data (or, of a data set that is public, say why in Declared)": {part, dpsgd.Evaluation{Data: rest, Every: 1, EqualAreOthers: true}},
		"engine: Plan.Evaluate.Data and the private examples are parts of one data set (see data.PartsOfOne): must be other, public data":                                                           {train.Subset("a", indices(0, 9)), dpsgd.Evaluation{Data: train.Subset("b", indices(9, 40)), Every: 1}},
		"engine: Plan.Evaluate.Data and the private examples are parts of one data set":                                                                                                             {train, dpsgd.Evaluation{Data: one, Every: 1, EqualAreOthers: true}},
	} {
		plan := private().Plan()
		plan.Evaluate = &c.Evaluation
		plan.Weights = func(int, int, []float64) { t.Errorf("%s: a step was taken", want) }
		_, err := engine.NewReplicas(m, c.train, plan)
		checkError(t, err, []string{want})
	}
	plan := private().Plan()
	plan.Evaluate = &dpsgd.Evaluation{Data: others(one), Every: 1, EqualAreOthers: true}
	if _, err := engine.NewReplicas(m, train, plan); err != nil {
		t.Errorf("equal examples that are declared to be others: %v", err)
	}
}

// BenchmarkLearningCurve times steps of batches of 256 without and with a point of 1,000 public
// examples after each. The difference is the cost of a point of one model. cpu-ms is processor time,
// which a busy machine disturbs less.
func BenchmarkLearningCurve(b *testing.B) {
	const steps, examples = 4, 1000
	for _, replicas := range []int{1, 16} {
		for _, measures := range []bool{false, true} {
			b.Run(fmt.Sprintf("mlp-784-120-120-10/replicas=%d/measures=%v", replicas, measures), func(b *testing.B) {
				m := mlp(b, 784, 120, 120, 10)
				train, public := apart(2560, examples, 784, 10)
				config := private()
				config.Steps, config.Sampling, config.ExpectedBatchSize = steps, dpsgd.Poisson{Rate: 0.1}, 256
				plan := dpsgd.Plan{Replicas: slices.Repeat([]dpsgd.Config{config}, replicas)}
				if measures {
					plan.Evaluate = &dpsgd.Evaluation{Data: public, Every: 1}
				}
				trainer := must(engine.NewReplicas(m, train, plan))(b)
				bestCPU := time.Duration(1 << 62)
				for b.Loop() {
					cpu := cpuTime()
					must(trainer.Run(b.Context(), streams.Fixed("benchmark")))(b)
					bestCPU = min(bestCPU, cpuTime()-cpu)
				}
				modelSteps := float64(replicas * steps)
				b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N)/modelSteps, "ms/model-step")
				b.ReportMetric(bestCPU.Seconds()*1e3/modelSteps, "cpu-ms/model-step")
			})
		}
	}
}
