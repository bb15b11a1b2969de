package answer

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/expost"
)

// Releases is the price of a search by the candidate that it releases.
type Releases struct {
	Before     accounting.Interval `json:"epsilon_before"` // whichever is released
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
}

// ExPost prices the search before the release, and after that of each candidate.
func ExPost(t input.Candidates, delta float64, report ReportFunc) (Releases, error) {
	events := make([]accounting.Event, len(t.Candidates))
	for i, c := range t.Candidates {
		events[i] = c.Event
	}
	report("pricing %d candidates", len(events))
	prices, err := expost.PriceAt(t.Tuning, delta)
	if err != nil {
		return Releases{}, err
	}
	a := Releases{Delta: delta, Relation: accounting.AddOrRemoveOne.String(), Law: t.Law.String()}
	largest := 0.0
	for i, p := range prices {
		largest = math.Max(largest, p.Epsilon)
		a.Candidates = append(a.Candidates, Released{t.Names[i], events[i].String(), t.Candidates[i].Weight, accounting.Number(p.Epsilon), accounting.Number(p.One), p.Method})
	}
	report("ε <= %s after the release; pricing the tuning before it", format.RoundUp(largest))
	whole, err := auto.NewAccountant().PriceAt(selection.Event{Law: t.Law, Base: accounting.WorstCase{Events: events}}, delta)
	if err != nil {
		return Releases{}, err
	}
	for _, w := range whole.Guarantee.Warnings {
		a.Warnings = append(a.Warnings, w.Error())
	}
	a.Batches = input.BatchesOf(accounting.WorstCase{Events: events}.String())
	a.Before = accounting.UpperBound(math.Min(whole.Guarantee.Epsilon.Upper, largest)) // the largest holds whatever is released
	a.Statement = expost.Statement(delta)
	return a, nil
}
