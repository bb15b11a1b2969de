package accounting

import (
	"errors"
	"fmt"
	"strings"
)

// Parallel is Events run on disjoint parts of the data, one part each. The rule that
// gives a record its part looks at that record alone, or at coins that do not depend on
// the data, so that adding or removing a record changes one part and leaves the others. A replaced
// record may change two, and accountants for ReplaceOne refuse the event.
//
// A later event may read the outputs of earlier ones. Only the event of the changed part
// sees the change; for every other one, outputs are post-processing. Its divergence is
// therefore at most the largest of the parts', at each order and each ε.
type Parallel struct {
	Events []Event // at least one
}

// Validate returns an error unless there is an event and all are valid.
func (e Parallel) Validate() error { return validateList("Parallel", e.Events) }

// String describes the event.
func (e Parallel) String() string { return listString("Parallel", e.Events) }

// WorstCase is one of the Events, chosen without looking at the data. Its divergence is
// at most the largest of theirs, at each order and each ε, also if the choice is published.
type WorstCase struct {
	Events []Event // at least one
}

// Validate returns an error unless there is an event and all are valid.
func (e WorstCase) Validate() error { return validateList("WorstCase", e.Events) }

// String describes the event.
func (e WorstCase) String() string { return listString("WorstCase", e.Events) }

// CheckRelation refuses, by an error that wraps ErrUnsupportedEvent, a Parallel in event under ReplaceOne:
// a replaced record may leave one part and join another, so that two members change. accountant is
// the name that the error starts with.
func CheckRelation(accountant string, event Event, relation Neighboring) error {
	if relation != ReplaceOne {
		return nil
	}
	var inside []Event
	switch e := event.(type) {
	case Parallel:
		return RelationError(accountant, e, relation, AddOrRemoveOne)
	case PoissonSampled:
		inside = []Event{e.Event}
	case SampledWithoutReplacement:
		inside = []Event{e.Event}
	case SelfComposed:
		inside = []Event{e.Event}
	case Composed:
		inside = e.Events
	case WorstCase:
		inside = e.Events
	}
	for _, e := range inside {
		if err := CheckRelation(accountant, e, relation); err != nil {
			return err
		}
	}
	return nil
}

func validateList(name string, events []Event) error {
	if len(events) == 0 {
		return fmt.Errorf("accounting: %s.Events is empty: must hold at least one event", name)
	}
	var errs []error
	for i, inner := range events {
		errs = append(errs, validateInner(fmt.Sprintf("%s.Events[%d]", name, i), inner))
	}
	return errors.Join(errs...)
}

func listString(name string, events []Event) string {
	parts := make([]string, len(events))
	for i, inner := range events {
		parts[i] = fmt.Sprint(inner)
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}
