package record

import (
	"errors"
	"fmt"
)

// Kind is the kind of a fault.
type Kind string

// The kinds of faults.
const (
	Sensitivity Kind = "sensitivity" // answers differ by more than was declared
	Dependence  Kind = "dependence"  // a name, shape, number, count or branch depends on the data
	NotFinite   Kind = "not finite"  // an answer is NaN or infinite
	Noise       Kind = "noise"       // the noise is not the spend's
	Sampling    Kind = "sampling"    // an example takes part more often than the spend allows
	Spend       Kind = "spend"       // more is spent than claimed, or something else
	Randomness  Kind = "randomness"  // two runs on the same data differ
	Declaration Kind = "declaration" // a query declares nothing that could be checked
	Output      Kind = "output"      // what is published does not follow from the releases
)

// The tests that depend on chance, as Fault.Test names them.
const (
	testAll        = "noise"                // variance and mean of all draws
	testQuery      = "noise by query"       // and of those of each query
	testCoordinate = "noise by coordinate"  // and of those of each coordinate
	testPairs      = "pairs of coordinates" // correlation of each two
	testLags       = "correlation"          // of draws at a distance
	testDistance   = "Kolmogorov distance"  // of the draws' law
	testTails      = "tails"                // draws beyond thresholds
	testMoves      = "moved answers"        // how often a neighbor moves the answer
)

// Fault is one way in which a mechanism is not what it declares.
type Fault struct {
	Kind     Kind
	Neighbor string // the data set of the replay; empty for the recording
	Step     int    // number of the query, from 0; -1 where the fault is about the whole run
	Query    string
	Detail   string

	// Of a fault that chance could have made:
	// "noise", "noise by query", "noise by coordinate", "pairs of coordinates", "correlation",
	// "Kolmogorov distance", "tails" or "moved answers"
	Test          string
	Chance, Limit float64 // how likely that is at most, and what is too unlikely
}

// Error returns the fault in one line.
func (f Fault) Error() string {
	where := "recording"
	if f.Neighbor != "" {
		where = "replay on " + f.Neighbor
	}
	if f.Step < 0 {
		return fmt.Sprintf("record: %s: %s: %s", f.Kind, where, f.Detail)
	}
	return fmt.Sprintf("record: %s: %s, query %d (%s): %s", f.Kind, where, f.Step, f.Query, f.Detail)
}

// Report is the outcome of [Run].
type Report struct {
	Queries int     // of the recording
	Replays int     // neighbors tried
	Largest float64 // the most that an answer moved, as a share of the allowed; near 1 if the neighbors are hard enough
	Faults  []Fault

	// NeighborsSeen reports whether each neighbor was seen to differ by one example. If data do not
	// show their examples, that was not checked.
	NeighborsSeen bool
}

// Err returns the first fault of each kind in each run, joined, with the number of those like it.
// It returns nil if there are none. For the zero Report, which [Run] returns with an error, it is
// the error that nothing was checked.
func (r Report) Err() error {
	if r.Queries == 0 && len(r.Faults) == 0 {
		return errors.New("record: nothing was checked: the report holds no query")
	}
	type group struct {
		kind     Kind
		neighbor string
	}
	like := map[group]int{}
	for _, f := range r.Faults {
		like[group{f.Kind, f.Neighbor}]++
	}
	var errs []error
	for _, f := range r.Faults {
		g := group{f.Kind, f.Neighbor}
		if n := like[g]; n > 1 {
			errs = append(errs, fmt.Errorf("%w (and %d more of this kind)", f, n-1))
		} else if n == 1 {
			errs = append(errs, f)
		}
		like[g] = 0
	}
	return errors.Join(errs...)
}

// Has reports whether there is a fault of a kind.
func (r Report) Has(kind Kind) bool {
	for _, f := range r.Faults {
		if f.Kind == kind {
			return true
		}
	}
	return false
}
