package dpsgd_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

func TestConfigValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		change func(*dpsgd.Config)
		want   []string // fields that the error names; none for a valid config
	}{
		{func(c *dpsgd.Config) {}, nil},
		{func(c *dpsgd.Config) { c.Sampling, c.Optimizer = dpsgd.Poisson{Rate: 1}, dpsgd.SGD{Momentum: 0.99} }, nil},
		{func(c *dpsgd.Config) { c.NonPrivate, c.NoiseMultiplier = true, 0 }, nil},
		{func(c *dpsgd.Config) { c.NonPrivate, c.NoiseMultiplier, c.ClipNorm = true, 0, 0 }, nil},
		{func(c *dpsgd.Config) { c.NoiseMultiplier = 0 }, []string{"NoiseMultiplier 0: must be > 0", "NonPrivate"}},
		{func(c *dpsgd.Config) { c.NoiseMultiplier = -1 }, []string{"NoiseMultiplier -1"}},
		{func(c *dpsgd.Config) { c.NoiseMultiplier = nan }, []string{"NoiseMultiplier NaN"}},
		{func(c *dpsgd.Config) { c.NoiseMultiplier = inf }, []string{"NoiseMultiplier +Inf"}},
		{func(c *dpsgd.Config) { c.NonPrivate = true }, []string{"NoiseMultiplier 1.1: must be 0"}},
		{func(c *dpsgd.Config) { c.ClipNorm = 0 }, []string{"ClipNorm 0"}},
		{func(c *dpsgd.Config) { c.ClipNorm = inf }, []string{"ClipNorm +Inf"}},
		{func(c *dpsgd.Config) { c.ClipNorm = nan }, []string{"ClipNorm NaN"}},
		{func(c *dpsgd.Config) { c.ClipNorm, c.NoiseMultiplier = 1e-15, 1e-15 }, []string{"NoiseMultiplier * ClipNorm 1e-30"}},
		{func(c *dpsgd.Config) { c.Sampling = dpsgd.Poisson{Rate: 0} }, []string{"Config.Sampling: Poisson.Rate 0: must be in (0, 1]"}},
		{func(c *dpsgd.Config) { c.Sampling = dpsgd.Poisson{Rate: 1.001} }, []string{"Poisson.Rate 1.001"}},
		{func(c *dpsgd.Config) { c.Sampling = dpsgd.Poisson{Rate: nan} }, []string{"Poisson.Rate NaN"}},
		{func(c *dpsgd.Config) { c.Steps = 0 }, []string{"Steps 0: must be >= 1"}},
		{func(c *dpsgd.Config) { c.ExpectedBatchSize = 0 }, []string{"ExpectedBatchSize 0"}},
		{func(c *dpsgd.Config) { c.LearningRate = 0 }, []string{"LearningRate 0"}},
		{func(c *dpsgd.Config) { c.LearningRate = inf }, []string{"LearningRate +Inf"}},
		{func(c *dpsgd.Config) { c.Optimizer = dpsgd.SGD{Momentum: 1} }, []string{"dpsgd: Config.Optimizer: SGD.Momentum 1: must be in [0, 1)"}},
		{func(c *dpsgd.Config) { *c = dpsgd.Config{} }, []string{"ClipNorm", "NoiseMultiplier", "Config.Sampling is nil: must be Poisson, FullBatch or FixedBatches", "Steps", "ExpectedBatchSize", "LearningRate"}},
	} {
		config := private()
		c.change(&config)
		checkError(t, config.Validate(), c.want)
	}
}

// checkError fails unless err names all of want, or is nil if want is empty.
func checkError(t *testing.T, err error, want []string) {
	t.Helper()
	if len(want) == 0 {
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
		return
	}
	if err == nil {
		t.Errorf("no error, want one that names %q", want)
		return
	}
	for _, part := range append([]string{"dpsgd: "}, want...) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not name %q", err, part)
		}
	}
}

// What is accounted is what runs: T Poisson-sampled Gaussians of the same q and σ.
func TestEvent(t *testing.T) {
	c := private()
	want := accounting.SelfComposed{Count: 5, Event: accounting.PoissonSampled{SamplingRate: 0.3, Event: accounting.Gaussian{NoiseMultiplier: 1.1}}}
	if got := c.Event(); got != accounting.Event(want) {
		t.Errorf("event %v, want %v", got, want)
	}
	if !reflect.DeepEqual(c.Plan().Replicas[0], c) {
		t.Error("the plan's config is not the config")
	}
	c.NonPrivate, c.NoiseMultiplier = true, 0
	if got := c.Event(); got != accounting.Event(accounting.NonPrivate{}) {
		t.Errorf("event of a run without noise %v, want NonPrivate", got)
	}
	if err := (dpsgd.Config{}).Event().Validate(); err == nil {
		t.Error("the event of an empty config is valid: it would be accounted as something")
	}
}

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
		{func(p *dpsgd.Plan) { p.Mode = 7 }, []string{"Plan.Mode 7"}},
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
		_, err := dpsgd.NewReplicas(m, blobs(10, 3, 2), plan)
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
		perf  dpsgd.Performance
		want  []string
	}{
		{mlp(t, 3, 2), good, dpsgd.Performance{}, nil},
		{mlp(t, 3, 2), nan, dpsgd.Performance{}, []string{"NaN", "row 4, column 1"}},
		{mlp(t, 3, 2), label, dpsgd.Performance{}, []string{"label 2 in row 5"}},
		{mlp(t, 4, 2), good, dpsgd.Performance{}, []string{"Input [4]", "[3]"}},
		{mlp(t, 3, 5), good, dpsgd.Performance{}, []string{"output shape [5]: must be [2]"}},
		{dpsgd.Model{Name: "empty"}, good, dpsgd.Performance{}, []string{`"empty"`, "Layers is empty"}},
		{mlp(t, 3, 2), good, dpsgd.Performance{Backend: "abacus"}, []string{`Backend "abacus": must be one of`, "go"}},
		{mlp(t, 3, 2), good, dpsgd.Performance{Microbatch: -1, Chunk: -1, Goroutines: -1, Precision: 9}, []string{"Microbatch -1", "Chunk -1", "Goroutines -1", "Precision 9"}},
	} {
		_, err := dpsgd.NewTrainer(c.model, c.data, private(), c.perf)
		checkError(t, err, c.want)
	}
	wrong := dpsgd.Model{Name: "wrong", Input: []int{3}, Loss: nn.SoftmaxCrossEntropy(),
		Layers: []nn.Layer{nn.Dense(3, 4), nn.Tanh(), nn.Dense(5, 2)}}
	_, err := dpsgd.NewTrainer(wrong, good, private())
	checkError(t, err, []string{`model "wrong": layer 2: Dense(5, 2)`, "has 4 values: must have 5"})
}

// No config makes Validate panic, and a valid one has a valid event.
func FuzzConfigValidate(f *testing.F) {
	f.Add([]byte(`{"ClipNorm":1,"NoiseMultiplier":1,"SamplingRate":0.1,"Steps":10,"ExpectedBatchSize":5,"LearningRate":1}`))
	f.Add([]byte(`{"NonPrivate":true,"SamplingRate":1,"Steps":1,"ExpectedBatchSize":5,"LearningRate":1e300}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c dpsgd.Config
		if json.Unmarshal(text, &c) != nil {
			return
		}
		if c.Validate() == nil {
			if err := c.Event().Validate(); err != nil {
				t.Errorf("config %+v is valid, its event is not: %v", c, err)
			}
		}
	})
}
