package record

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// Query is one noisy answer about the data.
type Query struct {
	Name        string
	Sensitivity float64          // declared: the most by which Value moves, in L2, when an example is added or removed; > 0
	Value       []float64        // exact answer; not released
	NoiseStdDev float64          // of the noise on each coordinate, > 0
	Spend       accounting.Event // what is accounted for this query

	// Released is what the mechanism releases, if it adds the noise itself. Nil lets the
	// session add it.
	Released []float64
}

// validate returns every fault of the query's declarations, joined.
func (q Query) validate() error {
	var errs []error
	unless := func(ok bool, field string, value any, rule string) {
		if !ok {
			errs = append(errs, fmt.Errorf("Query.%s %v: %s", field, value, rule))
		}
	}
	unless(q.Name != "", "Name", `""`, "must not be empty")
	unless(positive(q.Sensitivity), "Sensitivity", q.Sensitivity, "must be > 0 and finite")
	unless(positive(q.NoiseStdDev), "NoiseStdDev", q.NoiseStdDev, "must be > 0 and finite")
	unless(len(q.Value) > 0, "Value", q.Value, "must not be empty")
	unless(q.Released == nil || len(q.Released) == len(q.Value), "Released", fmt.Sprintf("of length %d", len(q.Released)),
		fmt.Sprintf("must have %d values, as Value", len(q.Value)))
	unless(q.Spend != nil, "Spend", nil, "must be an event: nothing is free")
	if q.Spend != nil {
		errs = append(errs, q.Spend.Validate())
	}
	return errors.Join(errs...)
}

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// finite reports whether no value is NaN or infinite, and which is the first that is.
func finite(values []float64) (bad int, ok bool) {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return i, false
		}
	}
	return 0, true
}
