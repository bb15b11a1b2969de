package dpsgd

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/streams"
)

// Statement returns the guarantee of one run of the config, without any tuning, at delta: ε by
// the accountant of auto.Default, with the [Config.TruncationDelta] of the model set aside. unit is
// what one record is: "one labelled image".
//
// Training with hyper-parameters that other runs on the same data had a part in choosing is not
// one run: see dptune.Search.
func (c Config) Statement(model Model, delta float64, unit string, accountants ...accounting.Accountant) (accounting.Statement, error) {
	s, err := c.statement(model, delta, unit, auto.Default(accountants...), Provenance{})
	if err != nil {
		return s, err
	}
	s.Assumptions = append(s.Assumptions, "the initial weights, and all numbers of the model that are not trained, are public")
	return s, nil
}

// statement is Statement, but for what the run starts from, of which it counts the price.
func (c Config) statement(model Model, delta float64, unit string, accountant accounting.Accountant, from Provenance) (accounting.Statement, error) {
	if err := c.validateStatement(model, unit); err != nil {
		return accounting.NoStatement(), err
	}
	truncation, event := min(1, c.TruncationDelta(model)+from.TruncationDelta), from.before(c.Event())
	guarantee, err := accounting.WithDeltaReserve{Accountant: accountant, Delta: truncation}.EpsilonAt(event, delta)
	if err != nil {
		return accounting.NoStatement(), fmt.Errorf("dpsgd: %w", err)
	}
	s := accounting.Statement{
		Guarantee: guarantee,
		Subject:   "the weights of one model trained by DP-SGD",
		Unit:      unit,
		Mechanism: event.String(),
		Assumptions: []string{
			"the hyper-parameters, the expected batch size among them, were chosen without looking at the data",
			c.Sampling.Assumption(),
			"noise and samples come from real numbers and a secret seed",
		},
		NotCovered: []string{
			"other models trained on the same data, each of which costs as much again, and more where models share their batches",
			"how many gradients were left out, and the running time, which must not be published",
			fmt.Sprintf("records other than %s (a person may have contributed several)", unit),
			"rounding of the noise to floating-point numbers",
			"rounding where the examples of a microbatch are added to each other (one of them alone, and the sum over microbatches, are covered)",
		},
	}
	s.Assumptions = append(s.Assumptions, c.foreignCodeAssumptions()...)
	if truncation > 0 {
		whole, err := accountant.EpsilonAt(event, delta)
		if err != nil {
			return accounting.NoStatement(), fmt.Errorf("dpsgd: %w", err)
		}
		s.Included = []string{accounting.WithDeltaReserve{Delta: truncation}.Note("that the noise is truncated", whole.Epsilon.Upper, guarantee.Epsilon.Upper)}
	}
	return s, nil
}

// Assumptions returns what the event of the config rests on: how batches are drawn, and what
// clipping or an optimizer that is the user's own code does. Statements list it. A config whose
// Sampling is not a scheme has no valid event, and nothing is listed of its batches.
func (c Config) Assumptions() (list []string) {
	if isScheme(c.Sampling) {
		list = append(list, c.Sampling.Assumption())
	}
	return append(list, c.foreignCodeAssumptions()...)
}

func (c Config) foreignCodeAssumptions() (list []string) {
	c = c.WithDefaults()
	if rule := c.Clipping; !Builtin(rule) {
		list = append(list, fmt.Sprintf("%v, code of the user's own, gives each example a factor by its own norms alone", rule))
	}
	if o := c.Optimizer; !Builtin(o) {
		list = append(list, fmt.Sprintf("%v, code of the user's own, sees the noisy sums and public numbers only", o))
	}
	return list
}

func (c Config) validateStatement(model Model, unit string) error {
	fault := check.In("dpsgd: ")
	fault.Add(c.Validate())
	fault.Below("Statement: model", model.Validate())
	if unit == "" {
		fault.Add(errors.New(`dpsgd: Statement: unit is empty: must say what one record is, for instance "one labelled image"`))
	}
	return fault.Err()
}

