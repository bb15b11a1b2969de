package baserun

import (
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/rdp"
)

// AllEvents is an accountant that prices selections too: package auto's. One run of a selection is
// known by the accountants that it is made of, and by the Rényi curves of the selections inside.
type AllEvents interface {
	accounting.Accountant
	// BaseAccountants returns the accountants that are asked about one run.
	BaseAccountants() []accounting.Accountant
	// CurveOf returns the Rényi curve of event, in nats.
	CurveOf(event accounting.Event) (rdp.Curve, error)
}

// asked returns the accountants that are asked about one run: those that are named, or the
// certified ones if none is; nil is none. An accountant of all events stands for its own.
func asked(named []accounting.Accountant) []accounting.Accountant {
	named = slices.DeleteFunc(slices.Clone(named), func(a accounting.Accountant) bool { return a == nil })
	if len(named) == 0 {
		return []accounting.Accountant{intersected.NewAccountant()}
	}
	var all []accounting.Accountant
	for _, a := range named {
		if whole, ok := a.(AllEvents); ok {
			all = append(all, asked(whole.BaseAccountants())...)
		} else {
			all = append(all, a)
		}
	}
	return all
}

// curves returns what knows the Rényi curve of a run: an accountant of all events, or package rdp
// if none is named.
func curves(named []accounting.Accountant) func(event accounting.Event) (rdp.Curve, error) {
	for _, a := range named {
		if whole, ok := a.(AllEvents); ok {
			return whole.CurveOf
		}
	}
	return rdp.FromEvent
}
