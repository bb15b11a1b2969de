package answer

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/expost"
)

// maxParts is the number of different entries of a plan that are priced separately.
const maxParts = 100

// Plan prices the whole plan, and each entry separately.
func Plan(p input.Plan, delta float64, report ReportFunc) (Report, error) {
	accountant, err := auto.NewAccountantFor(p.Relation)
	if err != nil {
		return Report{}, err
	}
	report("pricing the whole plan")
	r, err := price(accountant, p.Event(), delta)
	r.LargeDelta, r.Planned = LargeDelta(delta, nil), true
	if err != nil || len(p.Entries) == 1 {
		return r, err
	}
	alone, left := map[string]Part{}, false // by event
	for _, e := range p.Entries {
		key := fmt.Sprintf("%#v", e.Whole())
		if _, known := alone[key]; !known {
			if left = len(alone) >= maxParts; left {
				break
			}
			alone[key] = Part{Mechanism: e.Whole().String()}
			report("ε %s %s in all; pricing entry %d of %d", accounting.UpperSign(r.Guarantee.Certificate != nil), format.RoundUp(r.Guarantee.Epsilon.Upper), len(r.Parts)+1, len(p.Entries))
			if g, err := accountant.EpsilonAt(e.Whole(), delta); err == nil {
				upper := accounting.Number(g.Epsilon.Upper)
				alone[key] = Part{Mechanism: e.Whole().String(), Epsilon: &upper, Checked: g.Certificate != nil}
			}
		}
		part := alone[key]
		part.Name = e.Name
		r.Parts = append(r.Parts, part)
	}
	if left {
		r.Warnings = append(r.Warnings, fmt.Sprintf("only the first %d of %d entries are priced separately", len(r.Parts), len(p.Entries)))
	}
	return r, nil
}

// Part is one entry of a plan, priced separately.
type Part struct {
	Name      string             `json:"name"`
	Mechanism string             `json:"mechanism"`
	Epsilon   *accounting.Number `json:"epsilon_alone,omitempty"`
	Checked   bool               `json:"checked,omitempty"` // whether Epsilon has a certificate
}

// Releases is the price of a search by the candidate that it releases.
type Releases struct {
	Before     accounting.Interval `json:"epsilon_before"`           // for every released candidate
	Checked    bool                `json:"before_checked,omitempty"` // whether Before has a certificate
	Delta      float64             `json:"delta"`
	Relation   string              `json:"neighboring"`
	Law        string              `json:"law"`
	Batches    *input.Batches      `json:"batches,omitempty"`
	Candidates []Released          `json:"candidates"`
	Statement  string              `json:"statement"`
	Warnings   []string            `json:"warnings,omitempty"`
}

// Released is one candidate.
type Released struct {
	Name      string            `json:"name"`
	Mechanism string            `json:"mechanism"`
	Weight    float64           `json:"weight,omitempty"`
	Epsilon   accounting.Number `json:"epsilon"`
	One       accounting.Number `json:"epsilon_of_one_run"`
	Method    string            `json:"method"`
	Checked   bool              `json:"checked,omitempty"`         // whether Epsilon has a certificate
	ByItself  bool              `json:"one_run_checked,omitempty"` // whether One has
}

// ExPost prices the search before the release, and after the release of each candidate.
func ExPost(t input.Candidates, delta float64, report ReportFunc) (Releases, error) {
	events := make([]accounting.Event, len(t.Candidates))
	for i, c := range t.Candidates {
		events[i] = c.Event
	}
	report("pricing %d candidates", len(events))
	prices, err := expost.PriceAt(t.Event, delta)
	if err != nil {
		return Releases{}, err
	}
	a := Releases{Delta: delta, Relation: accounting.AddOrRemoveOne.String(), Law: t.Law.String()}
	largest, shown := 0.0, true
	for i, p := range prices {
		largest, shown = math.Max(largest, p.Epsilon), shown && p.Certificate != nil
		a.Candidates = append(a.Candidates, Released{t.Names[i], events[i].String(), t.Candidates[i].Weight, accounting.Number(p.Epsilon), accounting.Number(p.One), p.Method, p.Certificate != nil, p.OneChecked})
	}
	report("ε %s %s after the release; pricing the tuning before it", accounting.UpperSign(shown), format.RoundUp(largest))
	whole, err := auto.NewAccountant().PriceAt(selection.BestOf{Law: t.Law, Base: accounting.WorstCase{Events: events}}, delta)
	if err != nil {
		return Releases{}, err
	}
	if large := LargeDelta(delta, nil); large != nil {
		a.Warnings = append(a.Warnings, large.Error())
	}
	for _, w := range whole.Guarantee.Warnings {
		a.Warnings = append(a.Warnings, w.Error())
	}
	a.Batches = input.BatchesOf(accounting.WorstCase{Events: events})
	a.Before, a.Checked = accounting.UpperBound(whole.Guarantee.Epsilon.Upper), whole.Guarantee.Certificate != nil
	if largest < a.Before.Upper { // it holds for every candidate
		a.Before, a.Checked = accounting.UpperBound(largest), shown
	}
	a.Statement = expost.Statement(delta)
	return a, nil
}
