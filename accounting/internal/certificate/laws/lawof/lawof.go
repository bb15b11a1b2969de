// Package lawof returns the laws of package law in intervals. Verifiers read them from JSON.
package lawof

import (
	"fmt"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/internal/certificate/laws"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Interval returns a law in intervals, by the type and the parameters of its JSON form.
func Interval(l law.Law) (laws.Law, error) {
	fields, ok := law.Value(l).([]eventjson.Field)
	if !ok {
		return laws.Law{}, fmt.Errorf("lawof: law %T: has no JSON form", l)
	}
	return laws.Of(named(fields))
}

func named(fields []eventjson.Field) laws.Named {
	n := laws.Named{Numbers: map[string]float64{}}
	for _, f := range fields {
		switch v := f.Value.(type) {
		case string:
			n.Type = v
		case float64:
			n.Numbers[f.Name] = v
		case int:
			n.Numbers[f.Name] = float64(v)
		case []float64:
			n.Weights = v
		case []eventjson.Field:
			inner := named(v)
			n.Inner = &inner
		}
	}
	return n
}
