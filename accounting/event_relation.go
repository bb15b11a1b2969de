package accounting

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
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

// SampledWithoutReplacement is Event run on SampleSize of the PopulationSize records, all
// subsets of that size equally likely. The subset stays hidden; both sizes are public, so
// that only [ReplaceOne] is a relation for it: one added or removed record would change
// PopulationSize. Accountants for other relations refuse it.
//
// Event is what runs on the subset, in terms of the same relation: noise multipliers are
// relative to how far a replaced record moves the release. A sum of vectors clipped to norm C
// moves by up to 2C, twice as far as when a record is added.
type SampledWithoutReplacement struct {
	SampleSize     int   // m, from 1 to PopulationSize
	PopulationSize int   // n
	Event          Event // what is run on the subset
}

// Validate returns an error unless 1 <= m <= n and the inner event is valid.
func (e SampledWithoutReplacement) Validate() error {
	f := check.In("accounting: SampledWithoutReplacement.")
	f.That(1 <= e.SampleSize && e.SampleSize <= e.PopulationSize, "SampleSize", fmt.Sprintf("%d, PopulationSize %d", e.SampleSize, e.PopulationSize),
		"must be 1 <= SampleSize <= PopulationSize")
	f.Add(validateInner("SampledWithoutReplacement.Event", e.Event))
	return f.Err()
}

// String describes the event.
func (e SampledWithoutReplacement) String() string {
	return fmt.Sprintf("SampledWithoutReplacement(%d of %d, %v)", e.SampleSize, e.PopulationSize, e.Event)
}

// SamplingRate returns m/n, the chance that a record is in the sample.
func (e SampledWithoutReplacement) SamplingRate() float64 {
	return float64(e.SampleSize) / float64(e.PopulationSize)
}

// RelationError returns the error for an event that has no price under a relation: it wraps
// ErrUnsupportedEvent and names both.
func RelationError(accountant string, event Event, relation, needed Neighboring) error {
	return fmt.Errorf("%s: %v: %w for %v: its theorem is about %v", accountant, event, ErrUnsupportedEvent, relation, needed)
}
