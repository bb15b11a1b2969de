package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// wrong is SGD with something wrong.
type wrong struct {
	slots   int
	numbers func(u dpsgd.Update) []float64
	move    func(weights, sum *graph.Node, n, slots []*graph.Node) (*graph.Node, []*graph.Node)
}

func (wrong) String() string  { return "wrong" }
func (wrong) Validate() error { return nil }
func (b wrong) Slots() int    { return b.slots }

func (b wrong) Coefficients(u dpsgd.Update) []float64 {
	if b.numbers != nil {
		return b.numbers(u)
	}
	return []float64{u.LearningRate / u.ExpectedBatchSize}
}

func (b wrong) Move(weights, sum *graph.Node, n, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	if b.move != nil {
		return b.move(weights, sum, n, slots)
	}
	return graph.Sub(weights, graph.Mul(sum, n[0])), slots
}

// constantIn is SGD that forgets that its numbers must come by Coefficients.
type constantIn struct {
	wrong
	by float64
}

func (s constantIn) String() string { return fmt.Sprint("scaled by ", s.by) }

func (s constantIn) Move(weights, sum *graph.Node, n, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	return s.wrong.Move(weights, graph.MulScalar(sum, s.by), n, slots)
}

// Whatever is wrong with an optimizer is found before a run begins, and named; what is sound passes.
func TestForeignOptimizersAreTried(t *testing.T) {
	type nodes = []*graph.Node
	sgd := func(w, sum *graph.Node, n nodes) *graph.Node { return graph.Sub(w, graph.Mul(sum, n[0])) }
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	for name, c := range map[string]struct {
		optimizers []dpsgd.Optimizer
		want       []string
	}{
		"sound":     {[]dpsgd.Optimizer{wrong{}}, nil},
		"two sound": {[]dpsgd.Optimizer{rmsProp{0.9, 1e-2}, rmsProp{0.5, 1e-2}}, nil},
		"another shape": {[]dpsgd.Optimizer{wrong{move: func(w, sum *graph.Node, n, s nodes) (*graph.Node, nodes) {
			return graph.ReduceAllSum(w), s
		}}}, []string{"Plan.Replicas[0].Optimizer wrong", "what Move returns for the weights is of shape []: must be [2 53]"}},
		"another type": {[]dpsgd.Optimizer{wrong{move: func(w, sum *graph.Node, n, s nodes) (*graph.Node, nodes) {
			return graph.ConvertDType(w, dtypes.Float64), s
		}}}, []string{"is of type Float64: must be that of the weights before"}},
		"nothing": {[]dpsgd.Optimizer{wrong{move: func(w, sum *graph.Node, n, s nodes) (*graph.Node, nodes) { return nil, s }}}, []string{"is missing (nil)"}},
		"a slot lost": {[]dpsgd.Optimizer{wrong{slots: 1, move: func(w, sum *graph.Node, n, s nodes) (*graph.Node, nodes) {
			return sgd(w, sum, n), nil
		}}}, []string{"Move keeps 0 arrays: must keep 1"}},
		"a slot too few": {[]dpsgd.Optimizer{wrong{slots: 1, move: func(w, sum *graph.Node, n, s nodes) (*graph.Node, nodes) {
			return sgd(w, s[1], n), s
		}}}, []string{"Optimizer wrong", "index out of range"}},
		"panics": {[]dpsgd.Optimizer{wrong{move: func(w, sum *graph.Node, n, s nodes) (*graph.Node, nodes) {
			panic(errors.New("not today"))
		}}}, []string{"Optimizer wrong", "not today"}},
		"zero over zero": {[]dpsgd.Optimizer{wrong{move: func(w, sum *graph.Node, n, s nodes) (*graph.Node, nodes) {
			return sgd(w, graph.Div(sum, graph.Abs(sum)), n), s
		}}}, []string{"Optimizer wrong", "are not finite after sums of zeros"}},
		"mixes": {[]dpsgd.Optimizer{wrong{move: func(w, sum *graph.Node, n, s nodes) (*graph.Node, nodes) {
			return sgd(w, graph.Sub(sum, graph.ReduceAndKeep(sum, graph.ReduceMean, 0)), n), s
		}}}, []string{"Optimizer wrong", "replicas must not mix"}},
		"mixes in a slot": {[]dpsgd.Optimizer{wrong{slots: 1, move: func(w, sum *graph.Node, n, s nodes) (*graph.Node, nodes) {
			return sgd(w, sum, n), nodes{graph.Add(s[0], graph.ReduceAndKeep(sum, graph.ReduceMax, 0))}
		}}}, []string{"Optimizer wrong", "replicas must not mix"}},
		"more numbers later": {[]dpsgd.Optimizer{wrong{numbers: func(u dpsgd.Update) []float64 { return make([]float64, 1+u.Step) }}},
			[]string{"Plan.Replicas[0].Optimizer wrong: Coefficients are [0 0] at step 1: must be 1 finite numbers"}},
		"infinite in the end": {[]dpsgd.Optimizer{wrong{numbers: func(u dpsgd.Update) []float64 { return []float64{1 / float64(u.Step-4)} }}},
			[]string{"Coefficients are [+Inf] at step 4"}},
		"values in the program": {[]dpsgd.Optimizer{constantIn{by: 1}, constantIn{by: 2}}, []string{"Plan.Replicas[1].Optimizer scaled by 2", "Move must depend on its arguments only"}},
	} {
		var plan dpsgd.Plan
		for _, o := range c.optimizers {
			config := private() // of 5 steps
			config.Optimizer = o
			plan.Replicas = append(plan.Replicas, config)
		}
		_, err := engine.NewReplicas(m, d, plan)
		t.Log(name)
		checkError(t, err, c.want)
	}
}

