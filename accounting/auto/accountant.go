package auto

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// Accountant prices every event that anything here can price. The zero value is ready for use.
type Accountant struct {
	// Accountants, if any, are asked in place of contour, pld and rdp.
	Accountants []accounting.Accountant
	// Grid has the width and the size of a grid, where one is used, and the relation,
	// AddOrRemoveOne if it is zero.
	Grid pld.Accountant
}

var _ baserun.AllEvents = Accountant{}

// NewAccountant returns the accountant for AddOrRemoveOne. Accountants, if any are named, are
// asked in place of contour, pld and rdp. Nil ones do not count.
func NewAccountant(accountants ...accounting.Accountant) Accountant {
	return Accountant{Accountants: given(accountants)}
}

// NewAccountantFor returns the accountant for a relation. Selections are known under AddOrRemoveOne
// alone. Under ReplaceOne it knows samples of fixed size, and all noise multipliers are relative to
// how far a replaced record moves a release: see accounting.SampledWithoutReplacement.
func NewAccountantFor(relation accounting.Neighboring) (Accountant, error) {
	a, err := intersected.NewAccountantFor(relation)
	if err != nil {
		return Accountant{}, fmt.Errorf("auto: %w", err)
	}
	return Accountant{Grid: a.Grid}, nil
}

// Name returns "auto". Who was believed stands in a guarantee's Method.
func (Accountant) Name() string { return "auto" }

// Neighboring returns the relation.
func (a Accountant) Neighboring() accounting.Neighboring { return a.Grid.Neighboring() }

// one prices what has no selection in it.
func (a Accountant) one() intersected.Accountant {
	return intersected.Accountant{Grid: a.Grid, Named: a.Accountants}
}

// BaseAccountants returns the accountants that are asked about one run of a selection: those that
// are named, or the certified one.
func (a Accountant) BaseAccountants() []accounting.Accountant {
	if len(a.Accountants) > 0 {
		return a.Accountants
	}
	return []accounting.Accountant{a.one()}
}

// EpsilonAt returns what is known of ε, in nats, for event at delta in (0, 1): the least upper
// end of all bounds, and a lower end where nothing is selected. An event that nobody knows is
// an error with what each had to say.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	price, err := a.PriceAt(event, delta)
	return price.Guarantee, err
}
