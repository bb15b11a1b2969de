package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/internal/freememory"
	"github.com/dplab/dplab/dptune/models"
)

// benchmark is the subject of a measurement. It makes trainers for any number of steps.
type benchmark struct {
	options
	named models.Named
	model dpsgd.Model
	data  data.Dataset
}

// sampledShare is the mean share of the examples in a batch of -sampling poisson and allocation.
const sampledShare = 0.1

// benchmark builds the model, and the synthetic data if they fit into memory.
func (o options) benchmark() (benchmark, error) {
	named, _ := findModel(o.model)
	model, err := named.Build()
	if err != nil {
		return benchmark{}, fmt.Errorf("model %s: %w", named.Name, err)
	}
	if o.batch == 0 {
		o.batch = usualBatch(named.Name)
	}
	b := benchmark{options: o, named: named, model: model}
	if free := freememory.Bytes(); free > 0 {
		if err := b.checkMemory(free); err != nil {
			return benchmark{}, err
		}
	}
	b.data = synthetic(named, b.examples())
	return b, nil
}

// synthetic returns standard normal features, or uniform tokens, and uniform labels, the
// same on every run.
func synthetic(named models.Named, examples int) data.Dataset {
	rng := rand.New(rand.NewPCG(0, 0))
	d := data.Dataset{Name: "synthetic", Shape: named.Input, Classes: named.Classes}
	d.Features = make([]float32, examples*d.Width())
	for i := range d.Features {
		if named.Tokens > 0 {
			d.Features[i] = float32(rng.IntN(named.Tokens))
		} else {
			d.Features[i] = float32(rng.NormFloat64())
		}
	}
	d.Labels = make([]int32, examples)
	for i := range d.Labels {
		d.Labels[i] = rng.Int32N(int32(named.Classes))
	}
	return d
}

// config returns the config of each replica: clip norm 1, noise multiplier 1, plain SGD.
func (b benchmark) config(steps int) dpsgd.Config {
	c := dpsgd.Config{Sampling: dpsgd.Poisson{Rate: 1}, Steps: steps, ExpectedBatchSize: float64(b.batch), LearningRate: 0.1}
	switch b.sampling {
	case "poisson":
		c.Sampling = dpsgd.Poisson{Rate: sampledShare}
	case "allocation":
		c.Sampling = dpsgd.RandomAllocation{Period: 1 / sampledShare}
	}
	if b.mode == "nonprivate" {
		c.NonPrivate = true
		return c
	}
	c.ClipNorm, c.NoiseMultiplier = 1, 1
	if b.mode == "integers" {
		c.UnitsPerClip = 1 << 12
	}
	return c
}

// trainer returns a trainer of runs with a number of steps.
func (b benchmark) trainer(steps int) (*engine.Replicas, error) {
	return engine.NewReplicas(b.model, b.data, b.plan(steps), b.requested())
}

// generators are the values of -generator.
var generators = map[string]dpsgd.Generator{
	"default": dpsgd.GeneratorOfBackend, "aes256": dpsgd.AES256, "chacha20": dpsgd.ChaCha20,
}

// plan returns the plan of all replicas.
func (b benchmark) plan(steps int) dpsgd.Plan {
	plan := dpsgd.Plan{SharedBatches: b.batches == "shared", Generator: generators[b.generator]}
	if b.mode == "materialized" {
		plan.ClipMethod = dpsgd.Materialized
	}
	for range b.replicas {
		plan.Replicas = append(plan.Replicas, b.config(steps))
	}
	return plan
}

// requested returns the settings of the command line.
func (b benchmark) requested() engine.Performance {
	perf := engine.Performance{Backend: b.backend, Goroutines: b.goroutines, ReplicasPerCall: b.chunk, Microbatch: b.microbatch, StepsPerCall: b.together}
	if b.float64 {
		perf.Precision = engine.Float64
	}
	return perf
}