// A number that is not finite in the middle of a run, where no trial looks, ends it with an error.
func TestNumbersAreCheckedAtEveryStep(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	config := private()
	config.Optimizer = wrong{numbers: func(u dpsgd.Update) []float64 { return []float64{1 / float64(u.Step-3)} }}
	_, err := trainer(t, m, d, config.Plan(), engine.Performance{}).Run(t.Context(), streams.Fixed("numbers"))
	checkError(t, err, []string{"Optimizer wrong: Coefficients are [+Inf] at step 3: must be 1 finite numbers"})
}

// The user's own optimizer: replicas have the results of single runs, and a stopped run resumes to
// the same bits, with its slots.
func TestForeignOptimizersInReplicasAndCheckpoints(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	var plan dpsgd.Plan
	for r := range 3 {
		c := private()
		c.Steps, c.Optimizer = 12, rmsProp{0.5 + 0.1*float64(r), 1e-2}
		plan.Replicas = append(plan.Replicas, c)
	}
	perf := engine.Performance{ReplicasPerCall: 2, Microbatch: 8}
	want := must(trainer(t, m, d, plan, perf).RunEach(t.Context(), roots(3)))(t)
	for r, c := range plan.Replicas {
		alone := must(trainer(t, m, d, c.Plan(), engine.Performance{Microbatch: 8}).RunEach(t.Context(), roots(3)[r:r+1]))(t)
		if !sameBits(want.Parameters.Values[r], alone.Parameters.Values[0]) {
			t.Errorf("replica %d is not the run that it is alone", r)
		}
	}
	perf.Checkpoint = engine.Checkpoint{Dir: t.TempDir(), Every: 4}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := plan
	stopped.Weights = func(step, _ int, _ []float64) {
		if step == 6 {
			cancel()
		}
	}
	if _, err := trainer(t, m, d, stopped, perf).RunEach(ctx, roots(3)); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
	same(t, "resumed", must(trainer(t, m, d, plan, perf).RunEach(t.Context(), roots(3)))(t), want)
	plan.Replicas[2].Optimizer = rmsProp{0.5, 1e-2}
	_, err := trainer(t, m, d, plan, perf).RunEach(t.Context(), roots(3))
	checkError(t, err, []string{"is of another run: must have the same plan"})
}

// From a secret root, two runs with the user's own code have different noise. Otherwise the
// difference between two optimizers of one name would be free of noise.
func TestForeignOptimizersDrawAnew(t *testing.T) {
	m, d, root := mlp(t, 6, 5, 3), blobs(12, 6, 3), must(streams.Secret())(t)
	run := func(o dpsgd.Optimizer) []float64 {
		c := private()
		c.Optimizer = o
		return must(trainer(t, m, d, c.Plan(), engine.Performance{}).Run(t.Context(), root))(t).Parameters.Values[0]
	}
	if slices.Equal(run(rmsProp{0.9, 1e-2}), run(rmsProp{0.9, 1e-2})) {
		t.Error("two runs with an optimizer of the user's own drew the same")
	}
	if !slices.Equal(run(dpsgd.Adam{}), run(dpsgd.Adam{})) {
		t.Error("the same run with Adam drew anew")
	}
}

// What an optimizer of the user's own is told is part of what a statement rests on.
func TestStatementNamesAForeignOptimizer(t *testing.T) {
	for o, want := range map[dpsgd.Optimizer]bool{dpsgd.Adam{}: false, rmsProp{0.9, 1e-2}: true} {
		c := private()
		c.Optimizer = o
		s := must(c.Statement(mlp(t, 24, 2), 1e-5, "one example"))(t)
		said := slices.Contains(s.Assumptions, fmt.Sprintf("%v, the user's own code, reads only noisy sums and public numbers", o))
		if said != want {
			t.Errorf("%v: named %v, want %v, in %q", o, said, want, s.Assumptions)
		}
	}
}
