package dpsgd

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
)

// Provenance says where the weights of Plan.Initial come from, for [Result.Statement]. The zero
// value is not to say: the statement then does not cover what they tell of the data.
type Provenance struct {
	// Public says that they do not come from the data, such as those of a public model.
	Public bool

	// Event is what they cost, where they come from the same data by private training: the
	// Config.Event of that run, or selection.Event of a search. Statements compose it with the run's.
	Event accounting.Event

	// NoiseTail is what that training sets aside of δ, in [0, 1): its Config.NoiseTail.
	NoiseTail float64
}

func (p Provenance) validate(given bool) error {
	var fault faults
	if !given && (p.Public || p.Event != nil || p.NoiseTail != 0) {
		fault.add(errors.New("dpsgd: Plan.InitialFrom is set: must be zero without Plan.Initial"))
	}
	if p.Public && p.Event != nil {
		fault.add(fmt.Errorf("dpsgd: Plan.InitialFrom is Public and has the Event %v: must be one of both", p.Event))
	}
	fault.unless(p.NoiseTail >= 0 && p.NoiseTail < 1, "Plan.InitialFrom.NoiseTail", p.NoiseTail, "must be in [0, 1)")
	fault.unless(p.NoiseTail == 0 || p.Event != nil, "Plan.InitialFrom.NoiseTail", p.NoiseTail, "must be 0 without an Event")
	if p.Event != nil {
		if err := p.Event.Validate(); err != nil {
			fault.add(fmt.Errorf("dpsgd: Plan.InitialFrom.Event: %w", err))
		}
	}
	return errors.Join(fault...)
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

// TrainingAssumptions returns what the guarantee of training a model from drawn initial weights on a
// backend, as [Performance.Backend] names it, rests on, beside what [Config.Statement] says: for
// the statements of whoever trains it.
func TrainingAssumptions(m Model, backend string) []string {
	return append(append([]string{drawnWeights}, m.Assumptions()...), computedOn(resolve(backend)))
}

func computedOn(backend string) string {
	return fmt.Sprintf("the backend that trained, %s, computes what the program says", backend)
}

const drawnWeights = "initial weights were drawn from the seed"
