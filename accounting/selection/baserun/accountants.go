package baserun

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/rdp"
)

// AllEvents is an accountant that prices selections too: package auto's. BaseAccountants price one
// run of a selection. CurveTo gives its Rényi curve, also if the run holds selections.
type AllEvents interface {
	accounting.Accountant
	// BaseAccountants returns the accountants that price one run.
	BaseAccountants() []accounting.Accountant
	// CurveTo returns the Rényi curve of an event, in nats.
	CurveTo(q ask.Question) (rdp.Curve, error)
}

// allEvents returns an accountant as AllEvents, unless it only embeds one.
func allEvents(a accounting.Accountant) (whole AllEvents, ok bool) {
	own, optional := a.(accounting.Optional)
	whole, ok = a.(AllEvents)
	return whole, ok && optional && reflect.TypeOf(own.WithOptions(own.Options())) == reflect.TypeOf(a)
}

// asked returns the accountants that price one run: the named ones, or the certified ones if none
// is named. Nil accountants are ignored. An accountant of all events is replaced by its
// BaseAccountants. One that another type embeds is not: that type may have other answers.
func asked(named []accounting.Accountant) []accounting.Accountant {
	named = slices.DeleteFunc(slices.Clone(named), func(a accounting.Accountant) bool { return a == nil })
	if len(named) == 0 {
		return []accounting.Accountant{intersected.NewAccountant()}
	}
	var all []accounting.Accountant
	for _, a := range named {
		if whole, ok := allEvents(a); ok {
			all = append(all, asked(whole.BaseAccountants())...)
		} else {
			all = append(all, a)
		}
	}
	return all
}

// Usable returns an error unless all accountants price one run under AddOrRemoveOne, and nothing
// besides the run. The reserve of accounting.WithDeltaReserve is for one run, and a selection has
// several. Put it around the price of the whole.
func Usable(accountants ...accounting.Accountant) error {
	for _, a := range asked(accountants) {
		if delta := ask.Reserve(a); delta != 0 {
			return fmt.Errorf("baserun: accountant %s: WithDeltaReserve.Delta %g: must be 0 for one run: set δ aside from that of the whole", a.Name(), delta)
		}
		if a.Neighboring() != accounting.AddOrRemoveOne {
			return fmt.Errorf("baserun: accountant %s is about %v: must be about %v", a.Name(), a.Neighboring(), accounting.AddOrRemoveOne)
		}
	}
	return nil
}

// curves returns the function that computes the Rényi curve of a run. It is that of the first named
// accountant of all events, else package rdp's.
func curves(named []accounting.Accountant) func(q ask.Question) (rdp.Curve, error) {
	for _, a := range named {
		if whole, ok := allEvents(a); ok {
			return whole.CurveTo
		}
	}
	return rdp.CurveTo
}
