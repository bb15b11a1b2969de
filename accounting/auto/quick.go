package auto

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// quick returns the quick price of a selection that has one.
func (a Accountant) quick(q ask.Question, delta float64) (price accounting.Price, ok bool) {
	if !q.Options().Quick {
		return price, false
	}
	upper, err := math.Inf(1), error(nil)
	switch e := q.Event().(type) {
	case subsample.Event:
		upper, err = subsample.QuickEpsilonAt(e, delta, a)
	case selection.BestOf:
		upper, err = selection.QuickEpsilonAt(e, delta, a)
	}
	g := accounting.Guarantee{Epsilon: accounting.UpperBound(upper), Delta: delta, Neighboring: a.Neighboring(), Method: "some of the bounds"}
	return accounting.Price{Guarantee: g}, err == nil && upper < math.Inf(1)
}
