package pld

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/eventjson"
)

// DiscretePair is an event: one release of a value from a finite set, with the probabilities With
// if the example is in the data and Without if it is not. Use it for mechanisms with a known
// dominating pair. If only a privacy profile is known, use accounting.ProfileBound. Both directions
// are priced.
type DiscretePair struct {
	With, Without []float64 // of equal length, >= 0, each summing to 1 within 1e-12
	// Above means that these laws dominate the mechanism's, which may be nearer to each other. Prices
	// then have no lower end.
	Above bool
}

var _ accounting.Event = DiscretePair{}

// maxOutcomes bounds the outcomes of a DiscretePair.
const maxOutcomes = 1 << 16

// Validate returns an error unless both are probabilities on the same set.
func (e DiscretePair) Validate() error {
	if len(e.With) != len(e.Without) || len(e.With) == 0 || len(e.With) > maxOutcomes {
		return fmt.Errorf("pld: DiscretePair.With, Without have %d and %d entries: must be equal, from 1 to %d", len(e.With), len(e.Without), maxOutcomes)
	}
	return errors.Join(check.Probabilities("pld: DiscretePair.With", e.With, 1e-12), check.Probabilities("pld: DiscretePair.Without", e.Without, 1e-12))
}

// String describes the event.
func (e DiscretePair) String() string {
	if e.Above {
		return fmt.Sprintf("DiscretePair(%d outcomes, above the mechanism)", len(e.With))
	}
	return fmt.Sprintf("DiscretePair(%d outcomes)", len(e.With))
}

func (e DiscretePair) base() discreteBase {
	var outcomes []outcome
	for i, p := range e.With {
		if q := e.Without[i]; p > 0 || q > 0 {
			outcomes = append(outcomes, given(p, q, unit))
		}
	}
	return discreteBase{outcomes: outcomes}
}

// boundAbove is the value of Above in JSON.
const boundAbove = "above"

func init() {
	eventjson.Register("discrete_pair",
		func(e DiscretePair) []eventjson.Field {
			fields := []eventjson.Field{{Name: "with", Value: e.With}, {Name: "without", Value: e.Without}}
			if e.Above {
				fields = append(fields, eventjson.Field{Name: "bound", Value: boundAbove})
			}
			return fields
		},
		func(o *eventjson.Object) DiscretePair {
			e := DiscretePair{With: o.Floats("with"), Without: o.Floats("without")}
			if o.Has("bound") {
				bound := o.Text("bound")
				if e.Above = bound == boundAbove; !e.Above {
					o.Fault("bound", "%q: must be %q, or left out", bound, boundAbove)
				}
			}
			return e
		})
}
