package dpsgd

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// Plan is what engine.Replicas run: one model for each of Replicas, all in one executable.
//
// Replicas share the data, the model's shape, Steps, whether they are private and clip, and the
// rules of clipping and of the optimizer. Each has its own sampling, batches, clip norm,
// noise, learning rate, other numbers, and initial weights, drawn from a root of its own: they are
// independent runs.
type Plan struct {
	Replicas []Config // R >= 1 models. Required.

	// Schedule returns the factor on every learning rate at a step in [0, Steps): a function
	// of yours, or Cosine, StepDecay, Warmup. Nil is the constant 1.
	Schedule Schedule

	// SharedBatches makes all replicas see the same batches, drawn from the first root.
	// The replicas are then not independent: right for repeats of one figure, wrong for
	// the candidates of a private search. To publish several of them costs more than the
	// composition of their events, since one coin decides for all. Sampling must be equal.
	SharedBatches bool

	Initial     *Parameters // weights to start from, one set for all replicas or one for each; nil draws them
	InitialFrom Provenance  // where those come from, for Result.Statement: zero is not to say
	Canary      *Canary     // one more example, or gradient, of our choice for some replicas; nil for none
	Canaries    *Canaries   // many, for audits in one run; nil for none
	Probes      [][]float64 // directions of length Model.Size(): Result.Probes holds their products with each noisy sum
	ClipMethod  ClipMethod  // how clipped sums are computed; results agree up to rounding
	Generator   Generator   // what noise is made from. The default is the backend's, see GeneratorOfBackend.

	// Progress is called now and then, and at the end. Nil for none. Calls do not overlap.
	// ProgressLine writes it to a terminal.
	Progress func(Progress)

	// EpsilonUpper prices what was done so far, the event of InitialFrom included, for Progress:
	// see EpsilonUpperAt. Nil for none.
	EpsilonUpper func(accounting.Event) float64

	// Weights is called after every update with each replica's weights, which are valid during the
	// call. Nil for none. Calls do not overlap; replicas may come in any order. It must be nil with
	// Performance.Checkpoint: a run that is taken up would call it only for the steps that are
	// left, and what it collects would lack the others.
	Weights func(step, replica int, weights []float64)

	// WeightsAt reports whether Weights is to be called after a step in [0, Steps). Nil is
	// after every one. Steps that nobody observes take less time.
	WeightsAt func(step int) bool
}

// ClipMethod selects how the clipped sum of gradients is computed.
type ClipMethod int

const (
	// BookKeeping takes norms by algebra and then one weighted product for each layer.
	// Per-sample gradients never exist. The default.
	BookKeeping ClipMethod = iota
	// Materialized forms every per-sample gradient: microbatch x parameters of memory. It
	// is the twin that BookKeeping is tested against.
	Materialized
)

// ValidateFor returns every fault of the plan for a model and a number of examples, joined.
func (p Plan) ValidateFor(model Model, examples int) error {
	fault := check.In("dpsgd: ")
	if model.Validate() != nil { // what the plan holds of weights cannot be checked
		fault.Add(p.validateReplicas())
	} else {
		fault.Add(p.Validate(model.Size()))
		if p.Initial != nil {
			fault.Add(p.Initial.validateArchitecture("Plan.Initial", model))
		}
	}
	for r, c := range p.Replicas {
		name := fmt.Sprintf("Plan.Replicas[%d].", r)
		if isScheme(c.Sampling) && c.Sampling.Validate(-1) == nil { // else it has been reported
			fault.Below(name+"Sampling", c.Sampling.Validate(examples))
		}
		rule := c.WithDefaults().Clipping
		if model.Validate() == nil && rule.Validate(c.ClipNorm, 0) == nil {
			fault.Below(name+"Clipping", rule.Validate(c.ClipNorm, len(model.LayerSizes())))
		}
	}
	return fault.Err()
}

// Validate returns every fault of the plan, joined. size is the number of parameters.
func (p Plan) Validate(size int) error {
	if len(p.Replicas) == 0 {
		return p.validateReplicas()
	}
	errs := []error{p.validateReplicas(), p.InitialFrom.validate(p.Initial != nil)}
	if p.ClipMethod != BookKeeping && p.ClipMethod != Materialized {
		errs = append(errs, fmt.Errorf("dpsgd: Plan.ClipMethod %d: must be BookKeeping or Materialized", p.ClipMethod))
	}
	if p.Generator < GeneratorOfBackend || p.Generator > ChaCha20 {
		errs = append(errs, fmt.Errorf("dpsgd: Plan.Generator %v: must be GeneratorOfBackend, AES256 or ChaCha20", p.Generator))
	}
	errs = append(errs, p.validateInitial(size), p.validateCanary(size), p.validateCanaries(size))
	for i, direction := range p.Probes {
		errs = append(errs, validateVector(fmt.Sprintf("Plan.Probes[%d]", i), direction, size))
	}
	return errors.Join(append(errs, p.validateSchedule())...)
}

