package dpsgd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/streams"
)

// Statement returns the guarantee of one run of the config at delta, without any tuning. ε is by
// the accountant of auto.Default, and the [Config.TruncationDelta] of the model is set aside. unit
// names one record: "one labelled image".
//
// The relation is the accountant's. [TruncatedPoisson] is refused unless that is AddOrRemoveOne.
//
// If other runs on the same data helped to choose the hyper-parameters, it is not one run: see
// dptune.Search.
func (c Config) Statement(model Model, delta float64, unit string, accountants ...accounting.Accountant) (accounting.Statement, error) {
	s, err := c.statement(model, delta, unit, auto.Default(accountants...), Provenance{})
	if err != nil {
		return s, err
	}
	s.Assumptions = append(s.Assumptions, "the initial weights are public", "all numbers of the model that are not trained are public")
	return s, nil
}

// statement is Statement without a word on the initial weights. The price of from is included.
func (c Config) statement(model Model, delta float64, unit string, accountant accounting.Accountant, from Provenance) (accounting.Statement, error) {
	if err := validateStatement(c.Validate(), model, unit); err != nil {
		return accounting.NoStatement(), err
	}
	s, err := claim{
		subject: "the weights of one model trained by DP-SGD", event: from.before(c.Event()),
		truncation: min(1, c.TruncationDelta(model, accountant.Neighboring())+from.TruncationDelta),
		assumptions: slices.Concat(
			[]string{chosenBlindly},
			c.Sampling.Assumptions(),
			c.drawAssumptions(),
			c.correlationAssumptions(),
			c.foreignCodeAssumptions(),
		),
		rounding: c.roundingNotCovered(),
	}.statement(delta, unit, accountant)
	if note := c.PlaceNote(); err == nil && note != "" && s.Guarantee.Neighboring == accounting.AddOrRemoveOne {
		s.Unit += ", " + note
	}
	if err == nil && c.integers() {
		rounding := fmt.Sprintf("rounding: each step releases integers, %d to the clip norm, with exactly rounded normal noise", c.UnitsPerClip)
		s.Included = append([]string{rounding}, s.Included...)
	}
	return s, err
}

// PlaceNote returns what a statement adds to its unit where neighboring data sets differ by one
// added or removed example. With batches by places, such as [FixedBatches], that is "whose place
// stays empty": the others must keep theirs. It is empty for other schemes.
func (c Config) PlaceNote() string {
	switch c.Sampling.(type) {
	case FixedBatches, CyclicPoisson, CyclicAllocation:
		return "whose place stays empty"
	}
	return ""
}

// claim is what a statement about one training is made of.
type claim struct {
	subject               string
	event                 accounting.Event
	truncation            float64 // part of δ
	assumptions, rounding []string
}

const (
	chosenBlindly = "the hyper-parameters, including the expected batch size, were chosen without looking at the data"
	unitIsEmpty   = `dpsgd: Statement: unit is empty: must name one record, for instance "one labelled image"`
)

// statement returns the statement of the claim.
func (q claim) statement(delta float64, unit string, accountant accounting.Accountant) (accounting.Statement, error) {
	truncation, event := q.truncation, q.event
	if err := boundedSize(event, accountant.Neighboring()); err != nil {
		return accounting.NoStatement(), err
	}
	guarantee, err := accounting.WithDeltaReserve{Accountant: accountant, Delta: truncation}.EpsilonAt(event, delta)
	if err != nil {
		return accounting.NoStatement(), fmt.Errorf("dpsgd: %w", err)
	}
	s := accounting.Statement{
		Guarantee: guarantee,
		Subject:   q.subject,
		Unit:      unit,
		Mechanism: event.String(),

		Assumptions: append(slices.Clip(q.assumptions), unit+" is exactly one row of the data"),
		NotCovered: append([]string{
			"other models trained on the same data (each costs as much again, and more if models share batches)",
			"the number of gradients left out and the running time: do not publish them",
			"several rows together: anyone who contributed several is protected less",
		}, q.rounding...),
	}
	if truncation > 0 {
		whole, err := accountant.EpsilonAt(event, delta)
		if err != nil {
			return accounting.NoStatement(), fmt.Errorf("dpsgd: %w", err)
		}
		s.Included = append(s.Included, accounting.WithDeltaReserve{Delta: truncation}.Note("truncated noise", whole.Epsilon.Upper, guarantee.Epsilon.Upper))
	}
	return s, nil
}