// Training is one run as it was, as far as its guarantee rests on it.
type Training struct {
	Config    Config
	Model     Model
	Initial   *Provenance // of weights that were given; nil if they were drawn from the seed
	Canaries  int         // that were put into the data, or could have been
	Generator Generator   // of the noise
	Backend   string      // that computed, as engine.Performance.Backend names it
	Seeded    bool        // drawn from a fixed root
}

// Statement returns the guarantee of publishing the model's weights, as [Config.Statement] does.
//
// It has a warning if the random draws came from a fixed root. It reports where the initial weights
// came from and, if that is not AES-256, what the noise is made from. What Plan.InitialFrom costs is
// included. Canaries are further examples: the event is as without them, and the statement lists
// what that rests on.
func (t Training) Statement(delta float64, unit string, accountants ...accounting.Accountant) (accounting.Statement, error) {
	from := Provenance{}
	if t.Initial != nil {
		from = *t.Initial
	}
	if err := from.validate(t.Initial != nil); err != nil {
		return accounting.NoStatement(), err
	}
	s, err := t.Config.statement(t.Model, delta, unit, auto.Default(accountants...), from)
	if err != nil {
		return s, err
	}
	if t.Initial != nil {
		from.describe(&s)
	} else {
		s.Assumptions = append(s.Assumptions, drawnWeights)
	}
	on := backend.Named(t.Backend)
	s.Assumptions = append(s.Assumptions, append(t.Model.Assumptions(), computedOn(on))...)
	s.Assumptions = append(s.Assumptions, t.Generator.On(on).assumptions()...)
	if t.Canaries > 0 {
		s.Assumptions = append(s.Assumptions, fmt.Sprintf("none of the canaries that an audit put into the training (%d in question) was made from a record of the data, which would be in it twice", t.Canaries))
	}
	if t.Seeded {
		s.Warnings = append(s.Warnings, streams.ErrSeeded)
	}
	return s, nil
}

// Calibrate returns the config with the least noise multiplier whose [Config.Statement] for the
// model is at most the target. It is known to accounting.CalibrationTolerance and rounded towards
// more noise. The accountant is that of auto.Default, as for the statement. The [Config.TruncationDelta]
// is counted at each noise multiplier by itself.
//
// A target of a large ε may be out of reach: the truncation of less noise takes more of δ, up to all
// of it. At a rate of 0.1, 100 steps and δ = 1e-5 that is at σ = 0.267, where ε is 213. The error
// then names the ε that can be met, and its noise multiplier.
//
// With an error the noise multiplier is +Inf, with which nothing trains.
func (c Config) Calibrate(model Model, target accounting.Target, accountants ...accounting.Accountant) (Config, error) {
	with := func(sigma float64) Config {
		changed := c
		changed.NoiseMultiplier = sigma
		return changed
	}
	nothing := with(math.Inf(1))
	if err := model.Validate(); err != nil {
		return nothing, fmt.Errorf("dpsgd: Calibrate: model: %w", err)
	}
	if err := target.Validate(); err != nil {
		return nothing, fmt.Errorf("dpsgd: Calibrate: %w", err)
	}
	if c.NonPrivate {
		return nothing, errors.New("dpsgd: Calibrate: NonPrivate true: must be false, since a run without noise has no epsilon")
	}
	steps := check.In("dpsgd: Calibrate: Config.")
	if steps.Count("Steps", c.Steps, 1); steps.Err() != nil {
		return nothing, steps.Err()
	}
	truncation := func(sigma float64) float64 { return with(sigma).TruncationDelta(model) }
	if limit := truncation(math.Inf(1)); !(limit < target.Delta) { // more noise needs less, down to that of no shift
		return nothing, fmt.Errorf("dpsgd: Calibrate: delta %g: must be larger, since the truncation of the noise takes %.2g of it", target.Delta, limit)
	}
	accountant := reserving{auto.Default(accountants...)}
	run := func(sigma float64) accounting.Event { return truncated{with(sigma).Event(), truncation(sigma)} }
	sigma, err := auto.CalibrateNoiseMultiplier(run, target, accountant)
	if err != nil {
		return nothing, fmt.Errorf("dpsgd: Calibrate: %w", err)
	}
	if truncation(sigma*(1-2*accounting.CalibrationTolerance)) < target.Delta {
		return with(sigma), nil
	}
	met, err := accountant.EpsilonAt(run(sigma), target.Delta)
	if err != nil {
		return nothing, fmt.Errorf("dpsgd: Calibrate: %w", err)
	}
	if met.Epsilon.Upper < target.Epsilon*(1-calibrateWithin) {
		return nothing, fmt.Errorf("dpsgd: Calibrate: Target.Epsilon %g: must be at most %.4g at delta %g, which noise multiplier %.6g meets: with less noise its truncation takes all of δ (Config.TruncationDelta)",
			target.Epsilon, met.Epsilon.Upper, target.Delta, sigma)
	}
	return with(sigma), nil
}

