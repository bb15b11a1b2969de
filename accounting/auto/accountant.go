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

	options accounting.Options
}

var (
	_ baserun.AllEvents   = Accountant{}
	_ accounting.Optional = Accountant{}
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

// Options returns the options of its answers.
func (a Accountant) Options() accounting.Options { return a.options }

// WithOptions returns the accountant with other options.
//
// Quick answers use only bounds that mostly are the least: for the best of K runs those of
// selection.QuickEpsilonAt, and for a tuning on a sample with a training those by likelihood
// ratios. All other events are priced in full.
func (a Accountant) WithOptions(o accounting.Options) accounting.Accountant {
	a.options = o
	return a
}

// one returns the accountant for events without selections.
func (a Accountant) one() intersected.Accountant {
	return intersected.Accountant{Grid: a.Grid, Named: a.Accountants}
}

// BaseAccountants returns the accountants that price one run of a selection: the given ones, or the
// certified one.
func (a Accountant) BaseAccountants() []accounting.Accountant {
	if len(a.Accountants) > 0 {
		return a.Accountants
	}
	return []accounting.Accountant{a.one()}
}

// EpsilonAt returns ε, in nats, of event at delta in (0, 1): the least upper end of all bounds, and
// a lower end if the event has no selection. If no accountant knows the event, the error has the
// answer of each.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	price, err := a.PriceAt(event, delta)
	return price.Guarantee, err
}
