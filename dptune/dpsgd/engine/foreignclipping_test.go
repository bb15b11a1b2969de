package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// wrongFactors is a clipping with something wrong.
type wrongFactors struct {
	numbers []float64
	factor  func(n dpsgd.Norms, numbers []*graph.Node) *graph.Node
}

func (wrongFactors) String() string                        { return "wrong" }
func (wrongFactors) Validate(float64, int) error           { return nil }
func (w wrongFactors) Coefficients(float64, int) []float64 { return w.numbers }
func (w wrongFactors) Factors(n dpsgd.Norms, numbers []*graph.Node) []*graph.Node {
	factors := make([]*graph.Node, n.Layers())
	for l := range factors {
		factors[l] = w.factor(n, numbers)
	}
	return factors
}

// byValue is a clipping that forgets that its numbers must come by Coefficients.
type byValue struct {
	wrongFactors
	name string
}

func (b byValue) String() string { return b.name }

// A clipping that mixes examples bounds nothing. It is found before a run begins, like any other
// that the engine cannot run.
func TestForeignClippingsAreTried(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	total := func(n dpsgd.Norms, _ []*graph.Node) *graph.Node { return graph.Reciprocal(n.Total()) }
	by := func(name string, factor float64) dpsgd.Clipping {
		return byValue{wrongFactors{factor: func(n dpsgd.Norms, _ []*graph.Node) *graph.Node {
			return graph.MulScalar(graph.Reciprocal(graph.AddScalar(n.Total(), 1)), factor)
		}}, name}
	}
	for name, c := range map[string]struct {
		rules []dpsgd.Clipping
		want  []string
	}{
		"sound":     {[]dpsgd.Clipping{wrongFactors{factor: total}}, nil},
		"two sound": {[]dpsgd.Clipping{normalized{Scale: 1}, normalized{Scale: 2}}, nil},
		"the batch's mean norm": {[]dpsgd.Clipping{wrongFactors{factor: func(n dpsgd.Norms, _ []*graph.Node) *graph.Node {
			mean := graph.ReduceAndKeep(n.Total(), graph.ReduceMean, -1)
			return graph.BroadcastToDims(graph.Reciprocal(mean), n.Total().Shape().Dimensions...)
		}}}, []string{"Plan.Replicas[0].Clipping wrong", "when another example has norms of", "rows must not mix"}},
		"replicas mix": {[]dpsgd.Clipping{wrongFactors{factor: func(n dpsgd.Norms, _ []*graph.Node) *graph.Node {
			return graph.Add(n.Total(), graph.ReduceAndKeep(n.Total(), graph.ReduceMax, 0))
		}}}, []string{"Clipping wrong", "rows must not mix"}},
		"another shape": {[]dpsgd.Clipping{wrongFactors{factor: func(n dpsgd.Norms, _ []*graph.Node) *graph.Node {
			return graph.ReduceAllSum(n.Total())
		}}}, []string{"what Factors returns for layer 0 is of shape []: must be [2 6]"}},
		"nothing":     {[]dpsgd.Clipping{wrongFactors{factor: func(dpsgd.Norms, []*graph.Node) *graph.Node { return nil }}}, []string{"layer 0 is missing (nil)"}},
		"no such one": {[]dpsgd.Clipping{wrongFactors{factor: func(n dpsgd.Norms, numbers []*graph.Node) *graph.Node { return numbers[3] }}}, []string{"Clipping wrong", "index out of range"}},
		"not finite": {[]dpsgd.Clipping{wrongFactors{factor: func(n dpsgd.Norms, _ []*graph.Node) *graph.Node {
			return graph.Sqrt(graph.AddScalar(graph.Neg(n.Total()), 0.5))
		}}}, []string{"is not finite: must be finite"}},
		"values in the program": {[]dpsgd.Clipping{by("a", 0.001), by("b", 0.002)}, []string{"Plan.Replicas[1].Clipping b", "Factors must depend on its arguments only"}},
	} {
		var plan dpsgd.Plan
		for _, rule := range c.rules {
			config := private()
			config.Clipping = rule
			plan.Replicas = append(plan.Replicas, config)
		}
		_, err := engine.NewReplicas(m, d, plan)
		t.Log(name)
		checkError(t, err, c.want)
	}
}

// A check takes two programs, of a pair of replicas and of one by itself, however often it calls
// them: some backends compile each for seconds.
func TestForeignCodeCompilesTwice(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	clipped, moved := 0, 0
	config := private()
	config.Clipping = wrongFactors{factor: func(n dpsgd.Norms, _ []*graph.Node) *graph.Node {
		clipped++
		return graph.Reciprocal(n.Total())
	}}
	config.Optimizer = wrong{move: func(weights, sum *graph.Node, numbers, slots []*graph.Node) (*graph.Node, []*graph.Node) {
		moved++
		return graph.Sub(weights, graph.Mul(sum, numbers[0])), slots
	}}
	trainer(t, m, d, config.Plan(), engine.Performance{})
	if layers := 2; clipped != 2*layers || moved != 2 {
		t.Errorf("Factors was asked %d times for a layer and Move %d times: want %d and 2", clipped, moved, 2*layers)
	}
}

// Replicas with the user's own clipping have the results of single runs.
func TestForeignClippingsInReplicas(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	var plan dpsgd.Plan
	for r := range 3 {
		c := private()
		c.Clipping = normalized{Scale: 0.2 * float64(r+1)}
		plan.Replicas = append(plan.Replicas, c)
	}
	want := must(trainer(t, m, d, plan, engine.Performance{ReplicasPerCall: 2, Microbatch: 8}).RunEach(t.Context(), roots(3)))(t)
	for r, c := range plan.Replicas {
		alone := must(trainer(t, m, d, c.Plan(), engine.Performance{Microbatch: 8}).RunEach(t.Context(), roots(3)[r:r+1]))(t)
		if !sameBits(want.Parameters.Values[r], alone.Parameters.Values[0]) {
			t.Errorf("replica %d is not the run that it is alone", r)
		}
	}
	if _, own := plan.Replicas[0].Identity(); own {
		t.Error("code of the user's own is said to have a hash")
	}
	root := must(streams.Secret())(t)
	first, second := must(trainer(t, m, d, plan, engine.Performance{}).Run(t.Context(), root))(t), must(trainer(t, m, d, plan, engine.Performance{}).Run(t.Context(), root))(t)
	if sameBits(first.Parameters.Values[0], second.Parameters.Values[0]) {
		t.Error("two runs from a secret root with code of the user's own drew the same")
	}
}

// What a clipping of the user's own is trusted with is part of what a statement rests on.
func TestStatementNamesAForeignClipping(t *testing.T) {
	for rule, want := range map[dpsgd.Clipping]bool{dpsgd.AutomaticClipping{}: false, normalized{1}: true} {
		c := private()
		c.Clipping = rule
		s := must(c.Statement(mlp(t, 24, 2), 1e-5, "one example"))(t)
		said := slices.Contains(s.Assumptions, fmt.Sprintf("%v, the user's own code, computes each example's factor from that example's norms only", rule))
		if said != want {
			t.Errorf("%v: named %v, want %v, in %q", rule, said, want, s.Assumptions)
		}
	}
}