// calibrateWithin is how far below its target, relative, the ε of the least noise may be if the
// truncation of less noise takes all of δ.
const calibrateWithin = 0.01

// truncated is the event of a run and what its truncation sets aside of δ; reserving prices both.
type truncated struct {
	accounting.Event
	delta float64
}

type reserving struct{ accounting.Accountant }

// EpsilonAt prices a truncated event.
func (r reserving) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	e := event.(truncated) // only Calibrate asks
	return accounting.WithDeltaReserve{Accountant: r.Accountant, Delta: e.delta}.EpsilonAt(e.Event, delta)
}

// Provenance says where the weights of Plan.Initial come from, for engine.Result.Statement. The zero
// value is not to say: the statement then does not cover what they tell of the data.
type Provenance struct {
	// Public says that they do not come from the data, such as those of a public model.
	Public bool

	// Event is what they cost, where they come from the same data by private training: the
	// Config.Event of that run, or selection.BestOf of a search. Statements compose it with the
	// run's.
	Event accounting.Event

	// TruncationDelta is what that training sets aside of δ, in [0, 1): its Config.TruncationDelta.
	TruncationDelta float64
}

func (p Provenance) validate(given bool) error {
	fault := check.In("dpsgd: ")
	if !given && (p.Public || p.Event != nil || p.TruncationDelta != 0) {
		fault.Add(errors.New("dpsgd: Plan.InitialFrom is set: must be zero without Plan.Initial"))
	}
	if p.Public && p.Event != nil {
		fault.Add(fmt.Errorf("dpsgd: Plan.InitialFrom is Public and has the Event %v: must be one of both", p.Event))
	}
	fault.That(p.TruncationDelta >= 0 && p.TruncationDelta < 1, "Plan.InitialFrom.TruncationDelta", p.TruncationDelta, "must be in [0, 1)")
	fault.That(p.TruncationDelta == 0 || p.Event != nil, "Plan.InitialFrom.TruncationDelta", p.TruncationDelta, "must be 0 without an Event")
	if p.Event != nil {
		if err := p.Event.Validate(); err != nil {
			fault.Add(fmt.Errorf("dpsgd: Plan.InitialFrom.Event: %w", err))
		}
	}
	return fault.Err()
}

// before returns the event of a run that starts from the weights.
func (p Provenance) before(run accounting.Event) accounting.Event {
	if p.Event == nil {
		return run
	}
	return accounting.Composed{Events: []accounting.Event{p.Event, run}}
}

// describe adds to a statement what given weights rest on.
func (p Provenance) describe(s *accounting.Statement) {
	switch {
	case p.Public:
		s.Assumptions = append(s.Assumptions, "the initial weights, which were given, are public")
	case p.Event != nil:
		s.Assumptions = append(s.Assumptions, fmt.Sprintf("the initial weights, which were given, cost no more than %v, which is counted", p.Event))
	default:
		s.NotCovered = append(s.NotCovered, "the initial weights, which were given and are not accounted: if they come from the data, the whole costs more")
	}
}

// TrainingAssumptions returns what the guarantee of training a model from drawn initial weights on
// a backend, as engine.Performance.Backend names it, rests on, beside what [Config.Statement] says: for
// the statements of whoever trains it.
func TrainingAssumptions(m Model, on string) []string {
	return append(append([]string{drawnWeights}, m.Assumptions()...), computedOn(backend.Named(on)))
}

func computedOn(backend string) string {
	return fmt.Sprintf("the backend that trained, %s, computes what the program says", backend)
}

const drawnWeights = "initial weights were drawn from the seed"
