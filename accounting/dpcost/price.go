package main

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/certified"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
)

// pricer turns one run into a report.
type pricer interface {
	report(event accounting.Event, delta float64) (report, error)
	// accountants bound what report prices, the quickest first; for calibration.
	accountants(event accounting.Event) []accounting.Accountant
	// whole is the event that costs what report says.
	whole(event accounting.Event) accounting.Event
}

// plain prices a run by itself.
type plain struct{}

func (plain) accountants(event accounting.Event) []accounting.Accountant {
	return append([]accounting.Accountant{rdp.NewAccountant()}, tight(event)...)
}

func (plain) whole(event accounting.Event) accounting.Event { return event }

func (plain) report(event accounting.Event, delta float64) (report, error) {
	return priced(event, delta, accountantsFor(event))
}

// priced takes the least of what the accountants say. One that does not know the event is passed
// over, with a warning if it failed otherwise; if all refuse it, that is the error.
func priced(event accounting.Event, delta float64, accountants []accounting.Accountant) (report, error) {
	r := report{Mechanism: event.String()}
	var errs []error
	for _, a := range accountants {
		g, err := a.EpsilonAt(event, delta)
		if err != nil {
			if errs = append(errs, err); !errors.Is(err, accounting.ErrUnsupportedEvent) {
				r.Warnings = append(r.Warnings, err.Error())
			}
			continue
		}
		r.Bounds = append(r.Bounds, bound{Name: a.Name(), Epsilon: number64(g.Epsilon.Upper), Method: g.Method})
		if r.Guarantee.Method == "" || g.Epsilon.Upper < r.Guarantee.Epsilon.Upper {
			r.Guarantee = tighter(g, r.Guarantee)
		}
	}
	if len(r.Bounds) == 0 {
		return report{}, errors.Join(errs...)
	}
	slices.SortStableFunc(r.Bounds, func(a, b bound) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
	return r, nil
}

// accountantsFor lists the accountants that know event, the tightest first: the exact
// Gaussian where it applies, else the one that picks contour or grid, and the Rényi accountant,
// for comparison.
func accountantsFor(event accounting.Event) []accounting.Accountant {
	return append(tight(event), rdp.NewAccountant())
}

func tight(event accounting.Event) []accounting.Accountant {
	if _, err := gdp.Mu(event); err == nil {
		return []accounting.Accountant{gdp.NewAccountant()}
	}
	return []accounting.Accountant{certified.NewAccountant()}
}

// tighter returns g with the lower end and estimate that an earlier guarantee had, if g
// has none.
func tighter(g, before accounting.Guarantee) accounting.Guarantee {
	b := before.Epsilon
	if !g.Epsilon.HasLower && before.Method != "" && b.HasLower {
		g.Epsilon = accounting.Certified(math.Min(b.Lower, g.Epsilon.Upper), math.Min(b.Estimate, g.Epsilon.Upper), g.Epsilon.Upper)
	}
	return g
}

// tuning prices the best of K runs.
type tuning struct{ law selection.Law }

func (p tuning) accountants(event accounting.Event) []accounting.Accountant {
	all := []accounting.Accountant{selection.NewAccountant()}
	if further := profiles(event); len(further) > 0 {
		all = append(all, selection.NewAccountant(further...))
	}
	return all
}

// profiles lists the accountants whose profiles selection does not already know: it knows
// the exact Gaussian.
func profiles(event accounting.Event) []accounting.Accountant {
	if _, err := gdp.Mu(event); err == nil {
		return nil
	}
	return []accounting.Accountant{contour.NewAccountant()}
}

// uncertified tells whether the integral of one run was given up for Chernoff's bound. The
// profile is then no better than the Rényi accountant's, and takes far longer.
func uncertified(g accounting.Guarantee) bool {
	if slices.ContainsFunc(g.Warnings, func(w error) bool { return errors.Is(w, contour.ErrChernoff) }) {
		return true
	}
	return !g.Epsilon.HasLower || g.Epsilon.Width() > uncertifiedWidth*g.Epsilon.Upper
}

// uncertifiedWidth is relative; a certified interval is narrower than 1e-4 or so.
const uncertifiedWidth = 0.01

func (p tuning) whole(event accounting.Event) accounting.Event {
	return selection.Event{Law: p.law, Base: event}
}

func (p tuning) report(event accounting.Event, delta float64) (report, error) {
	one, err := plain{}.report(event, delta)
	if err != nil {
		return report{}, err
	}
	further := profiles(event)
	var warnings []string
	if len(further) > 0 && uncertified(one.Guarantee) {
		further = nil
		warnings = append(warnings, "the certified interval of one run is too wide to help: Rényi bounds only")
	}
	price, err := selection.EventAt(selection.Event{Law: p.law, Base: event}, delta, further...)
	if err != nil {
		return report{}, err
	}
	one.Bounds = nil
	r := report{
		Guarantee: price.Guarantee,
		Mechanism: p.whole(event).String(),
		Base:      &one,
		Warnings:  warnings,
	}
	for _, b := range price.Bounds {
		r.Bounds = append(r.Bounds, bound{Name: b.Name, Epsilon: number64(b.Epsilon), Method: b.Method, Theorem: b.Theorem})
	}
	return r, nil
}
