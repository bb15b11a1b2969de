package main

import (
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
)

// priced is the price of an event: what package auto says, and beside it, for comparison, what the
// Rényi accountant says where nothing is selected.
func priced(accountant auto.Accountant, event accounting.Event, delta float64) (report, error) {
	price, err := accountant.PriceAt(event, delta)
	if err != nil {
		return report{}, err
	}
	r := report{Guarantee: price.Guarantee, Mechanism: event.String(), Batches: drawn(event.String(), otherwisePlan)}
	for _, b := range price.Bounds {
		r.Bounds = append(r.Bounds, bound{Name: b.Name, Epsilon: accounting.Number(b.Epsilon), Method: b.Method, Theorem: b.Theorem})
	}
	comparison := rdp.Accountant{Relation: accountant.Neighboring()}
	if selection.Selects(event) || slices.ContainsFunc(r.Bounds, func(b bound) bool { return b.Name == comparison.Name() }) {
		return r, nil
	}
	if g, err := comparison.EpsilonAt(event, delta); err == nil {
		r.Bounds = append(r.Bounds, bound{Name: comparison.Name(), Epsilon: accounting.Number(g.Epsilon.Upper), Method: g.Method})
	}
	return r, nil
}

// report prices what a command line asks about, and one run of it where that is something else.
func (q question) report() (report, error) {
	r, err := priced(auto.NewAccountant(), q.event(q.noise), q.delta)
	if err != nil {
		return report{}, err
	}
	r.Batches = q.drawn
	if q.run == nil {
		if q.drawn.shuffled() {
			r.Guarantee.Epsilon = accounting.UpperBound(r.Guarantee.Epsilon.Upper)
			r.Batches.Neighbors, err = neighborsOf(q.drawn.Epochs, q.noise, q.delta)
		}
		return r, err
	}
	one, err := priced(auto.NewAccountant(), q.run(q.noise), q.delta)
	if err != nil {
		return report{}, err
	}
	one.Bounds, one.Batches = nil, nil
	if q.drawn.shuffled() {
		one.Guarantee.Epsilon = accounting.UpperBound(one.Guarantee.Epsilon.Upper)
	}
	r.Base = &one
	return r, nil
}
