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

// Plan is what engine.Replicas trains: one model for each of Replicas, all in one executable.
//
// Replicas share the data, the model's shape, Steps, NonPrivate, the types of Clipping and
// Optimizer, and the number of bands of Noise. Either all clip or none does. Each replica has its
// own sampling, batches, clip norm, noise, learning rate, other numbers, and initial weights. All
// are drawn from its own root, so replicas are independent runs.
type Plan struct {
	Replicas []Config // R >= 1 models. Required.

	// Own declares that batches, clip norms and noise are the caller's own, in engine's RunOwn. The
	// replicas then have none of these. Nil for runs by the configs.
	Own *Own

	// Schedule returns the factor on every learning rate at a step in [0, Steps). It is Cosine,
	// StepDecay, Warmup or your own function. Nil is the constant 1.
	Schedule Schedule

	// SharedBatches makes all replicas see the same batches, drawn from the first root. Replicas
	// are then not independent. That is right for the repeats of one figure and wrong for the
	// candidates of a private search. Publishing several of them costs more than the composition of
	// their events, because one coin decides for all. Sampling must be equal in all replicas.
	SharedBatches bool

	// Average is the decay β in [0, 1) of Result.Averaged, the exponential moving average of the
	// weights after each step. 0 keeps none. The average is post-processing, so it costs no privacy:
	//
	//	Σ_t β^(T-t) w_t / Σ_t β^(T-t), t = 1, ..., T
	//
	// It leaves out the initial weights. Its weight on the last step is 1-β after many steps.
	Average float64

	Initial     *Parameters // starting weights, one set for all replicas or one for each; nil draws them
	InitialFrom Provenance  // source of Initial, for Result.Statement; zero is unknown
	Canary      *Canary     // one chosen example or gradient in some replicas, for audits; nil for none
	Canaries    *Canaries   // many of them, for audits in one run; nil for none
	Probes      [][]float64 // directions of length Model.Size(): Result.Probes holds their products with each noisy sum
	KeepSlots   bool        // Result.Slots holds the optimizer's last slots
	ClipMethod  ClipMethod  // how clipped sums are computed; results agree up to rounding
	Generator   Generator   // makes the noise; the default depends on the backend, see GeneratorOfBackend

	// Evaluate measures the models on public data while they train, for Results.Curve. Nil for none.
	Evaluate *Evaluation

	// Progress is called from time to time and at the end. Calls do not overlap. Nil for none.
	// ProgressLine returns a function that writes progress to a terminal.
	Progress func(Progress)

	// EpsilonUpper returns the ε of the steps done so far, for Progress. The event of InitialFrom
	// is included. Nil for none. See EpsilonUpperAt.
	EpsilonUpper func(accounting.Event) float64

	// Weights is called after every update with each replica's weights, which are valid during the
	// call only. Calls do not overlap. Replicas may come in any order. Nil for none. ParametersOf
	// turns them into what engine.Accuracy takes. It must be nil with Performance.Checkpoint: a
	// resumed run would call it for the remaining steps only, and earlier steps would be missing.
	Weights func(step, replica int, weights []float64)

	// WeightsAt reports whether Weights is to be called after a step in [0, Steps). Nil is after
	// every one. Steps that are not observed take less time.
	WeightsAt func(step int) bool
}

// ClipMethod is the way to compute the clipped sum of gradients.
type ClipMethod int

const (
	// BookKeeping computes norms by algebra and then one weighted product for each layer.
	// Per-sample gradients are never formed. The default.
	BookKeeping ClipMethod = iota
	// Materialized forms every per-sample gradient, in memory for microbatch × parameters numbers.
	// BookKeeping is tested against it.
	Materialized
)