// boundedSize returns an error if an event has a TruncatedPoisson and the relation is not
// AddOrRemoveOne. Its price under other relations needs the number of examples, and
// [TruncatedPoisson] has a bound on it.
func boundedSize(event accounting.Event, relation accounting.Neighboring) error {
	node, err := accounting.Flatten(event)
	if err != nil || relation == accounting.AddOrRemoveOne {
		return nil // the accountant refuses an event that is not valid
	}
	if node.Contains(func(n accounting.Node) bool { _, cut := n.Event.(accounting.TruncatedPoisson); return cut }) {
		return fmt.Errorf("dpsgd: %v: %w under %v: it needs the number of examples, and TruncatedPoisson.Examples is a bound on that: must be %v",
			event, accounting.ErrUnsupportedEvent, relation, accounting.AddOrRemoveOne)
	}
	return nil
}

// Assumptions returns what the event of the config rests on, for a statement: how batches are
// drawn, and what the user's own clipping and optimizer do. If Sampling is not a scheme, there is
// no valid event, and nothing is listed about batches.
func (c Config) Assumptions() (list []string) {
	if isScheme(c.Sampling) {
		list = append(list, c.Sampling.Assumptions()...)
	}
	return slices.Concat(list, c.correlationAssumptions(), c.foreignCodeAssumptions())
}

func (c Config) foreignCodeAssumptions() (list []string) {
	c = c.WithDefaults()
	if rule := c.Clipping; !Builtin(rule) {
		list = append(list, fmt.Sprintf("%v, the user's own code, computes each example's factor from that example's norms only", rule))
	}
	if o := c.Optimizer; !Builtin(o) {
		list = append(list, fmt.Sprintf("%v, the user's own code, reads only noisy sums and public numbers", o))
	}
	return list
}

// validateStatement returns an error unless a statement about a model can be made. invalid is the
// fault of what trained it.
func validateStatement(invalid error, model Model, unit string) error {
	fault := check.In("dpsgd: ")
	fault.Add(invalid)
	fault.Below("Statement: model", model.Validate())
	if unit == "" {
		fault.Add(errors.New(unitIsEmpty))
	}
	return fault.Err()
}

// Training is what the guarantee of one finished run rests on.
type Training struct {
	Config    Config
	Own       *Own // of Plan.Own; nil if Config has all that the run did
	Steps     int  // that ran, if the run was stopped; 0 is all of Config.Steps
	Model     Model
	Initial   *Provenance // of weights that were given; nil if they were drawn from the seed
	Canaries  int         // of an audit, whether they joined the data or not
	Generator Generator   // of the noise
	Backend   string      // that trained, as in engine.Performance.Backend
	Seeded    bool        // drawn from a fixed root
	Evaluated bool        // measured on the data of Plan.Evaluate
	Declared  string      // Plan.Evaluate.Declared
}

// Statement returns the guarantee of publishing the model's weights, as [Config.Statement] does.
//
// From a fixed root the statement begins with "No guarantee" (streams.ErrSeeded). It lists where
// the initial weights came from, and the generator of the noise unless that is AES-256. The cost of
// Plan.InitialFrom is included. Canaries are additional examples: they do not change the event, and
// the statement lists what that rests on.
//
// With Own the event is the caller's, and the first assumption lists that. A stopped run has the
// event of the steps that ran. That holds if the moment to stop was chosen without the data and
// without results of the run, which the statement lists as an assumption. Otherwise the event of
// all steps holds: what was published is part of what the whole run reveals.
func (t Training) Statement(delta float64, unit string, accountants ...accounting.Accountant) (accounting.Statement, error) {
	from := Provenance{}
	if t.Initial != nil {
		from = *t.Initial
	}
	if err := from.validate(t.Initial != nil); err != nil {
		return accounting.NoStatement(), err
	}
	ran, err := t.ran()
	if err != nil {
		return accounting.NoStatement(), err
	}
	var s accounting.Statement
	if t.Own == nil {
		s, err = ran.statement(t.Model, delta, unit, auto.Default(accountants...), from)
	} else if err = validateStatement(t.Own.validate(), t.Model, unit); err == nil { // the event is that of all steps, also if fewer ran
		s, err = t.Own.claim(ran, from).statement(delta, unit, auto.Default(accountants...))
	}
	if err != nil {
		return accounting.NoStatement(), err
	}
	if t.Own == nil && ran.Steps < t.Config.Steps {
		s.Assumptions = append(s.Assumptions, fmt.Sprintf("the run was stopped after step %d of %d at a moment that depends neither on the data nor on results of the run (otherwise the price is that of all %d steps)",
			ran.Steps, t.Config.Steps, t.Config.Steps))
	}
	if t.Initial != nil {
		from.describe(&s)
	} else {
		s.Assumptions = append(s.Assumptions, drawnWeights)
	}
	on := backend.Named(t.Backend)
	s.Assumptions = append(s.Assumptions, append(t.Model.Assumptions(), computedOn(on))...)
	s.Assumptions = append(s.Assumptions, t.Generator.Assumptions(t.Backend)...)
	if t.Canaries > 0 {
		s.Assumptions = append(s.Assumptions, fmt.Sprintf("none of the %d canaries of an audit was made from a record of the data (it would be in the data twice)", t.Canaries))
	}
	if t.Evaluated {
		s.Assumptions = append(s.Assumptions, Evaluation{Declared: t.Declared}.Assumption())
	}
	if t.Seeded {
		s.Warnings = append(s.Warnings, streams.ErrSeeded)
	}
	return s, nil
}