// validateReplicas returns every fault of the configs, joined.
func (p Plan) validateReplicas() error {
	if len(p.Replicas) == 0 {
		return errors.New("dpsgd: Plan.Replicas is empty: must hold at least one config")
	}
	var errs []error
	for r, config := range p.Replicas {
		errs = append(errs, config.validate(fmt.Sprintf("dpsgd: Plan.Replicas[%d].", r)))
		errs = append(errs, p.validateShared(r))
	}
	return errors.Join(errs...)
}

// validateShared checks what replica r must have in common with the first.
func (p Plan) validateShared(r int) error {
	first, c := p.Replicas[0], p.Replicas[r]
	errs := check.In("dpsgd: ")
	name := fmt.Sprintf("Plan.Replicas[%d].", r)
	errs.That(c.Steps == first.Steps, name+"Steps", c.Steps, fmt.Sprintf("must be %d, as in the first replica", first.Steps))
	errs.That(c.NonPrivate == first.NonPrivate, name+"NonPrivate", c.NonPrivate, "must be the same in all replicas")
	errs.That(c.clips() == first.clips(), name+"ClipNorm", c.ClipNorm, "must be 0 in all replicas or in none")
	filled, firstFilled := c.WithDefaults(), first.WithDefaults()
	rule, firstRule := reflect.TypeOf(filled.Clipping), reflect.TypeOf(firstFilled.Clipping)
	errs.That(rule == firstRule, name+"Clipping", rule, fmt.Sprintf("must be %v, as in the first replica", firstRule))
	mine, theirs := reflect.TypeOf(filled.Optimizer), reflect.TypeOf(firstFilled.Optimizer)
	errs.That(mine == theirs, name+"Optimizer", mine, fmt.Sprintf("must be %v, as in the first replica", theirs))
	if p.SharedBatches {
		errs.That(reflect.DeepEqual(c.Sampling, first.Sampling), name+"Sampling", c.Sampling,
			fmt.Sprintf("must be %v, as in the first replica, when SharedBatches is set", first.Sampling))
	}
	return errs.Err()
}

func (p Plan) validateInitial(size int) error {
	if p.Initial == nil {
		return nil
	}
	if n := len(p.Initial.Values); n != 1 && n != len(p.Replicas) {
		return fmt.Errorf("dpsgd: Plan.Initial has %d sets of weights: must have 1 or %d, one for each replica", n, len(p.Replicas))
	}
	var errs []error
	for r, values := range p.Initial.Values {
		errs = append(errs, validateVector(fmt.Sprintf("Plan.Initial.Values[%d]", r), values, size))
	}
	return errors.Join(errs...)
}

func (p Plan) validateSchedule() error {
	if p.Schedule == nil {
		return nil
	}
	for step := range p.Replicas[0].Steps {
		if f := p.Schedule(step); !(f >= 0) || math.IsInf(f, 1) {
			return fmt.Errorf("dpsgd: Plan.Schedule(%d) is %g: must be >= 0 and finite", step, f)
		}
	}
	return nil
}

// EventAfter returns what the first steps of a replica cost, with what InitialFrom costs.
func (p Plan) EventAfter(replica, steps int) accounting.Event {
	return p.InitialFrom.before(p.Replicas[replica].EventAfter(steps))
}

// Clone returns the plan with copies of all that its price and its sensitivity rest on, so that
// they stay as they were validated.
func (p Plan) Clone() Plan {
	p.Replicas = cloneConfigs(p.Replicas)
	if p.Canary != nil {
		c := *p.Canary
		c.Gradient, c.In = slices.Clone(c.Gradient), slices.Clone(c.In)
		p.Canary = &c
	}
	if p.Canaries != nil {
		c := p.Canaries.clone()
		p.Canaries = &c
	}
	return p
}

func cloneConfigs(configs []Config) []Config {
	configs = slices.Clone(configs)
	for r := range configs {
		if rule, ok := configs[r].Clipping.(PerLayerClipping); ok {
			configs[r].Clipping = PerLayerClipping{Norms: slices.Clone(rule.Norms)}
		}
	}
	return configs
}

// Plan returns the plan of this one run: the same fields, one replica.
func (c Config) Plan() Plan { return Plan{Replicas: []Config{c}} }
