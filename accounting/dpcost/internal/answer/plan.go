package answer

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
)

// maxParts is how many different entries of a plan are priced by themselves.
const maxParts = 100

// Plan prices the whole plan, and each entry by itself.
func Plan(p input.Plan, delta float64, report ReportFunc) (Report, error) {
	accountant, err := auto.NewAccountantFor(p.Relation)
	if err != nil {
		return Report{}, err
	}
	report("pricing the whole plan")
	r, err := price(accountant, p.Event(), delta)
	if err != nil || len(p.Entries) == 1 {
		return r, err
	}
	alone, left := map[string]*accounting.Number{}, false // by what ran
	for _, e := range p.Entries {
		key := fmt.Sprintf("%#v", e.Whole())
		if _, known := alone[key]; !known {
			if left = len(alone) >= maxParts; left {
				break
			}
			alone[key] = nil
			report("ε <= %s in all; pricing entry %d of %d by itself", format.RoundUp(r.Guarantee.Epsilon.Upper), len(r.Parts)+1, len(p.Entries))
			if g, err := accountant.EpsilonAt(e.Whole(), delta); err == nil {
				upper := accounting.Number(g.Epsilon.Upper)
				alone[key] = &upper
			}
		}
		r.Parts = append(r.Parts, Part{Name: e.Name, Mechanism: e.Whole().String(), Epsilon: alone[key]})
	}
	if left {
		r.Warnings = append(r.Warnings, fmt.Sprintf("only the first %d of %d entries are priced by themselves", len(r.Parts), len(p.Entries)))
	}
	return r, nil
}

// Part is one entry of a plan, priced by itself.
type Part struct {
	Name      string             `json:"name"`
	Mechanism string             `json:"mechanism"`
	Epsilon   *accounting.Number `json:"epsilon_alone,omitempty"`
}
