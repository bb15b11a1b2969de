package accounting

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

// Parallel is Events run on disjoint parts of the data, one part each. The part of a record must
// depend only on that record, or on coins that do not depend on the data. Then adding or removing a
// record changes only one part. A replaced record may change two parts, so accountants for
// ReplaceOne refuse the event.
//
// A later event may read the outputs of earlier ones. Only the event of the changed part reads the
// change. The outputs of all others are post-processing. So the divergence is at most the largest
// of the parts', at each order and each ε. A number of examples that an event states is that of its
// part, and must be public.
type Parallel struct {
	Events []Event // at least one
}

// Validate returns an error unless there is an event and all are valid.
func (e Parallel) Validate() error { return validateList("Parallel", e.Events) }

// String describes the event.
func (e Parallel) String() string { return listString("Parallel", e.Events) }

// SampledWithoutReplacement is Event run on SampleSize of the PopulationSize records. All subsets
// of that size are equally likely. The subset stays hidden. Both sizes are public.
//
// If Event is a [ClippedSum], every relation has a price. Under [AddOrRemoveOne] PopulationSize is
// that of the larger data set, and the sample of the smaller one is filled with another record. The
// price is exactly that of a Poisson sample at rate m/n with half of the noise, because one vector
// takes the place of another. If n is not known, a lower bound on it is safe: the price rises with
// m/n. Under [ReplaceSpecial] a record without a gradient leaves a hole in its place. That price is
// an interval.
//
// For all other events only [ReplaceOne] applies, and accountants for other relations refuse the
// event. Event runs on the subset, and is for the same relation. Its noise multipliers are relative
// to the change of the release by one replaced record.
type SampledWithoutReplacement struct {
	SampleSize     int   // m, from 1 to PopulationSize; below it under AddOrRemoveOne
	PopulationSize int   // n, or a lower bound on it
	Event          Event // the event on the subset
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

// RelationError returns the error for an event that has no price under a relation. It wraps
// ErrUnsupportedEvent and names event and relation.
func RelationError(accountant string, event Event, relation, needed Neighboring) error {
	return fmt.Errorf("%s: %v: %w for %v: its theorem is about %v", accountant, event, ErrUnsupportedEvent, relation, needed)
}
