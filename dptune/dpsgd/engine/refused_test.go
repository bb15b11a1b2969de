package engine_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

func TestPlanValidate(t *testing.T) {
	m := mlp(t, 3, 2)
	weights := func(n int) *dpsgd.Parameters {
		return &dpsgd.Parameters{Values: [][]float64{make([]float64, n)}}
	}
	canary := func(norm float64, in ...bool) *dpsgd.Canary {
		gradient := make([]float64, m.Size())
		gradient[0] = norm
		return &dpsgd.Canary{Gradient: gradient, In: in}
	}
	for _, c := range []struct {
		change func(*dpsgd.Plan)
		want   []string
	}{
		{func(p *dpsgd.Plan) {}, nil},
		{func(p *dpsgd.Plan) { p.Replicas = nil }, []string{"Plan.Replicas is empty"}},
		{func(p *dpsgd.Plan) { p.Replicas[1].ClipNorm = -1 }, []string{"Plan.Replicas[1]", "ClipNorm -1"}},
		{func(p *dpsgd.Plan) { p.Replicas[1].Steps = 6 }, []string{"Plan.Replicas[1].Steps 6: must be 5"}},
		{func(p *dpsgd.Plan) { p.Replicas[1].NonPrivate, p.Replicas[1].NoiseMultiplier = true, 0 }, []string{"Plan.Replicas[1].NonPrivate"}},
		{func(p *dpsgd.Plan) { p.Replicas[1].Sampling, p.SharedBatches = dpsgd.Poisson{Rate: 0.1}, true }, []string{"Sampling Poisson(q 0.1): must be Poisson(q 0.3)", "SharedBatches"}},
		{func(p *dpsgd.Plan) { p.ClipMethod = 7 }, []string{"Plan.ClipMethod 7"}},
		{func(p *dpsgd.Plan) { p.Initial = weights(8) }, nil},
		{func(p *dpsgd.Plan) { p.Initial = weights(7) }, []string{"Plan.Initial.Values[0] has length 7: must be 8"}},
		{func(p *dpsgd.Plan) { p.Initial = &dpsgd.Parameters{} }, []string{"Plan.Initial has 0 sets"}},
		{func(p *dpsgd.Plan) { p.Initial = weights(8); p.Initial.Values[0][3] = math.NaN() }, []string{"Plan.Initial.Values[0][3] is NaN"}},
		{func(p *dpsgd.Plan) { p.Probes = [][]float64{make([]float64, 3)} }, []string{"Plan.Probes[0] has length 3: must be 8"}},
		{func(p *dpsgd.Plan) { p.Canary = canary(0.5, true, false) }, nil},
		{func(p *dpsgd.Plan) { p.Canary = canary(0.51, false, false) }, nil},
		{func(p *dpsgd.Plan) { p.Canary = canary(0.51, false, true) }, []string{"norm 0.51", "ClipNorm 0.5 of replica 1"}},
		{func(p *dpsgd.Plan) { p.Canary = canary(0.5, true) }, []string{"Plan.Canary.In has length 1: must be 2"}},
		{func(p *dpsgd.Plan) { p.Schedule = func(s int) float64 { return float64(1 - s) } }, []string{"Plan.Schedule(2) is -1"}},
	} {
		plan := dpsgd.Plan{Replicas: []dpsgd.Config{private(), private()}}
		c.change(&plan)
		_, err := engine.NewReplicas(m, blobs(10, 3, 2), plan)
		checkError(t, err, c.want)
	}
}

func TestNewTrainerRefuses(t *testing.T) {
	good := blobs(10, 3, 2)
	nan := blobs(10, 3, 2)
	nan.Features[3*4+1] = float32(math.NaN())
	label := blobs(10, 3, 2)
	label.Labels[5] = 2
	for _, c := range []struct {
		model dpsgd.Model
		data  data.Dataset
		perf  engine.Performance
		want  []string
	}{
		{mlp(t, 3, 2), good, engine.Performance{}, nil},
		{mlp(t, 3, 2), nan, engine.Performance{}, []string{"NaN", "row 4, column 1"}},
		{mlp(t, 3, 2), label, engine.Performance{}, []string{"label 2 in row 5"}},
		{mlp(t, 4, 2), good, engine.Performance{}, []string{"Input [4]", "[3]"}},
		{mlp(t, 3, 5), good, engine.Performance{}, []string{"output shape [5]: must be [2]"}},
		{dpsgd.Model{Name: "empty"}, good, engine.Performance{}, []string{`"empty"`, "Layers is empty"}},
		{mlp(t, 3, 2), good, engine.Performance{Backend: "abacus"}, []string{`Backend "abacus": must be one of`, "go"}},
		{mlp(t, 3, 2), good, engine.Performance{Microbatch: -1, ReplicasPerCall: -1, Goroutines: -1, Precision: 9}, []string{"Microbatch -1", "ReplicasPerCall -1", "Goroutines -1", "Precision 9"}},
	} {
		_, err := engine.NewTrainer(c.model, c.data, private(), c.perf)
		checkError(t, err, c.want)
	}
	wrong := dpsgd.Model{Name: "wrong", Input: []int{3}, Loss: nn.SoftmaxCrossEntropy(),
		Layers: []nn.Layer{nn.Dense(3, 4), nn.Tanh(), nn.Dense(5, 2)}}
	_, err := engine.NewTrainer(wrong, good, private())
	checkError(t, err, []string{`model "wrong": layer 2: Dense(5, 2)`, "has 4 values: must have 5"})
}