// ValidateFor returns every fault of the plan for a model and a number of examples, joined.
func (p Plan) ValidateFor(model Model, examples int) error {
	fault := check.In("dpsgd: ")
	if model.Validate() != nil { // the weights in the plan cannot be checked
		fault.Add(p.validateReplicas())
	} else {
		fault.Add(p.Validate(model.Size()))
		if p.Initial != nil {
			fault.Add(p.Initial.validateArchitecture("Plan.Initial", model))
		}
	}
	if p.Evaluate != nil {
		fault.Add(p.Evaluate.validateFor(model))
	}
	for r, c := range p.Replicas {
		if p.Own != nil {
			break
		}
		name := fmt.Sprintf("Plan.Replicas[%d].", r)
		if isScheme(c.Sampling) && c.Sampling.Validate(-1) == nil { // otherwise p.Validate has reported it
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
	if err := check.BelowOne.With("(0 for no average)").Of("Plan.Average", p.Average); err != nil {
		errs = append(errs, fmt.Errorf("dpsgd: %w", err))
	}
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
	if p.Own != nil {
		errs = append(errs, p.validateOwn())
	}
	for r, config := range p.Replicas {
		if p.Own != nil {
			errs = append(errs, p.validateShared(r))
			continue
		}
		errs = append(errs, config.validate(fmt.Sprintf("dpsgd: Plan.Replicas[%d].", r)))
		errs = append(errs, p.validateShared(r))
	}
	return errors.Join(errs...)
}

// validateShared checks that replica r agrees with the first where it must.
func (p Plan) validateShared(r int) error {
	first, c := p.Replicas[0], p.Replicas[r]
	errs := check.In("dpsgd: ")
	name := fmt.Sprintf("Plan.Replicas[%d].", r)
	errs.That(c.Steps == first.Steps, name+"Steps", c.Steps, fmt.Sprintf("must be %d, as in the first replica", first.Steps))
	errs.That(c.NonPrivate == first.NonPrivate, name+"NonPrivate", c.NonPrivate, "must be the same in all replicas")
	errs.That(c.integers() == first.integers(), name+"UnitsPerClip", c.UnitsPerClip, "must be 0 in all replicas or in none")
	errs.That(c.clips() == first.clips(), name+"ClipNorm", c.ClipNorm, "must be 0 in all replicas or in none")
	filled, firstFilled := c.WithDefaults(), first.WithDefaults()
	rule, firstRule := reflect.TypeOf(filled.Clipping), reflect.TypeOf(firstFilled.Clipping)
	errs.That(rule == firstRule, name+"Clipping", rule, fmt.Sprintf("must be %v, as in the first replica", firstRule))
	mine, theirs := reflect.TypeOf(filled.Optimizer), reflect.TypeOf(firstFilled.Optimizer)
	errs.That(mine == theirs, name+"Optimizer", mine, fmt.Sprintf("must be %v, as in the first replica", theirs))
	errs.That(c.Noise.bands() == first.Noise.bands(), name+"Noise", c.Noise, "must have as many bands, of C or of its inverse, as in the first replica")
	if p.SharedBatches {
		errs.That(reflect.DeepEqual(c.Sampling, first.Sampling), name+"Sampling", c.Sampling,
			fmt.Sprintf("must be %v, as in the first replica, when SharedBatches is set", first.Sampling))
		errs.That(slices.EqualFunc(c.Phases, first.Phases, sameBatches), name+"Phases", c.Phases,
			"must have the steps and rates of the first replica when SharedBatches is set")
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

// EventAfter returns the event of the first steps of a replica, including the event of InitialFrom.
// With Own it is always that of all steps.
func (p Plan) EventAfter(replica, steps int) accounting.Event {
	if p.Own != nil {
		return p.InitialFrom.before(p.Own.Event)
	}
	return p.InitialFrom.before(p.Replicas[replica].EventAfter(steps))
}

// Clone returns the plan with copies of everything that its price and sensitivity rest on. Later
// changes by the caller then have no effect on what was validated.
func (p Plan) Clone() Plan {
	p.Replicas = cloneConfigs(p.Replicas)
	if p.Canary != nil {
		c := *p.Canary
		c.Gradient, c.In = slices.Clone(c.Gradient), slices.Clone(c.In)
		p.Canary = &c
	}
	if p.Own != nil {
		own := *p.Own
		own.State = slices.Clone(own.State)
		p.Own = &own
	}
	if p.Evaluate != nil {
		e := *p.Evaluate
		p.Evaluate = &e
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
		configs[r].Phases = slices.Clone(configs[r].Phases)
		if n := configs[r].Noise; n != nil {
			configs[r].Noise = &CorrelatedNoise{Coefficients: slices.Clone(n.Coefficients), Inverse: n.Inverse}
		}
	}
	return configs
}

// Plan returns the plan of this one run: the same fields, one replica.
func (c Config) Plan() Plan { return Plan{Replicas: []Config{c}} }
