package accounting

import (
	"errors"
	"fmt"
	"strings"
)

// Parallel is Events run on disjoint parts of the data, one part each. The rule that
// gives a record its part looks at that record alone, or at coins that do not depend on
// the data, so that adding or removing a record changes one part and leaves the others.
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
