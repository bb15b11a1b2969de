package auto

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection/baserun"
)

// Accountant prices every event that any package of this module can price. The zero value is ready
// for use.
type Accountant struct {
	// Accountants, if any, replace contour, pld and rdp.
	Accountants []accounting.Accountant
	// Grid has the width and the size of a grid, and the relation. A zero relation is
	// AddOrRemoveOne.
	Grid pld.Accountant
	// MaxWork is the most that one question may take, in seconds of processor time as [Work]
	// estimates it. A question above it is refused before it is computed. 0 is 120 seconds.
	MaxWork float64

	unchecked bool
}

var (
	_ baserun.AllEvents  = Accountant{}
	_ accounting.Checked = Accountant{}
)

// NewAccountant returns the accountant for AddOrRemoveOne. Given accountants replace contour, pld
// and rdp. Nil ones are ignored.
func NewAccountant(accountants ...accounting.Accountant) Accountant {
	return Accountant{Accountants: given(accountants)}
}

// NewAccountantFor returns the accountant for a relation. It knows selections only under
// AddOrRemoveOne. Under ReplaceOne it knows samples of fixed size. All noise multipliers are then
// relative to the change of a release by one replaced record: see
// accounting.SampledWithoutReplacement.
func NewAccountantFor(relation accounting.Neighboring) (Accountant, error) {
	a, err := intersected.NewAccountantFor(relation)
	if err != nil {
		return Accountant{}, fmt.Errorf("auto: %w", err)
	}
	return Accountant{Grid: a.Grid}, nil
}

// Name returns "auto". A guarantee's Method names the accountant that gave it.
func (Accountant) Name() string { return "auto" }

// Neighboring returns the relation.
func (a Accountant) Neighboring() accounting.Neighboring { return a.Grid.Neighboring() }

// Unchecked returns the accountant whose guarantees have no certificates.
func (a Accountant) Unchecked() accounting.Accountant {
	a.unchecked = true
	return a
}

// Checks reports whether guarantees have certificates.
func (a Accountant) Checks() bool { return !a.unchecked }

// one returns the accountant for events without selections.
func (a Accountant) one() intersected.Accountant {
	return intersected.Accountant{Grid: a.Grid, Named: a.Accountants, NoChecks: a.unchecked}
}

// BaseAccountants returns the accountants that price one run of a selection: the given ones, or the
// certified one.
func (a Accountant) BaseAccountants() []accounting.Accountant {
	if len(a.Accountants) > 0 {
		return a.Accountants
	}
	one := a.one()
	one.NoChecks = true // a run is asked many times, and the price of the selection is checked
	return []accounting.Accountant{one}
}

// EpsilonAt returns ε, in nats, of event at delta in (0, 1): the least upper end of all bounds, and
// a lower end if the event has no selection. If no accountant knows the event, the error has the
// answer of each.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	price, err := a.PriceAt(event, delta)
	return price.Guarantee, err
}