// ran returns the config of the steps that ran.
func (t Training) ran() (Config, error) {
	if t.Steps < 0 || t.Steps > t.Config.Steps {
		return Config{}, fmt.Errorf("dpsgd: Training.Steps %d: must be in [0, %d], the steps of the config (0 for all)", t.Steps, t.Config.Steps)
	}
	c := t.Config
	if t.Steps > 0 {
		c = c.first(t.Steps)
	}
	return c, nil
}

// Calibrate returns the config with the least noise multiplier whose [Config.Statement] for the
// model meets the target. The noise multiplier is exact to accounting.CalibrationTolerance, rounded
// up. The accountant is that of auto.Default, as for the statement. The [Config.TruncationDelta] is
// computed for each noise multiplier.
//
// A large ε may be out of reach: with less noise its truncation takes more of δ, up to all of it.
// At a rate of 0.1, 100 steps and δ = 1e-5 that happens at σ = 0.267, where ε is 213. The error
// then names the ε that can be met, and its noise multiplier.
//
// With an error the noise multiplier is +Inf, and nothing trains with that.
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
	accountant := reserving{auto.Default(accountants...)}
	if err := boundedSize(with(1).Event(), accountant.Neighboring()); err != nil {
		return nothing, fmt.Errorf("dpsgd: Calibrate: %w", err)
	}
	truncation := func(sigma float64) float64 {
		return with(sigma).TruncationDelta(model, accountant.Neighboring())
	}
	if limit := truncation(math.Inf(1)); !(limit < target.Delta) { // more noise needs less, down to that of no shift
		return nothing, fmt.Errorf("dpsgd: Calibrate: Target.Delta %g: must be above %.2g, which truncated noise takes", target.Delta, limit)
	}
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
		return nothing, fmt.Errorf("dpsgd: Calibrate: Target.Epsilon %g: must be at most %.4g at delta %g (noise multiplier %.6g): with less noise its truncation takes all of δ",
			target.Epsilon, met.Epsilon.Upper, target.Delta, sigma)
	}
	return with(sigma), nil
}

// calibrateWithin is how far the ε of the least noise may be below the target, relative to it, if
// the truncation of less noise takes all of δ.
const calibrateWithin = 0.01

// truncated is the event of a run, with the part of δ that its truncation takes; reserving prices
// both.
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

// Provenance is the source of the weights of Plan.Initial, for engine.Result.Statement. The zero
// value is an unknown source: the statement then does not cover what they reveal about the data.
type Provenance struct {
	// Public declares that they do not come from the data, such as those of a public model.
	Public bool

	// Event is their cost, if they come from private training on the same data: the Config.Event of
	// that run, or selection.BestOf of a search. Statements compose it with the event of the run.
	Event accounting.Event

	// TruncationDelta is the Config.TruncationDelta of that training, in [0, 1), for the relation of
	// the statement.
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

// before returns the event of a run that starts from the weights, with their own cost.
func (p Provenance) before(run accounting.Event) accounting.Event {
	if p.Event == nil {
		return run
	}
	return accounting.Composed{Events: []accounting.Event{p.Event, run}}
}

// describe lists in a statement what the given weights rest on.
func (p Provenance) describe(s *accounting.Statement) {
	switch {
	case p.Public:
		s.Assumptions = append(s.Assumptions, "the given initial weights are public")
	case p.Event != nil:
		s.Assumptions = append(s.Assumptions, fmt.Sprintf("the given initial weights cost at most %v (included in ε)", p.Event))
	default:
		s.NotCovered = append(s.NotCovered, "the given initial weights: if they come from the data, the total costs more")
	}
}

// TrainingAssumptions returns the assumptions of training a model on a backend from drawn initial
// weights, in addition to those of [Config.Assumptions] and [Generator.Assumptions]. on is
// engine.Performance.Backend.
func TrainingAssumptions(m Model, on string) []string {
	return append(append([]string{drawnWeights}, m.Assumptions()...), computedOn(backend.Named(on)))
}

func computedOn(backend string) string {
	return fmt.Sprintf("the backend (%s) computes the program correctly", backend)
}

// publicEvaluation is the assumption of a training with Plan.Evaluate, for a statement.
const publicEvaluation = "the data of the learning curve are public (no ε protects them)"

const drawnWeights = "the initial weights were drawn from the seed"
