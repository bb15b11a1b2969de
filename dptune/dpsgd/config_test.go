package dpsgd_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
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
		{func(c *dpsgd.Config) { *c = dpsgd.Config{} }, []string{"ClipNorm", "NoiseMultiplier", "Config.Sampling is nil: must be Poisson, RandomAllocation, TruncatedPoisson, FullBatch, FixedBatches, CyclicPoisson or CyclicAllocation", "Steps", "ExpectedBatchSize", "LearningRate"}},
	} {
		config := private()
		c.change(&config)
		checkError(t, config.Validate(), c.want)
	}
}

// What is accounted is what runs: T Poisson-sampled Gaussians of the same q and σ.
func TestEvent(t *testing.T) {
	c := private()
	want := accounting.SelfComposed{Count: 5, Event: accounting.PoissonSampled{SamplingRate: 0.3, Event: accounting.ClippedSum{NoiseMultiplier: 1.1}}}
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

// Every config that Validate accepts has a statement, whose ε may be +Inf. Extreme noise
// multipliers of every scheme, with and without a grid, correlation and phases, are priced by the
// default accountant. Those that only TruncatedPoisson lacks are quoted from the error of its
// accountant, package pld.
func TestEveryValidConfigHasAStatement(t *testing.T) {
	m, err := models.MLP(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	noise := []float64{1e-18, 1e-9, 1e-4, 1, 1e6, 0x1p53, 1e16, 1e18}
	schemes := []dpsgd.Sampling{
		dpsgd.FullBatch{}, dpsgd.Poisson{Rate: 1e-300}, dpsgd.Poisson{Rate: 0.3}, dpsgd.Poisson{Rate: 1}, dpsgd.RandomAllocation{Period: 3},
		dpsgd.TruncatedPoisson{Rate: 0.3, Cap: 20, Examples: 40}, dpsgd.TruncatedPoisson{Rate: 1e-300, Cap: 1, Examples: 1}, dpsgd.TruncatedPoisson{Rate: 1, Cap: 5, Examples: 5},
		dpsgd.FixedBatches{Period: 2}, dpsgd.CyclicPoisson{Period: 2, Rate: 0.5}, dpsgd.CyclicAllocation{Period: 2, Turns: 2},
	}
	changes := map[string]func(c *dpsgd.Config){
		"plain": func(*dpsgd.Config) {}, "integers": func(c *dpsgd.Config) { c.UnitsPerClip = 16 },
		"correlated": func(c *dpsgd.Config) { c.Noise = &dpsgd.CorrelatedNoise{Coefficients: []float64{0.8, 0.6}} },
		"phases":     func(c *dpsgd.Config) { c.Phases = []dpsgd.Phase{{Steps: 1}, {Steps: 1, NoiseFactor: 2}} },
	}
	priced := 0
	for _, s := range schemes {
		for name, change := range changes {
			for _, sigma := range noise {
				c := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: sigma, Sampling: s, Steps: 2, ExpectedBatchSize: 4, LearningRate: 0.1}
				change(&c)
				if err := c.Validate(); err != nil {
					continue
				}
				if priced++; testing.Short() && priced%4 > 0 && name != "plain" {
					continue
				}
				if _, err := c.Statement(m, 1e-5, "one row"); err != nil {
					t.Errorf("%v, %s, σ %g is valid and has no statement: %v", s, name, sigma, err)
				}
			}
		}
	}
	if priced < 100 {
		t.Errorf("%d valid configs, want at least 100", priced)
	}
	c := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: math.Nextafter(0.002, 0), Sampling: schemes[5], Steps: 2, ExpectedBatchSize: 4, LearningRate: 0.1}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "dpsgd: Config.NoiseMultiplier 0.0019999999999999996: must be in [0.002, 2^53] with TruncatedPoisson") {
		t.Errorf("error %v, want one about the range of the noise multiplier", err)
	}
	if _, err := pld.NewAccountant().EpsilonAt(c.Event(), 1e-5); err == nil || !strings.Contains(err.Error(), "must be in [0.002, 9.007199254740992e+15]") {
		t.Errorf("error %v of the accountant, want one with the range of Validate", err)
	}
	c.NoiseMultiplier = 0.002
	if _, err := c.Statement(m, 1e-5, "one row"); err != nil {
		t.Errorf("the least noise multiplier has no statement: %v", err)
	}
}
